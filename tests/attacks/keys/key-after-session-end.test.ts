import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { authSessions } from "#app/db/schema.server.ts";
import { limitApiKey, listApiKeys, rotateApiKey } from "#app/orders/api/api-keys.server.ts";
import { createEndpoint, rotateSecret } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { db, newKey } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

const LIMITS = { expiresAt: null, addresses: [], dailyCap: 1 };

test("a request in flight replaces or limits no key once its session has ended", async () => {
  const { userId, sessionId } = await signedIn();
  const session = { userId, sessionId };
  const { id } = await newKey(userId, { name: "shop", scopes: ["read"] });
  expect(await limitApiKey(db, env, session, id, LIMITS)).toBe(true);
  await db.update(authSessions).set({ revokedAt: Date.now() }).where(eq(authSessions.id, sessionId));
  const before = await listApiKeys(db, userId);
  expect(await limitApiKey(db, env, session, id, { ...LIMITS, dailyCap: 9 })).toBe(false);
  expect(await rotateApiKey(db, env, session, id)).toEqual({ ok: false, reason: "not_found" });
  expect(await listApiKeys(db, userId)).toEqual(before);
});

test("a request in flight reads no new webhook secret once its session has ended", async () => {
  const { userId, sessionId } = await signedIn();
  const session = { userId, sessionId };
  const created = await createEndpoint(db, env, session, "https://shop.example/hook");
  if (!created.ok) throw new Error(created.reason);
  await db.update(authSessions).set({ revokedAt: Date.now() }).where(eq(authSessions.id, sessionId));
  expect(await rotateSecret(db, env, session, created.id)).toBeNull();
});
