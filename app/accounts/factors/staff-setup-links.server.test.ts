import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { emails, passkeys, type Role, recoveryCodes, staffSetupLinks, totpSecrets } from "#app/db/schema.server.ts";
import { makeEmail, queueEmail } from "#app/email/queue-email.server.ts";
import { DAY_MS, MINUTE_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import {
  type Factors,
  factorsOf,
  hasFactor,
  hasSecondStep,
  lacksSecondStep,
  mustKeepFactor,
} from "./factors.server.ts";
import {
  endEmailedSetupLinks,
  endSetupLink,
  issueSetupLink,
  needsSetupLink,
  newSetupLink,
  openSetupLink,
} from "./staff-setup-links.server.ts";

const ORIGIN = "https://growline.example";
const NOW = Date.UTC(2027, 0, 1);
const required = { db, env: { ...env, STAFF_SECOND_FACTOR: "required" } as unknown as Env };
const NO_FACTORS = { passkeys: [], hasTotp: false, recoveryCodesLeft: 0 };
const PASSKEY = { id: "", name: "", isSynced: false, isSecondFactor: false, createdAt: 1, lastUsedAt: null };
type Case = { who: string; viewer: Partial<Viewer>; factors: Partial<Factors>; needs: boolean };
const CUSTOMER = {
  userId: "",
  sessionId: "",
  email: "",
  fullName: "",
  role: "customer",
  isHeld: false,
  verifiedAt: 1,
  secondFactorAt: null,
  emailConfirmed: true,
} as const;

test("stores a link for a day in place of an earlier one, even of one that was opened", async () => {
  const { userId } = await accountWithoutPassword({ role: "agent" });
  const first = await issue(userId, { isEmailed: true });
  expect(await rowOf(userId)).toEqual({
    userId,
    tokenDigest: sha256(first),
    isEmailed: true,
    sessionId: null,
    expiresAt: NOW + DAY_MS,
  });
  expect(await openSetupLink(db, { userId, sessionId: "one" }, first, NOW)).toBe(true);
  const second = await issue(userId, { isEmailed: false }, NOW + 5);
  const stored = { tokenDigest: sha256(second), isEmailed: false, sessionId: null, expiresAt: NOW + 5 + DAY_MS };
  expect(await rowOf(userId)).toMatchObject(stored);
  expect(await openSetupLink(db, { userId, sessionId: "one" }, first, NOW + 5)).toBe(false);
});

test("leads to the two-step login page", () => {
  const { link } = newSetupLink(db, "anybody", { origin: ORIGIN, isEmailed: true });
  expect(link).toMatch(/^https:\/\/growline\.example\/account\/two-step\?link=[\w-]{43}$/);
});

test("opens once, by the account's own session and before it expires", async () => {
  const [{ userId }, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  const token = await issue(userId);
  await issue(other.userId);
  const mine = { userId, sessionId: "mine" };
  const before = await rowOf(userId);
  expect(await openSetupLink(db, { ...mine, userId: other.userId }, token, NOW)).toBe(false);
  expect(await openSetupLink(db, mine, "made-up", NOW)).toBe(false);
  expect(await openSetupLink(db, mine, token, NOW + DAY_MS)).toBe(false);
  expect(await rowOf(userId)).toEqual(before);
  expect(await openSetupLink(db, mine, token, NOW + DAY_MS - 1)).toBe(true);
  const opened = { sessionId: "mine", expiresAt: NOW + DAY_MS - 1 + 30 * MINUTE_MS };
  expect(await rowOf(userId)).toMatchObject(opened);
  for (const sessionId of ["mine", "another"]) {
    expect(await openSetupLink(db, { userId, sessionId }, token, NOW + DAY_MS - 1)).toBe(false);
  }
  expect(await rowOf(userId)).toMatchObject(opened);
  expect(await rowOf(other.userId)).toMatchObject({ sessionId: null });
});

test("cancels the unfinished setup of an app when it opens, and neither a confirmed app nor another account's", async () => {
  const [mine, confirmed, other] = [
    await accountWithoutPassword(),
    await accountWithoutPassword(),
    await accountWithoutPassword(),
  ];
  for (const { userId } of [mine, confirmed, other]) {
    const confirmedAt = userId === confirmed.userId ? 1 : null;
    await db.insert(totpSecrets).values({ userId, sealedSecret: "", createdAt: 1, confirmedAt });
  }
  const setups = () =>
    Promise.all([mine, confirmed, other].map(({ userId }) => db.$count(totpSecrets, eq(totpSecrets.userId, userId))));
  const token = await issue(mine.userId);
  await openSetupLink(db, { userId: mine.userId, sessionId: "one" }, "made-up", NOW);
  expect(await setups()).toEqual([1, 1, 1]);
  await openSetupLink(db, { userId: mine.userId, sessionId: "one" }, token, NOW);
  expect(await setups()).toEqual([0, 1, 1]);
  await openSetupLink(db, { userId: confirmed.userId, sessionId: "two" }, await issue(confirmed.userId), NOW);
  expect(await setups()).toEqual([0, 1, 1]);

  // Opening it once more doesn't cancel the setup that it allowed.
  await db.insert(totpSecrets).values({ userId: mine.userId, sealedSecret: "", createdAt: 1 });
  await openSetupLink(db, { userId: mine.userId, sessionId: "one" }, token, NOW + 1);
  expect(await setups()).toEqual([1, 1, 1]);
});

test("asks staff without a factor for a link until their session opened one, for half an hour", async () => {
  const [{ userId }, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  const viewer = { ...CUSTOMER, userId, sessionId: "mine", role: "agent" } as const;
  const needs = (change: object = {}, now = NOW) => needsSetupLink(required, { ...viewer, ...change }, NO_FACTORS, now);
  expect(await needs()).toBe(true);
  const token = await issue(userId);
  expect(await needs()).toBe(true);
  await openSetupLink(db, viewer, token, NOW);
  expect(await needs()).toBe(false);
  expect(await needs({}, NOW + 30 * MINUTE_MS - 1)).toBe(false);
  expect(await needs({}, NOW + 30 * MINUTE_MS)).toBe(true);
  expect(await needs({ sessionId: "another" })).toBe(true);
  expect(await needs({ userId: other.userId })).toBe(true);
});

test.for<Case>([
  { who: "an agent", viewer: { role: "agent" }, factors: {}, needs: true },
  { who: "a held session", viewer: { role: "customer", isHeld: true }, factors: {}, needs: true },
  { who: "a customer", viewer: { role: "customer" }, factors: {}, needs: false },
  { who: "an agent with an app", viewer: { role: "agent" }, factors: { hasTotp: true }, needs: false },
  { who: "an agent with a passkey", viewer: { role: "agent" }, factors: { passkeys: [PASSKEY] }, needs: false },
  { who: "an agent with codes alone", viewer: { role: "agent" }, factors: { recoveryCodesLeft: 9 }, needs: true },
])("asks $who for a setup link: $needs", async ({ viewer, factors, needs }) => {
  const person = { ...CUSTOMER, userId: crypto.randomUUID(), ...viewer };
  const owned = { ...NO_FACTORS, ...factors };
  expect(await needsSetupLink(required, person, owned)).toBe(needs);
  const off = { db, env: { ...env, STAFF_SECOND_FACTOR: "off" } as Env };
  expect(await needsSetupLink(off, person, owned)).toBe(false);
});

test("issues a link to an account by its address in any case, unless it has a factor or doesn't exist", async () => {
  const [account, withApp] = [await accountWithoutPassword(), await accountWithoutPassword()];
  const values = { userId: withApp.userId, sealedSecret: "", createdAt: 1, confirmedAt: 1 };
  await db.insert(totpSecrets).values(values);
  const link = await issueSetupLink(db, ` ${account.email.toUpperCase()} `, ORIGIN);
  const token = new URL(link ?? "").searchParams.get("link") ?? "";
  expect(await rowOf(account.userId)).toMatchObject({ tokenDigest: sha256(token), isEmailed: false });
  expect(await issueSetupLink(db, withApp.email, ORIGIN)).toBeNull();
  expect(await rowOf(withApp.userId)).toBeUndefined();
  expect(await issueSetupLink(db, "nobody@test.example", ORIGIN)).toBeNull();
});

test("ends the link of one account", async () => {
  const [mine, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  for (const { userId } of [mine, other]) await issue(userId);
  await endSetupLink(db, mine.userId);
  expect([await rowOf(mine.userId), await rowOf(other.userId)]).toEqual([undefined, expect.anything()]);
});

test("ends emailed links with their queued emails, and neither an operator's nor another account's", async () => {
  const [emailed, given, other] = [
    await accountWithoutPassword(),
    await accountWithoutPassword(),
    await accountWithoutPassword(),
  ];
  for (const { userId, email: to } of [emailed, given, other]) {
    await issue(userId, { isEmailed: userId !== given.userId });
    const content = { to, subject: "", text: "", html: "" };
    await queueEmail(db, await makeEmail(env, "staff_setup", content, { userId }));
  }
  for (const { userId } of [emailed, given]) await db.batch(endEmailedSetupLinks(db, sql`(${userId})`));
  const left = async ({ userId }: { userId: string }) => [
    (await rowOf(userId)) !== undefined,
    await db.$count(emails, eq(emails.userId, userId)),
  ];
  expect([await left(emailed), await left(given), await left(other)]).toEqual([
    [false, 0],
    [true, 0],
    [true, 1],
  ]);
});

test("lists the account's own factors, oldest passkey first, and counts unused codes", async () => {
  const [mine, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  const columns = { publicKey: "", signCount: 0, deviceType: "multiDevice", backedUp: true } as const;
  for (const { userId } of [mine, other]) {
    for (const [createdAt, name] of [
      [2, "Second"],
      [1, "First"],
    ] as const) {
      const own = { id: `${userId}-${name}`, userId, name, createdAt, isSecondFactor: createdAt === 1 };
      await db.insert(passkeys).values({ ...columns, ...own, lastUsedAt: createdAt + 5 });
    }
    for (const usedAt of [null, 1, null]) {
      await db.insert(recoveryCodes).values({ digest: crypto.randomUUID(), userId, createdAt: 1, usedAt });
    }
    const confirmedAt = userId === mine.userId ? null : 1;
    await db.insert(totpSecrets).values({ userId, sealedSecret: "", createdAt: 1, confirmedAt });
  }
  const listed = (name: string, createdAt: number) => ({
    id: `${mine.userId}-${name}`,
    name,
    isSynced: true,
    isSecondFactor: createdAt === 1,
    createdAt,
    lastUsedAt: createdAt + 5,
  });
  expect(await factorsOf(db, mine.userId)).toEqual({
    passkeys: [listed("First", 1), listed("Second", 2)],
    hasTotp: false,
    recoveryCodesLeft: 2,
  });
  expect(await factorsOf(db, other.userId)).toMatchObject({ hasTotp: true });
});

test.for([
  { what: "no factor", passkeys: [], hasTotp: false, step: false, any: false },
  { what: "an app", passkeys: [], hasTotp: true, step: true, any: true },
  { what: "a passkey for log-in alone", passkeys: [false], hasTotp: false, step: false, any: true },
  { what: "a passkey for the second step too", passkeys: [false, true], hasTotp: false, step: true, any: true },
])("asks an account with $what for a second step: $step", ({ passkeys, hasTotp, step, any }) => {
  const factors = {
    ...NO_FACTORS,
    hasTotp,
    passkeys: passkeys.map((isSecondFactor) => ({ ...PASSKEY, isSecondFactor })),
  };
  expect([hasSecondStep(factors), hasFactor(factors)]).toEqual([step, any]);
  expect(lacksSecondStep(CUSTOMER, factors)).toBe(step);
  expect(lacksSecondStep({ ...CUSTOMER, isHeld: true }, factors)).toBe(any);
  for (const isHeld of [true, false]) {
    expect(lacksSecondStep({ ...CUSTOMER, isHeld, secondFactorAt: 1 }, factors)).toBe(false);
  }
});

test("keeps the last factor of staff and of held sessions, where staff need one", () => {
  const keeps = (setting: string, role: Role, isHeld: boolean) =>
    mustKeepFactor({ ...env, STAFF_SECOND_FACTOR: setting } as unknown as Env, { ...CUSTOMER, role, isHeld });
  expect(keeps("required", "agent", false)).toBe(true);
  expect(keeps("required", "customer", true)).toBe(true);
  expect(keeps("required", "customer", false)).toBe(false);
  expect(keeps("off", "admin", true)).toBe(false);
});

/** Stores a new link and returns its token. */
async function issue(userId: string, { isEmailed = true } = {}, now = NOW): Promise<string> {
  const { link, statement } = newSetupLink(db, userId, { origin: ORIGIN, isEmailed }, now);
  await statement;
  return new URL(link).searchParams.get("link") ?? "";
}

async function rowOf(userId: string) {
  const [row] = await db.select().from(staffSetupLinks).where(eq(staffSetupLinks.userId, userId));
  return row;
}
