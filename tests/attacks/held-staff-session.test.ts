import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { factorsOf } from "#app/accounts/factors/factors.server.ts";
import { newRecoveryCodes } from "#app/accounts/factors/recovery-codes.server.ts";
import { issueSetupLink } from "#app/accounts/factors/staff-setup-links.server.ts";
import { pendingTotpSetup, startTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { resetPassword } from "#app/accounts/recovery/password-reset.server.ts";
import { readHeldViewer } from "#app/accounts/session/viewer.server.ts";
import { changeAccess } from "#app/accounts/staff/account-access.server.ts";
import {
  auditLog,
  authSessions,
  emails,
  passkeys,
  passwordResets,
  staffSetupLinks,
  totpSecrets,
} from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { programAccess } from "#app/orders/program-access.server.ts";
import { action, loader } from "#app/routes/account/two-step.tsx";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { type SignedInAccount, sessionCookie, signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const ORIGIN = "https://growline.example";
const required = withoutDispatcher({ ...env, PUBLIC_ORIGIN: ORIGIN, STAFF_SECOND_FACTOR: "required" });
const context = loadContext({ env: required });
type Browser = Pick<SignedInAccount, "userId" | "email" | "cookie">;

test.each<Record<string, string>>([
  { intent: "new-codes" },
  { intent: "start-totp" },
  { intent: "remove-passkey", id: "owners" },
])("cannot change factors in a held session with the password alone, where the account has one: %o", async (fields) => {
  const admin = await signedIn("admin");
  const id = `owners ${admin.userId}`;
  await db.insert(passkeys).values({
    id,
    userId: admin.userId,
    publicKey: "AAAA",
    signCount: 0,
    transports: "",
    name: "Owner's key",
    deviceType: "singleDevice",
    backedUp: false,
    isSecondFactor: false,
    createdAt: Date.now(),
  });
  await db.batch(newRecoveryCodes(db, admin).statements);
  const before = await factorsOf(db, admin.userId);
  expect(await readHeldViewer(requestOf(admin), context)).toMatchObject({ isHeld: true });
  const response = await respond(admin, { ...fields, ...(fields.id && { id }) });
  expect(response instanceof Response && response.headers.get("Location")).toMatch(/^\/auth\/second-step/);
  expect(await factorsOf(db, admin.userId)).toEqual(before);
  const [session] = await db.select().from(authSessions).where(eq(authSessions.id, admin.sessionId));
  expect(session?.secondFactorAt).toBeNull();
});

test("cannot set up the first factor of staff with the password alone", async () => {
  const thief = await signedIn("admin");
  await issueSetupLink(db, thief.email, ORIGIN);
  for (const intent of ["start-totp", "confirm-totp", "passkey", "cancel-totp"]) {
    expect(await submit(thief, { intent, code: "123456", name: "Key" })).toBe(403);
  }
  for (const token of ["", "guessed"]) expect(await submit(thief, { intent: "open-setup-link", token })).toBe(403);
  expect(await db.$count(totpSecrets, eq(totpSecrets.userId, thief.userId))).toBe(0);
});

test("cannot read or confirm the key of the app that the owner sets up with the link", async () => {
  const owner = await signedIn("admin");
  const thief = { ...owner, cookie: await sessionCookie(owner.userId) };
  await openLink(owner, await newLink(owner));
  expect(await submit(owner, { intent: "start-totp" })).toBe(200);
  expect(await shownTo(owner)).toMatchObject({ needsLink: false, setup: { secret: expect.any(String) } });
  expect(await shownTo(thief)).toMatchObject({ needsLink: true, setup: null });
  expect(await submit(thief, { intent: "confirm-totp", code: await codeOf(owner) })).toBe(403);
});

test("cannot have the owner confirm an app that was set up before the account became staff", async () => {
  const owner = await signedIn("admin");
  await startTotpSetup(db, env, owner);
  await openLink(owner, await newLink(owner));
  expect(await pendingTotpSetup(db, env, owner)).toBeNull();
});

test("cannot use a link twice, after the setup or in another session", async () => {
  const owner = await signedIn("admin");
  const thief = { ...owner, cookie: await sessionCookie(owner.userId) };
  const token = await newLink(owner);
  await openLink(owner, token);
  expect(await submit(thief, { intent: "open-setup-link", token })).toBe(403);
  expect(await submit(thief, { intent: "start-totp" })).toBe(403);
  await setUpApp(owner);
  expect(await db.$count(staffSetupLinks, eq(staffSetupLinks.userId, owner.userId))).toBe(0);
  // As after an admin removed the factors.
  await db.delete(totpSecrets).where(eq(totpSecrets.userId, owner.userId));
  for (const browser of [owner, { ...owner, cookie: await sessionCookie(owner.userId) }]) {
    expect(await submit(browser, { intent: "open-setup-link", token })).toBe(403);
    expect(await submit(browser, { intent: "start-totp" })).toBe(403);
  }
});

test("cannot use an expired link, one that a newer replaced, or go on after the time for the setup", async () => {
  const owner = await signedIn("agent");
  const isOwners = eq(staffSetupLinks.userId, owner.userId);
  const first = await newLink(owner);
  const second = await newLink(owner);
  expect(await submit(owner, { intent: "open-setup-link", token: first })).toBe(403);
  await db.update(staffSetupLinks).set({ expiresAt: Date.now() }).where(isOwners);
  expect(await submit(owner, { intent: "open-setup-link", token: second })).toBe(403);
  await openLink(owner, await newLink(owner));
  await db.update(staffSetupLinks).set({ expiresAt: Date.now() }).where(isOwners);
  expect(await submit(owner, { intent: "start-totp" })).toBe(403);
});

test("cannot use the link of another account", async () => {
  const [owner, thief] = [await signedIn("admin"), await signedIn("admin")];
  await newLink(thief);
  const token = await newLink(owner);
  expect(await submit(thief, { intent: "open-setup-link", token })).toBe(403);
  expect(await submit(thief, { intent: "start-totp" })).toBe(403);
  await openLink(owner, token);
});

test("leads staff from the link of the command to the console, and issues none for an account with a factor", async () => {
  const owner = await signedIn("admin");
  expect(await readHeldViewer(requestOf(owner), context)).toMatchObject({ isHeld: true });
  await openLink(owner, await newLink(owner));
  await setUpApp(owner);
  expect(await readHeldViewer(requestOf(owner), context)).toMatchObject({ isHeld: false, role: "admin" });
  expect(await issueSetupLink(db, owner.email, ORIGIN)).toBeNull();
  expect(await issueSetupLink(db, "nobody@test.example", ORIGIN)).toBeNull();
});

test("emails a link with a new role and after the removal of the factors, and to no customer", async () => {
  const [admin, person] = [await signedIn("admin"), await newAccount()];
  const change = async (kind: "role" | "remove_factors", role: "customer" | "agent" = "agent") => {
    const viewer = { ...admin, fullName: "", role: "admin" } as const;
    const changed = kind === "role" ? { kind, role } : { kind };
    const by = { reason: "A good reason", once: crypto.randomUUID() };
    expect(await changeAccess(context, requestOf(admin), viewer, person.userId, changed, by)).toEqual({ ok: true });
  };
  await change("role");
  const emailed = await emailedTokens(person.userId);
  expect(emailed).toHaveLength(1);
  const agent = { ...person, cookie: await sessionCookie(person.userId) };
  await openLink(agent, emailed[0] ?? "");
  await setUpApp(agent);

  await change("remove_factors");
  const again = { ...person, cookie: await sessionCookie(person.userId) };
  const [token = ""] = await emailedTokens(person.userId);
  expect(emailed).not.toContain(token);
  await openLink(again, token);
  await setUpApp(again);

  // Has a factor.
  await change("role", "customer");
  await change("role", "agent");
  expect(await emailedTokens(person.userId)).toEqual([]);
  await change("role", "customer");
  await change("remove_factors");
  expect(await emailedTokens(person.userId)).toEqual([]);
  expect(await db.$count(staffSetupLinks, eq(staffSetupLinks.userId, person.userId))).toBe(0);
});

test("cannot become staff by the mailbox alone: a reset of the password ends an emailed link", async () => {
  const admin = await signedIn("admin");
  const viewer = { ...admin, fullName: "", role: "admin" } as const;
  const by = () => ({ reason: "A good reason", once: crypto.randomUUID() });
  const person = await newAccount();
  const promotion = { kind: "role", role: "agent" } as const;
  await changeAccess(context, requestOf(admin), viewer, person.userId, promotion, by());
  const [token = ""] = await emailedTokens(person.userId);
  await reset(person.userId);
  expect(await emailedTokens(person.userId)).toEqual([]);
  const thief = { ...person, cookie: await sessionCookie(person.userId) };
  expect(await submit(thief, { intent: "open-setup-link", token })).toBe(403);

  // The operator's link never was in the mailbox.
  const printed = await newLink(person);
  await reset(person.userId);
  await openLink({ ...person, cookie: await sessionCookie(person.userId) }, printed);
});

test("lets an admin send a new link to staff who lost theirs, which ends the earlier one, and to nobody else", async () => {
  const [admin, owner, customer] = [await signedIn("admin"), await signedIn("agent"), await newAccount()];
  const viewer = { ...admin, fullName: "", role: "admin" } as const;
  const once = crypto.randomUUID();
  const send = (userId: string, key = once, by: "admin" | "agent" = "admin", where = context) => {
    const reasons = { reason: "Link expired", once: key };
    return changeAccess(where, requestOf(admin), { ...viewer, role: by }, userId, { kind: "send_setup_link" }, reasons);
  };
  const lost = await newLink(owner);
  expect(await send(owner.userId)).toEqual({ ok: true });
  expect(await send(owner.userId)).toEqual({ ok: false, reason: "repeated" });
  expect(await readHeldViewer(requestOf(owner), context)).toBeNull();
  const again = { ...owner, cookie: await sessionCookie(owner.userId) };
  expect(await submit(again, { intent: "open-setup-link", token: lost })).toBe(403);
  const [entry] = await db.select().from(auditLog).where(eq(auditLog.onceKey, once));
  expect(entry).toMatchObject({ action: "customer.send_setup_link", subjectId: owner.userId, actorId: admin.userId });
  const events = await listSecurityEvents(db, owner.userId, { limit: 9 });
  expect(events).toContainEqual(
    expect.objectContaining({ kind: "sessions_ended", detail: { by: "support", reason: "setup_link" } }),
  );

  const key = () => crypto.randomUUID();
  expect(await send(owner.userId, key(), "agent")).toEqual({ ok: false, reason: "admin_only" });
  expect(await send(admin.userId, key())).toEqual({ ok: false, reason: "own_account" });
  expect(await send(customer.userId, key())).toEqual({ ok: false, reason: "unchanged" });
  const local = loadContext({ env: withoutDispatcher({ ...env, STAFF_SECOND_FACTOR: "off" }) });
  expect(await send(owner.userId, key(), "admin", local)).toEqual({ ok: false, reason: "unchanged" });
  const [token = ""] = await emailedTokens(owner.userId);
  await openLink(again, token);
  await setUpApp(again);
  expect(await send(owner.userId, key())).toEqual({ ok: false, reason: "unchanged" });
});

test("asks for no link in a local copy that requires no second factor", async () => {
  const admin = await signedIn("admin");
  const local = loadContext({ env: withoutDispatcher({ ...env, STAFF_SECOND_FACTOR: "off" }) });
  expect(await submit(admin, { intent: "start-totp" }, local)).toBe(200);
});

/** Resets the password as whoever opens the emailed link. */
async function reset(userId: string): Promise<void> {
  const { token, digest } = makeEmailToken();
  await db.insert(passwordResets).values({ tokenDigest: digest, userId, expiresAt: Date.now() + 60_000 });
  const input = { token, password: "another good password" };
  expect(await resetPassword(context, newVisit(), input, programAccess(db, env))).toEqual({ ok: true });
}

async function newLink({ email }: Pick<Browser, "email">): Promise<string> {
  const link = await issueSetupLink(db, email, ORIGIN);
  expect(link).toMatch(/^https:\/\/growline\.example\/account\/two-step\?link=[\w-]{20,}$/);
  return new URL(link ?? "").searchParams.get("link") ?? "";
}

/** Opens the link as its page does. Showing the page alone must not use the link up. */
async function openLink(browser: Browser, token: string): Promise<void> {
  expect(await shownTo(browser, token)).toMatchObject({ needsLink: true, token });
  expect(await submit(browser, { intent: "open-setup-link", token })).toBe(302);
  expect(await shownTo(browser)).toMatchObject({ needsLink: false });
}

async function setUpApp(browser: Browser): Promise<void> {
  expect(await submit(browser, { intent: "start-totp" })).toBe(200);
  expect(await submit(browser, { intent: "confirm-totp", code: await codeOf(browser) })).toBe(200);
  expect(await factorsOf(db, browser.userId)).toMatchObject({ hasTotp: true });
}

async function codeOf(account: Browser): Promise<string> {
  const setup = await pendingTotpSetup(db, env, account);
  return new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") }).generate();
}

/** Returns the status of the response to a form of the page. */
async function submit(browser: Browser, fields: Record<string, string>, where = context): Promise<number> {
  const response = await respond(browser, fields, where);
  return response instanceof Response ? response.status : ((response as { init?: ResponseInit }).init?.status ?? 200);
}

async function respond(browser: Browser, fields: Record<string, string>, where = context): Promise<unknown> {
  const request = requestOf(browser, new URLSearchParams(fields));
  try {
    return await action({ request, context: where, params: {} });
  } catch (thrown) {
    if (thrown instanceof Response) return thrown;
    throw thrown;
  }
}

function shownTo(browser: Browser, token?: string): Promise<unknown> {
  const request = requestOf(browser, null, token === undefined ? "" : `?link=${token}`);
  return loader({ request, context, params: {} });
}

async function emailedTokens(userId: string): Promise<string[]> {
  const queued = await db
    .select()
    .from(emails)
    .where(and(eq(emails.userId, userId), eq(emails.kind, "staff_setup")));
  const texts = await Promise.all(queued.map(({ id, sealedContent }) => openContent(env, id, sealedContent ?? "")));
  return texts.map(({ text }) => /\?link=([\w-]+)/.exec(text)?.[1] ?? "");
}

function requestOf({ cookie }: Pick<Browser, "cookie">, body: URLSearchParams | null = null, search = ""): Request {
  const method = body ? "POST" : "GET";
  return new Request(`${ORIGIN}/account/two-step${search}`, { method, headers: { Cookie: cookie }, body });
}
