import { env as bindings } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { gmailOauthStates, gmailTokens } from "#app/db/schema.server.ts";
import { deleteGmailData, deleteGmailTokens, exportGmail } from "#app/gmail/gmail-personal-data.server.ts";
import { claimMailbox } from "#app/gmail/mailbox/claim-mailbox.server.ts";
import { disconnect, readMailbox } from "#app/gmail/mailbox/mailbox.server.ts";
import { freshAccessToken, readTokenRow, type TokenEnv } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { type MailboxOwner, ownedBy, ZERO_USER_ID } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { db } from "#tests/workerd/customer.ts";
import {
  connectMailbox,
  lane,
  ORIGIN,
  SECOND,
  someone,
  storedIds,
  syncQuickly,
  walkThroughGoogle,
} from "#tests/workerd/gmail-mailbox.ts";
import { completeConnection, deleteExpiredConnections, startConnection } from "./gmail-connection.server.ts";

const BROWSER = "the-cookie-of-a-browser";

test("requests read-only offline access with PKCE and a state", async () => {
  const { env } = await lane();
  const started = await startConnection(db, env, { owner: someone(), browser: BROWSER, origin: ORIGIN, mode: "popup" });
  if (!started.ok) throw new Error(started.fault);
  const query = Object.fromEntries(new URL(started.authUrl).searchParams);
  expect(query).toMatchObject({
    scope: "https://www.googleapis.com/auth/gmail.readonly",
    response_type: "code",
    code_challenge_method: "S256",
    access_type: "offline",
    redirect_uri: "https://growline.example/gmail-sync/callback",
  });
  expect(query.code_challenge).toHaveLength(43);
  const rows = JSON.stringify(await db.select().from(gmailOauthStates));
  expect(rows).not.toContain(query.state);
});

test("accepts a state only once", async () => {
  const { env } = await lane();
  const owner = someone();
  const params = await walkThroughGoogle(env, owner);
  const returned = { owner, browser: BROWSER, origin: ORIGIN, params };
  expect(await completeConnection(db, env, returned)).toBeNull();
  expect(await completeConnection(db, env, returned)).toBe("expired");
  expect(await readMailbox(db, owner)).toMatchObject({ connected: true, emailAddress: "demo@gmail.example" });
});

test("accepts a state only from its browser and owner before it expires, and uses it up on any attempt", async () => {
  const { env } = await lane();
  const owner = someone();
  const attempts = [
    { owner, browser: "another-browser" },
    { owner, browser: null },
    { owner: someone(), browser: BROWSER },
    { owner: null, browser: BROWSER },
  ];
  for (const attempt of attempts) {
    const params = await walkThroughGoogle(env, owner);
    expect(await completeConnection(db, env, { ...attempt, origin: ORIGIN, params })).toBe("expired");
    expect(await completeConnection(db, env, { owner, browser: BROWSER, origin: ORIGIN, params })).toBe("expired");
  }
  const late = await walkThroughGoogle(env, owner);
  const elevenMinutesOn = Date.now() + 11 * 60_000;
  const returned = { owner, browser: BROWSER, origin: ORIGIN, params: late };
  expect(await completeConnection(db, env, returned, elevenMinutesOn)).toBe("expired");
  expect(await readMailbox(db, owner)).toMatchObject({ connected: false });
});

test("returns distinct faults for denied access, a withheld scope and an invalid code", async () => {
  const { env } = await lane();
  const owner = someone();
  expect(await connectMailbox(env, owner, { choice: "deny" })).toBe("denied");
  expect(await connectMailbox(env, owner, { choice: "untick" })).toBe("scope_withheld");
  const params = await walkThroughGoogle(env, owner);
  params.set("code", "made-up");
  expect(await completeConnection(db, env, { owner, browser: BROWSER, origin: ORIGIN, params })).toBe("refused");
  expect(await readTokenRow(db, owner)).toBeNull();
});

test("refuses to replace the connected Google account with another", async () => {
  const { env } = await lane();
  const owner = someone();
  await connectMailbox(env, owner);
  expect(await connectMailbox(env, owner, { account: SECOND })).toBe("wrong_account");
  expect(await readMailbox(db, owner)).toMatchObject({ connected: true, emailAddress: "demo@gmail.example" });
  expect(await syncQuickly(env, owner)).toMatchObject({ ok: true });
  await disconnect(db, env, owner);
  expect(await connectMailbox(env, owner, { account: SECOND })).toBeNull();
});

test("reports a missing client and an unreachable Google", async () => {
  const begin = (env: TokenEnv) =>
    startConnection(db, env, { owner: someone(), browser: BROWSER, origin: ORIGIN, mode: "popup" });
  expect(await begin(bindings)).toEqual({ ok: false, fault: "not_configured" });
  const { env } = await lane();
  expect(await begin({ ...env, GOOGLE_ISSUER: "http://127.0.0.1:1" })).toEqual({ ok: false, fault: "unavailable" });
});

test("stores tokens sealed and bound to their row", async () => {
  const { env } = await lane();
  const owner = someone();
  await connectMailbox(env, owner);
  const token = await freshAccessToken(db, env, owner);
  const { results } = await env.DB.prepare("select * from gmail_tokens").run();
  const raw = JSON.stringify(results);
  expect(token).toMatch(/^google_/);
  expect(raw).not.toContain(token);
  expect(raw).not.toContain("google_refresh_");
  const thief = someone();
  const row = await readTokenRow(db, owner);
  await db
    .insert(gmailTokens)
    .values({ ...thief, accessToken: row?.accessToken ?? "", expiresAt: Date.now() * 2, createdAt: 1 });
  await expect(freshAccessToken(db, env, thief)).rejects.toThrow();
});

test("disconnecting revokes the grant at Google and deletes the messages", async () => {
  const { env } = await lane();
  await db.delete(gmailTokens);
  const owner = someone();
  await connectMailbox(env, owner);
  await syncQuickly(env, owner);
  const token = await freshAccessToken(db, env, owner);
  await disconnect(db, env, owner);
  expect(await statusAtGoogle(env, token)).toBe(401);
  expect(await readTokenRow(db, owner)).toBeNull();
  expect(await storedIds(owner)).toEqual([]);
});

test("disconnecting changes nothing while Google is unreachable", async () => {
  const { env } = await lane();
  await db.delete(gmailTokens);
  const owner = someone();
  await connectMailbox(env, owner);
  await expect(disconnect(db, { ...env, GOOGLE_ISSUER: "http://127.0.0.1:1" }, owner)).rejects.toThrow();
  expect(await readMailbox(db, owner)).toMatchObject({ connected: true });
});

test("leaves the tokens of another account on the same mailbox alone, and revokes those of the last", async () => {
  const { env } = await lane();
  await db.delete(gmailTokens);
  const [one, deleted, last] = [someone(), someone(), someone()];
  for (const owner of [one, deleted, last]) await connectMailbox(env, owner);
  const token = await freshAccessToken(db, env, last);
  await disconnect(db, env, one);
  await deleteGmailTokens(db, env, deleted.userId);
  expect(await readTokenRow(db, one)).toBeNull();
  expect(await statusAtGoogle(env, token)).toBe(200);
  await disconnect(db, env, last);
  expect(await statusAtGoogle(env, token)).toBe(401);
});

test("deleting an account revokes tokens at Google before deleting them, and can be resumed", async () => {
  const { env } = await lane();
  await db.delete(gmailTokens);
  const owner = someone();
  await connectMailbox(env, owner);
  await syncQuickly(env, owner);
  const exported = await exportGmail(db, owner.userId);
  expect(exported.messages).toHaveLength(100);
  expect(JSON.stringify(exported)).not.toContain((await readTokenRow(db, owner))?.accessToken);
  const token = await freshAccessToken(db, env, owner);

  await deleteGmailData(db, owner.userId);
  const offline = { ...env, GOOGLE_ISSUER: "http://127.0.0.1:1" };
  await expect(deleteGmailTokens(db, offline, owner.userId)).rejects.toThrow();
  expect(await storedIds(owner)).toEqual([]);
  expect(await statusAtGoogle(env, token)).toBe(200);
  await deleteGmailTokens(db, env, owner.userId);
  expect(await statusAtGoogle(env, token)).toBe(401);
  expect(await readTokenRow(db, owner)).toBeNull();
  await deleteGmailTokens(db, env, owner.userId);
});

test("moves a visitor's mailbox to the account once, with its tokens and messages", async () => {
  const { env } = await lane();
  const visitor = someVisitor();
  const account = someone();
  await connectMailbox(env, visitor);
  expect(await syncQuickly(env, visitor)).toMatchObject({ ok: true, read: 100 });
  const ids = await storedIds(visitor);
  await Promise.all([1, 2].map(() => claimMailbox(db, env, visitor, account.userId)));
  expect(await storedIds(account)).toEqual(ids);
  expect(await readMailbox(db, visitor)).toMatchObject({ connected: false });
  expect(await syncQuickly(env, account)).toMatchObject({ ok: true, read: 0, total: 100 });
});

test("keeps the account's own mailbox and disconnects the visitor's at Google", async () => {
  const { env } = await lane();
  const visitor = someVisitor();
  const account = someone();
  await connectMailbox(env, account);
  await syncQuickly(env, account);
  await connectMailbox(env, visitor, { account: SECOND });
  const token = await freshAccessToken(db, env, visitor);
  await claimMailbox(db, env, visitor, account.userId);
  expect(await readMailbox(db, account)).toMatchObject({ connected: true, emailAddress: "demo@gmail.example" });
  expect(await storedIds(account)).toHaveLength(100);
  expect(await statusAtGoogle(env, token)).toBe(401);
  expect(await readTokenRow(db, visitor)).toBeNull();
});

test("keeps the account's connection to the same mailbox when it forgets the visitor's", async () => {
  const { env } = await lane();
  const visitor = someVisitor();
  const account = someone();
  await connectMailbox(env, visitor);
  await connectMailbox(env, account);
  await syncQuickly(env, account);
  await claimMailbox(db, env, visitor, account.userId);
  expect(await readTokenRow(db, visitor)).toBeNull();
  expect(await statusAtGoogle(env, await freshAccessToken(db, env, account))).toBe(200);
  expect(await storedIds(account)).toHaveLength(100);
});

test("revokes the grant of a wrong Google account, unless another person has that mailbox connected", async () => {
  const { env } = await lane();
  const [owner, other] = [someone(), someone()];
  await db.delete(gmailTokens);
  const revoked = () => calls.mock.calls.filter(([url]) => String(url).includes("revoke")).length;
  await connectMailbox(env, owner);
  const calls = vi.spyOn(globalThis, "fetch");
  expect(await connectMailbox(env, owner, { account: SECOND })).toBe("wrong_account");
  expect(revoked()).toBe(1);
  await connectMailbox(env, other, { account: SECOND });
  expect(await connectMailbox(env, owner, { account: SECOND })).toBe("wrong_account");
  expect(revoked()).toBe(1);
  expect(await statusAtGoogle(env, await freshAccessToken(db, env, other))).toBe(200);
  // Google refused the other person's tokens, so nothing of theirs is left to end.
  await db.update(gmailTokens).set({ accessToken: null }).where(ownedBy(gmailTokens, other));
  expect(await connectMailbox(env, owner, { account: SECOND })).toBe("wrong_account");
  expect(revoked()).toBe(2);
  expect(await readMailbox(db, owner)).toMatchObject({ connected: true, emailAddress: "demo@gmail.example" });
});

test("leaves every connection to a mailbox alone when a new grant withholds the scope", async () => {
  const { env } = await lane();
  const [owner, other] = [someone(), someone()];
  for (const one of [owner, other]) await connectMailbox(env, one);
  expect(await connectMailbox(env, owner, { choice: "untick" })).toBe("scope_withheld");
  const tokens = await Promise.all([owner, other].map((one) => freshAccessToken(db, env, one)));
  expect(await Promise.all(tokens.map((token) => statusAtGoogle(env, token)))).toEqual([200, 200]);
  expect(await syncQuickly(env, owner)).toMatchObject({ ok: true });
});

test("hides visitors under the placeholder id from each other", async () => {
  const { env } = await lane();
  const [one, other] = [someVisitor(), someVisitor()];
  await connectMailbox(env, one);
  await syncQuickly(env, one);
  expect(await readMailbox(db, other)).toMatchObject({ connected: false, emailAddress: null });
  expect(await storedIds(other)).toEqual([]);
  expect(await syncQuickly(env, other)).toMatchObject({ ok: false, reason: "not_connected" });
});

test("deletes connections that were never completed", async () => {
  const { env } = await lane();
  const owner = someone();
  await walkThroughGoogle(env, owner);
  await deleteExpiredConnections(db, Date.now() + 11 * 60_000);
  expect(await db.select().from(gmailOauthStates).where(ownedBy(gmailOauthStates, owner))).toEqual([]);
});

function someVisitor(): MailboxOwner {
  return { userId: ZERO_USER_ID, ownerDigest: crypto.randomUUID() };
}

async function statusAtGoogle(env: TokenEnv, token: string): Promise<number> {
  const response = await fetch(`${env.GOOGLE_ISSUER}/gmail/v1/users/me/profile`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  await response.body?.cancel();
  return response.status;
}
