import { expect, test } from "vitest";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { createApiKey, listApiKeys } from "./api-keys.server.ts";
import { submitApiForm } from "./api-page-form.server.ts";

test("strips invisible characters from a key's name and requires one", async () => {
  const { userId } = await customerWith(0);
  expect(await create(userId, "\u0000\u0007 ")).toMatchObject({
    status: 400,
    result: { fieldErrors: { name: "Enter a name" } },
  });
  expect(await create(userId, "shop\u0000")).toMatchObject({ status: 200, result: { key: { name: "shop" } } });
  expect(await listApiKeys(db, userId)).toHaveLength(2);
});

test("limits an account to fifty active keys", async () => {
  const { userId } = await customerWith(0);
  for (let n = 1; n < 50; n++) await createApiKey(db, userId, { name: `key ${n}`, scopes: ["read"] });
  expect(await create(userId, "one more")).toMatchObject({
    status: 400,
    result: { fieldErrors: { name: expect.stringContaining("50 keys") } },
  });
  expect(await listApiKeys(db, userId)).toHaveLength(50);
});

function create(userId: string, name: string) {
  const form = new FormData();
  form.set("intent", "create-key");
  form.set("name", name);
  return submitApiForm(loadContext(), userId, form);
}
