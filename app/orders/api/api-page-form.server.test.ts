import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { listEndpoints } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { DAY_MS } from "#app/time.ts";
import { customerWith, db, newKey } from "#tests/workerd/customer.ts";
import { ownerOf, startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import type { RecordChange } from "./api-key-form.server.ts";
import { listApiKeys, rotateApiKey } from "./api-keys.server.ts";
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

test("limits an account to fifty active keys, in parallel requests too", async () => {
  const { userId } = await customerWith(0);
  for (let n = 1; n < 45; n++) await newKey(userId, { name: `key ${n}`, scopes: ["read"] });
  const results = await Promise.all(Array.from({ length: 20 }, (_, n) => create(userId, `parallel ${n}`)));
  const refused = { status: 400, result: { fieldErrors: { name: "You can have 50 keys. Revoke one first" } } };
  expect(
    results.filter((result) => typeof result === "object" && "status" in result && result.status === 200),
  ).toHaveLength(5);
  expect(await create(userId, "one more")).toMatchObject(refused);
  expect(await listApiKeys(db, userId)).toHaveLength(50);
});

test("replaces a key at the limit, but not without end", async () => {
  const { userId } = await customerWith(0);
  const { id } = await newKey(userId, { name: "leaked", scopes: ["read"] });
  for (let n = 2; n < 50; n++) await newKey(userId, { name: `key ${n}`, scopes: ["read"] });
  const owner = await ownerOf(userId);
  let current = id;
  for (let n = 50; n < 100; n++) {
    const rotated = await rotateApiKey(db, env, owner, current);
    if (!rotated.ok) throw new Error(rotated.reason);
    current = rotated.id;
  }
  expect(await submit(userId, { intent: "rotate-key", id: current })).toMatchObject({ status: 400 });
  expect(await listApiKeys(db, userId)).toHaveLength(100);
});

test("records every change of keys and webhooks for the activity list", async () => {
  const { userId } = await customerWith(0);
  await create(userId, "shop");
  const [shop] = await listApiKeys(db, userId);
  const id = shop?.id ?? "";
  expect(await recorded(userId, { intent: "limit-key", id, dailyCap: "3" })).toEqual(["api_key_changed shop limited"]);
  expect(await recorded(userId, { intent: "rotate-key", id })).toEqual(["api_key_changed shop replaced"]);
  expect(await recorded(userId, { intent: "revoke-key", id })).toEqual(["api_key_revoked shop"]);
  const url = "https://shop.example/hook";
  expect(await recorded(userId, { intent: "create-webhook", url, wantsOrders: "on" })).toEqual([
    `webhook_added ${url}`,
  ]);
  const [endpoint] = await listEndpoints(db, userId);
  const hook = { id: endpoint?.id ?? "" };
  expect(await recorded(userId, { intent: "rotate-secret", ...hook })).toEqual([`webhook_changed ${url} new_secret`]);
  expect(await recorded(userId, { intent: "enable-webhook", ...hook })).toEqual([`webhook_changed ${url} turned_on`]);
  const choice = { intent: "choose-events", wantsCatalog: "on" };
  expect(await recorded(userId, { ...choice, ...hook })).toEqual([`webhook_changed ${url} events`]);
  expect(await recorded(userId, { intent: "delete-webhook", ...hook })).toEqual([`webhook_removed ${url}`]);
});

test("asks which events a webhook gets, and requires one kind", async () => {
  const { userId } = await customerWith(0);
  const url = "https://shop.example/hook";
  const none = { status: 400, result: { message: "Choose at least one kind of event" } };
  expect(await submit(userId, { intent: "create-webhook", url })).toMatchObject({
    ...none,
    result: { ...none.result, values: { url } },
  });
  expect(await listEndpoints(db, userId)).toEqual([]);
  await submit(userId, { intent: "create-webhook", url, wantsOrders: "on" });
  const [endpoint] = await listEndpoints(db, userId);
  expect(endpoint).toMatchObject({ wantsOrders: true, wantsCatalog: false });
  const choose = (id: string, choice: Record<string, string>) =>
    submit(id, { intent: "choose-events", id: endpoint?.id ?? "", ...choice });
  expect(await choose(userId, {})).toMatchObject(none);
  expect(await choose((await customerWith(0)).userId, { wantsCatalog: "on" })).toBe("not_found");
  expect(await listEndpoints(db, userId)).toMatchObject([{ wantsOrders: true, wantsCatalog: false }]);
  expect(await choose(userId, { wantsCatalog: "on" })).toMatchObject({
    status: 200,
    result: { ok: true, values: { wantsCatalog: "on" } },
  });
  expect(await listEndpoints(db, userId)).toMatchObject([{ wantsOrders: false, wantsCatalog: true }]);
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

function create(userId: string, name: string, limits: Record<string, string> = {}) {
  return submit(userId, { intent: "create-key", name, ...limits });
}

/** Submits a form and returns the changes that it recorded. */
async function recorded(userId: string, fields: Record<string, string>): Promise<string[]> {
  const changes: string[] = [];
  await submit(userId, fields, (kind, detail) => changes.push([kind, ...Object.values(detail)].join(" ")));
  return changes;
}

async function submit(userId: string, fields: Record<string, string>, record: RecordChange = () => {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const sessionId = await startSession(db, { userId });
  return submitApiForm(loadContext(), { userId, sessionId }, form, record);
}
