import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { pendingTotpSetup, startTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { unseal } from "#app/crypto/seal.server.ts";
import { emails, providers, webhookEndpoints } from "#app/db/schema.server.ts";
import { makeEmail, openContent, queueEmail } from "#app/email/queue-email.server.ts";
import { freshAccessToken } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { accountOwner } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { providerKeyContext } from "#app/orders/providers/provider-link.server.ts";
import { createEndpoint, rotateSecret, secretContext } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { notifiedBrowser } from "#tests/stand-ins/push-devices.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { resealAll } from "#tools/data/reseal.ts";
import { customerWith, db } from "./customer.ts";
import { connectMailbox, lane } from "./gmail-mailbox.ts";
import { sandboxProvider } from "./sandbox-service.ts";

const NEW_KEY = `2:${btoa("y".repeat(32))}`;

test("decrypts every sealed value with the new key alone after a rotation", async () => {
  const { env } = await lane();
  const { userId } = await customerWith(0);
  const owner = accountOwner(userId);
  await connectMailbox(env, owner);
  const token = await freshAccessToken(db, env, owner);
  const providerId = await sandboxProvider();
  const endpoint = await createEndpoint(db, env, await ownerOf(userId), "https://shop.example/hook");
  if (!endpoint.ok) throw new Error(endpoint.reason);
  const secret = await rotateSecret(db, env, await ownerOf(userId), endpoint.id);

  const email = { to: "ada@test.example", subject: "S", text: "T", html: "<p>T</p>" };
  const queued = await makeEmail(env, "transcript", email);
  await queueEmail(db, queued);

  await notifiedBrowser({ id: "anon_1_visitor", session: null });

  const setup = await startTotpSetup(db, env, { ...(await ownerOf(userId)), email: "ada@test.example" });

  const before = await resealAll(db, env.ENCRYPTION_KEYS);
  expect(before.every(({ resealed }) => resealed === 0)).toBe(true);
  const counts = await resealAll(db, `${NEW_KEY},${env.ENCRYPTION_KEYS}`);
  expect(counts.filter(({ resealed }) => resealed > 0).map(({ column }) => column)).toEqual([
    "providers.encrypted_key",
    "webhook_endpoints.secret",
    "webhook_endpoints.previous_secret",
    "gmail_tokens.access_token",
    "gmail_tokens.refresh_token",
    "emails.sealed_content",
    "push_subscriptions.sealed_target",
    "totp_secrets.sealed_secret",
  ]);

  expect(await freshAccessToken(db, { ...env, ENCRYPTION_KEYS: NEW_KEY }, owner)).toBe(token);
  const [provider] = await db.select().from(providers).where(eq(providers.id, providerId));
  expect(await unseal(NEW_KEY, providerKeyContext(provider?.name ?? ""), provider?.encryptedKey ?? "")).not.toBe("");
  const [hook] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, endpoint.id));
  expect(await unseal(NEW_KEY, secretContext(endpoint.id), hook?.secret ?? "")).toBe(secret);
  expect(await unseal(NEW_KEY, secretContext(endpoint.id), hook?.previousSecret ?? "")).toBe(endpoint.secret);

  const [stored] = await db.select().from(emails).where(eq(emails.id, queued.id));
  const content = await openContent({ ENCRYPTION_KEYS: NEW_KEY }, queued.id, stored?.sealedContent ?? "");
  expect(content.text).toBe("T");

  const pending = await pendingTotpSetup(
    db,
    { ENCRYPTION_KEYS: NEW_KEY },
    { ...(await ownerOf(userId)), email: "ada@test.example" },
  );
  expect(pending).toEqual(setup);

  const again = await resealAll(db, `${NEW_KEY},${env.ENCRYPTION_KEYS}`);
  expect(again.every(({ resealed, unreadable }) => resealed === 0 && unreadable === 0)).toBe(true);
});

test("counts and keeps values that no given key decrypts", async () => {
  const { env } = await lane();
  const owner = accountOwner(crypto.randomUUID());
  await connectMailbox(env, owner);
  const token = await freshAccessToken(db, env, owner);
  const counts = await resealAll(db, `3:${btoa("z".repeat(32))}`);
  expect(counts.find(({ column }) => column === "gmail_tokens.access_token")?.unreadable).toBeGreaterThan(0);
  expect(await freshAccessToken(db, env, owner)).toBe(token);
});
