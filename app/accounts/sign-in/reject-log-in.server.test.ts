import { env } from "cloudflare:workers";
import { eq, type inArray, sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { isResetToken } from "#app/accounts/recovery/password-reset.server.ts";
import { newDeviceAlerts, profiles, users } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { emailsTo, withoutDispatcher } from "#tests/workerd/email-api.ts";
import { accessOf, addAccess, storedAccount, WHOLE_ACCESS } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { isAlertToken, rejectionRemovesRole, rejectLogIn } from "./reject-log-in.server.ts";

const context = loadContext({ env: { ...withoutDispatcher(env), PUBLIC_ORIGIN: "https://growline.example" } });
const visit = newVisit();
const noAccess = { statements: () => [], finish: async () => {} };
const LATER = Date.now() + 60 * 60_000;

afterEach(() => vi.restoreAllMocks());

test("ends everything that opens the account but older factors, and leaves one link for a new password", async () => {
  const [owner, other] = [await storedAccount(), await storedAccount()];
  for (const { userId } of [owner, other]) await addAccess(userId);
  const token = await newAlert(owner.userId, 1600);
  expect(await rejectLogIn(context, visit, token, noAccess)).toEqual({ ok: true, lostRole: false });
  expect(await accessOf(owner.userId)).toEqual({
    ...WHOLE_ACCESS,
    passwordHash: "",
    legacyHash: "",
    sessions: 0,
    emailChanges: 0,
    emailVerifications: 0,
    devices: 0,
    alerts: [],
    setupLinks: [],
    // Factors added since the first announcement, at 1,500 ms.
    passkeys: [1000],
    apps: [],
    queued: ["factor_notice", "password_reset"],
    events: ["new_device_rejected"],
  });
  expect(await accessOf(other.userId)).toEqual(WHOLE_ACCESS);
  const sent = (await emailsTo(owner.email)).find(
    ({ kind, sealedContent }) => kind === "password_reset" && sealedContent,
  );
  expect(sent?.userId).toBe(owner.userId);
  const { text } = await openContent(env, sent?.id ?? "", sent?.sealedContent ?? "");
  const reset = /https:\/\/growline\.example\/reset-password\?token=([\w-]+)/.exec(text)?.[1] ?? "";
  expect(await isResetToken(db, reset)).toBe(true);
  expect(await rejectLogIn(context, visit, token, noAccess)).toEqual({ ok: false });
});

test.for([
  [1600, true],
  [2000, true],
  [2001, false],
] as const)("takes the role of staff whose factor is from the announcement at %i ms or later: %s", async (row) => {
  const [announced, isLost] = row;
  const [{ userId }, other] = [await storedAccount("agent"), await storedAccount("agent")];
  for (const one of [userId, other.userId]) await addAccess(one);
  await db.delete(newDeviceAlerts).where(eq(newDeviceAlerts.userId, userId));
  const token = await newAlert(userId, announced);
  expect(await rejectionRemovesRole(db, token)).toBe(isLost);
  expect(await roleOf(userId)).toBe("agent");
  expect(await rejectLogIn(context, visit, token, noAccess)).toEqual({ ok: true, lostRole: isLost });
  expect(await roleOf(userId)).toBe(isLost ? "customer" : "agent");
  const { events } = await accessOf(userId);
  expect(events.sort()).toEqual(isLost ? ["new_device_rejected", "role_changed"] : ["new_device_rejected"]);
  expect(await roleOf(other.userId)).toBe("agent");
});

test("follows a link until it expires, and no made-up one", async () => {
  const { userId } = await storedAccount("agent");
  await addAccess(userId);
  const before = await accessOf(userId);
  const token = await newAlert(userId, 1600, LATER);
  const now = vi.spyOn(Date, "now").mockReturnValue(LATER);
  for (const one of [token, `${token}x`]) {
    expect([await isAlertToken(db, one), await rejectionRemovesRole(db, one)]).toEqual([false, false]);
    expect(await rejectLogIn(context, visit, one, noAccess)).toEqual({ ok: false });
  }
  expect(await accessOf(userId)).toEqual({ ...before, alerts: ["factor", "log_in", "log_in"] });
  now.mockReturnValue(LATER - 1);
  expect([await isAlertToken(db, token), await rejectionRemovesRole(db, token)]).toEqual([true, true]);
});

test("ends other access in the same batch, and hands on what that returned", async () => {
  const { userId, email } = await storedAccount("agent");
  const finished: unknown[][] = [];
  const access = {
    statements: (owner: Parameters<typeof inArray>[1] & object) => [
      db.select({ id: users.id }).from(users).where(sql`${users.id} in (${owner})`),
      db.select({ email: users.email }).from(users).where(sql`${users.id} in (${owner})`),
    ],
    finish: async (results: unknown[]) => void finished.push(results),
  };
  expect(await rejectLogIn(context, visit, "made up", access)).toEqual({ ok: false });
  expect(finished).toEqual([]);
  expect(await rejectLogIn(context, visit, await newAlert(userId, 1), access)).toMatchObject({ ok: true });
  expect(finished).toEqual([[[{ id: userId }], [{ email }]]]);
});

test("wakes the dispatcher of emails, unless the link no longer works", async () => {
  const { userId } = await storedAccount();
  const wake = vi.fn(async () => {});
  const EMAIL_DISPATCHER = { getByName: () => ({ wake }) } as unknown as Env["EMAIL_DISPATCHER"];
  const work: Promise<unknown>[] = [];
  const waking = loadContext({ env: { ...env, EMAIL_DISPATCHER }, waitUntil: (one) => void work.push(one) });
  await rejectLogIn(waking, visit, "made up", noAccess);
  await Promise.all(work);
  expect(wake).not.toHaveBeenCalled();
  await rejectLogIn(waking, visit, await newAlert(userId, 1), noAccess);
  await Promise.all(work);
  expect(wake).toHaveBeenCalledTimes(1);
});

async function newAlert(userId: string, createdAt: number, expiresAt = LATER): Promise<string> {
  const { token, digest } = makeEmailToken();
  await db.insert(newDeviceAlerts).values({ tokenDigest: digest, userId, createdAt, expiresAt });
  return token;
}

async function roleOf(userId: string): Promise<string | undefined> {
  const [profile] = await db.select().from(profiles).where(eq(profiles.userId, userId));
  return profile?.role;
}
