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

test("reads a key's limits, and refuses wrong ones beside their fields", async () => {
  const { userId } = await customerWith(0);
  const lastDay = new Date(Date.now() + 5 * DAY_MS).toISOString().slice(0, 10);
  const limits = { expires: "date", lastDay, addresses: "203.0.113.9/24\n::1", dailyCap: "12.50" };
  expect(await create(userId, "shop", limits)).toMatchObject({ status: 200 });
  const [shop] = await listApiKeys(db, userId);
  const expected = {
    addresses: ["203.0.113.0/24", "::1"],
    dailyCap: 12_500_000,
    expiresAt: Date.parse(lastDay) + DAY_MS,
  };
  expect(shop).toMatchObject(expected);
  const wrong: [Record<string, string>, string][] = [
    [{ expires: "date" }, "lastDay"],
    [{ expires: "date", lastDay: "2020-01-01" }, "lastDay"],
    [{ expires: "date", lastDay: "soon" }, "lastDay"],
    [{ expires: "7" }, "expires"],
    [{ addresses: "example.com" }, "addresses"],
    [{ dailyCap: "0" }, "dailyCap"],
    [{ dailyCap: "-1" }, "dailyCap"],
    [{ dailyCap: "much" }, "dailyCap"],
  ];
  for (const [fields, name] of wrong) {
    const refused = { status: 400, result: { fieldErrors: { [name]: expect.any(String) } } };
    expect(await create(userId, "wrong", fields), JSON.stringify(fields)).toMatchObject(refused);
    expect(await submit(userId, { intent: "limit-key", id: shop?.id ?? "", ...fields })).toMatchObject(refused);
  }
  const kept = { intent: "limit-key", id: shop?.id ?? "", expires: "keep", addresses: "", dailyCap: "3" };
  expect(await submit(userId, kept)).toMatchObject({ status: 200, result: { ok: true } });
  expect((await listApiKeys(db, userId))[0]).toMatchObject({ ...expected, addresses: [], dailyCap: 3_000_000 });
  expect(await submit((await customerWith(0)).userId, kept)).toBe("not_found");
});

const DAY_MS = 24 * 60 * 60 * 1000;

function create(userId: string, name: string, limits: Record<string, string> = {}) {
  return submit(userId, { intent: "create-key", name, ...limits });
}

function submit(userId: string, fields: Record<string, string>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return submitApiForm(loadContext(), userId, form, () => {});
}
