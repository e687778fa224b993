import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { requestEmailChange } from "#app/accounts/email-address/email-change.server.ts";
import { authSessions, emails, users } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const ORIGIN = "https://growline.example";
const context = loadContext({ env: withoutDispatcher(env) });

test("the victim's click on an unrequested link moves no account of a stranger to the victim's address", async () => {
  const [stranger, victim] = [await signedIn(), await signedIn()];
  const { token, newEmail } = await requestedChange(stranger);
  for (const cookie of ["", victim.cookie]) {
    const refused = await confirm(token, cookie);
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("account that requested")]);
    expect(await emailOf(stranger.userId)).toBe(stranger.email);
  }
  const page = await (await open(token, "")).text();
  expect(page).toContain(`href="/auth/login?redirectTo=${encodeURIComponent(`/account/email?token=${token}`)}"`);
  expect(page).not.toContain("Confirm email address</button>");
  expect(await (await open(token, victim.cookie)).text()).toContain('action="/auth/logout"');

  expect((await confirm(token, stranger.cookie)).status).toBe(200);
  expect(await emailOf(stranger.userId)).toBe(newEmail);
});

test("a session that has ended confirms no change", async () => {
  const owner = await signedIn();
  const { token } = await requestedChange(owner);
  await db.update(authSessions).set({ revokedAt: Date.now() }).where(eq(authSessions.id, owner.sessionId));
  expect((await confirm(token, owner.cookie)).status).toBe(403);
  expect(await emailOf(owner.userId)).toBe(owner.email);
});

async function requestedChange(account: SignedInAccount): Promise<{ token: string; newEmail: string }> {
  const newEmail = `${crypto.randomUUID()}@test.example`;
  expect(await requestEmailChange(context, newVisit(), account, { newEmail, password: PASSWORD })).toEqual({
    ok: true,
  });
  const [sent] = await db.select().from(emails).where(eq(emails.recipient, newEmail));
  const { text } = await openContent(env, sent?.id ?? "", sent?.sealedContent ?? "");
  return { token: /token=([\w-]{43})/.exec(text)?.[1] ?? "", newEmail };
}

async function emailOf(userId: string) {
  const [user] = await db.select({ email: users.email }).from(users).where(eq(users.id, userId));
  return user?.email;
}

function open(token: string, cookie: string): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/account/email?token=${token}`, { headers: { Cookie: cookie } });
}

function confirm(token: string, cookie: string): Promise<Response> {
  const headers = { Origin: ORIGIN, Host: new URL(ORIGIN).host, Cookie: cookie };
  const body = new URLSearchParams({ token });
  return SELF.fetch(`${ORIGIN}/account/email`, { method: "POST", headers, body, redirect: "manual" });
}
