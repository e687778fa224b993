import { env, SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { apiKeys } from "#app/db/schema.server.ts";
import { createApiKey, listApiKeys, MAX_KEYS, rotateApiKey } from "#app/orders/api/api-keys.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { ownerOf, type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import { makeTestKey } from "./test-key.server.ts";

async function balanceWith(key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  return (await SELF.fetch("https://growline.example/api/balance", { headers })).status;
}

async function made(owner: SignedInAccount): Promise<string> {
  const result = await makeTestKey(db, env, owner);
  if (!result.ok) throw new Error(result.reason);
  return result.key;
}

test("keeps one test key per person, which is in no list and ends the one before it", async () => {
  const [ada, other] = [await signedIn(), await signedIn()];
  const theirs = await made(other);
  const first = await made(ada);
  expect(first).toMatch(/^gl_test_[0-9a-f]{54}$/);
  expect(await balanceWith(first)).toBe(200);
  const second = await made(ada);
  expect(await balanceWith(second)).toBe(200);
  expect(await balanceWith(first)).toBe(401);
  expect(await balanceWith(theirs)).toBe(200);
  expect(await listApiKeys(db, ada.userId)).toEqual([]);
  expect(await db.$count(apiKeys, eq(apiKeys.userId, ada.userId))).toBe(1);
});

test("leaves one working test key to tabs that create one at the same moment", async () => {
  const ada = await signedIn();
  const keys = (await Promise.all([1, 2, 3].map(() => makeTestKey(db, env, ada)))).flatMap((result) =>
    result.ok ? [result.key] : [],
  );
  const working = await Promise.all(keys.map(balanceWith));
  expect(working.filter((status) => status === 200)).toHaveLength(1);
});

test("ends a test key after a day", async () => {
  const ada = await signedIn();
  const key = await made(ada);
  const [stored] = await db.select().from(apiKeys).where(eq(apiKeys.userId, ada.userId));
  expect((stored?.expiresAt ?? 0) - (stored?.createdAt ?? 0)).toBe(24 * 60 * 60 * 1000);
  await db
    .update(apiKeys)
    .set({ expiresAt: Date.now() - 1 })
    .where(eq(apiKeys.userId, ada.userId));
  expect(await balanceWith(key)).toBe(401);
});

test("takes no key's place, and creates at most ten an hour per person", async () => {
  const [ada, other] = [await signedIn(), await signedIn()];
  await made(ada);
  for (let n = 0; n < MAX_KEYS; n++) {
    expect(
      await createApiKey(db, env, ada.userId, { name: "", scopes: ["read"], isTest: true, sessionId: null }),
    ).toMatchObject({
      ok: true,
    });
  }
  for (let n = 1; n < 10; n++) await made(ada);
  const refused = await makeTestKey(db, env, ada);
  expect(refused).toMatchObject({ ok: false, reason: "too_many" });
  expect(await makeTestKey(db, env, other)).toMatchObject({ ok: true });
});

test("can't be renewed as a listed key, by its owner or by another person", async () => {
  const [ada, other] = [await signedIn(), await signedIn()];
  const key = await made(ada);
  const [stored] = await db.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.userId, ada.userId));
  for (const { userId } of [ada, other]) {
    expect(await rotateApiKey(db, env, await ownerOf(userId), stored?.id ?? "")).toEqual({
      ok: false,
      reason: "not_found",
    });
  }
  expect(await balanceWith(key)).toBe(200);
});
