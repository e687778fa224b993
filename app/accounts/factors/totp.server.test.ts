import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { authSessions, totpSecrets, users } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { ownerOf, startSession } from "#tests/workerd/signed-in-account.ts";
import { factorsOf } from "./factors.server.ts";
import { cancelTotpSetup, confirmTotp, pendingTotpSetup, spendTotpCode, startTotpSetup } from "./totp.server.ts";

const STEP_MS = 30_000;
const NOW = Date.UTC(2026, 0, 1);

test("computes the codes of RFC 6238, and names the account and the product in the URL", async () => {
  const secret = Secret.fromLatin1("12345678901234567890");
  expect(new TOTP({ secret, digits: 8 }).generate({ timestamp: 59_000 })).toBe("94287082");
  const account = await newAccount();
  const setup = await startTotpSetup(db, env, account);
  const url = new URL(setup?.url ?? "");
  expect(url.protocol).toBe("otpauth:");
  expect(decodeURIComponent(url.pathname)).toContain(account.email);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    issuer: "Growline",
    secret: setup?.secret,
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
});

test("counts only once a code confirmed it, and keeps the confirmed secret", async () => {
  const account = await newAccount();
  const setup = await startTotpSetup(db, env, account, NOW);
  const code = codeOf(setup?.secret, NOW);
  expect(await factorsOf(db, account.userId)).toMatchObject({ hasTotp: false });
  expect(await spendTotpCode(db, env, account.userId, code, NOW)).toBe(false);
  expect(await pendingTotpSetup(db, env, account, NOW)).toEqual(setup);
  expect(await pendingTotpSetup(db, env, account, NOW + 60 * 60_000)).toBeNull();
  expect(await confirmTotp(db, env, account, "000000", NOW)).toBe(false);
  expect(await confirmTotp(db, env, account, code, NOW)).toBe(true);
  expect(await factorsOf(db, account.userId)).toMatchObject({ hasTotp: true });
  expect(await pendingTotpSetup(db, env, account, NOW)).toBeNull();
  expect(await startTotpSetup(db, env, account, NOW)).toBeNull();
  expect(await confirmTotp(db, env, account, codeOf(setup?.secret, NOW + STEP_MS), NOW)).toBe(false);
});

test("accepts no code twice, not the one that confirmed it either, and none of an earlier step", async () => {
  const { userId, secret } = await confirmed();
  expect(await spendTotpCode(db, env, userId, codeOf(secret, NOW), NOW)).toBe(false);
  const next = codeOf(secret, NOW + STEP_MS);
  expect(await spendTotpCode(db, env, userId, next, NOW + STEP_MS)).toBe(true);
  expect(await spendTotpCode(db, env, userId, next, NOW + STEP_MS)).toBe(false);
  expect(await spendTotpCode(db, env, userId, codeOf(secret, NOW), NOW + STEP_MS)).toBe(false);
});

test("allows a clock that is one step off, and refuses two", async () => {
  const { userId, secret } = await confirmed();
  const later = NOW + 100 * STEP_MS;
  for (const steps of [-2, 2]) {
    expect(await spendTotpCode(db, env, userId, codeOf(secret, later + steps * STEP_MS), later)).toBe(false);
  }
  for (const steps of [-1, 1]) {
    expect(await spendTotpCode(db, env, userId, codeOf(secret, later + steps * STEP_MS), later)).toBe(true);
  }
});

test("accepts a code once of ten parallel uses", async () => {
  const { userId, secret } = await confirmed();
  const now = NOW + 5 * STEP_MS;
  const code = codeOf(secret, now);
  const used = await Promise.all(Array.from({ length: 10 }, () => spendTotpCode(db, env, userId, code, now)));
  expect(used.filter(Boolean)).toHaveLength(1);
});

test("refuses the code of another account", async () => {
  const [mine, other] = [await confirmed(), await confirmed()];
  const now = NOW + 5 * STEP_MS;
  expect(await spendTotpCode(db, env, mine.userId, codeOf(other.secret, now), now)).toBe(false);
});

test("shows and confirms a setup for less than an hour, and starts over after that", async () => {
  const account = await newAccount();
  const first = await startTotpSetup(db, env, account, NOW);
  const end = NOW + 60 * 60_000;
  expect(await pendingTotpSetup(db, env, account, end - 1)).toEqual(first);
  expect(await confirmTotp(db, env, account, codeOf(first?.secret, end), end)).toBe(false);
  const second = await startTotpSetup(db, env, account, end);
  expect(second?.secret).not.toBe(first?.secret);
  expect(await confirmTotp(db, env, account, codeOf(first?.secret, end), end)).toBe(false);
  const now = end + 60 * 60_000 - 1;
  expect(await confirmTotp(db, env, account, codeOf(second?.secret, now), now)).toBe(true);
  const times = { createdAt: now, confirmedAt: now, lastStep: Math.floor(now / STEP_MS) };
  expect(await rowOf(account)).toMatchObject(times);
});

test.for(["starts", "confirms"] as const)(
  "%s no setup in an ended session or with an unconfirmed address",
  async (what) => {
    for (const reason of ["session", "address"] as const) {
      const account = await accountWithoutPassword(
        reason === "address" && what === "starts" ? { emailConfirmedAt: null } : {},
      );
      const owner = { ...account, sessionId: await startSession(db, { userId: account.userId }) };
      const other = await newAccount();
      const foreign = { ...account, sessionId: await startSession(db, { userId: other.userId }) };
      const setup = what === "confirms" ? await startTotpSetup(db, env, owner, NOW) : null;
      if (reason === "session") {
        await db.update(authSessions).set({ revokedAt: 1 }).where(eq(authSessions.id, owner.sessionId));
      } else if (what === "confirms") {
        await db.update(users).set({ emailConfirmedAt: null }).where(eq(users.id, account.userId));
      }
      for (const viewer of [owner, foreign]) {
        if (what === "starts") expect(await startTotpSetup(db, env, viewer, NOW)).toBeNull();
        else expect(await confirmTotp(db, env, viewer, codeOf(setup?.secret, NOW), NOW)).toBe(false);
      }
      expect((await rowOf(account))?.confirmedAt).toBe(what === "starts" ? undefined : null);
    }
  },
);

test("confirms and cancels the account's own setup only, and cancels no confirmed app", async () => {
  const [mine, other] = [await newAccount(), await newAccount()];
  const setup = await startTotpSetup(db, env, mine, NOW);
  const theirs = await startTotpSetup(db, env, other, NOW);
  await cancelTotpSetup(db, other.userId);
  expect(await pendingTotpSetup(db, env, other, NOW)).toBeNull();
  expect(await confirmTotp(db, env, other, codeOf(theirs?.secret, NOW), NOW)).toBe(false);
  await startTotpSetup(db, env, other, NOW);
  expect(await confirmTotp(db, env, mine, codeOf(setup?.secret, NOW), NOW)).toBe(true);
  expect(await rowOf(other)).toMatchObject({ confirmedAt: null, lastStep: null });
  await cancelTotpSetup(db, mine.userId);
  expect(await factorsOf(db, mine.userId)).toMatchObject({ hasTotp: true });
  expect(await startTotpSetup(db, env, { userId: "nobody", sessionId: "none", email: "" }, NOW)).toBeNull();
});

test("stores the step of a used code for this account alone", async () => {
  const [{ userId, secret }, other] = [await confirmed(), await confirmed()];
  const [step, now] = [NOW / STEP_MS, NOW + STEP_MS];
  expect(await spendTotpCode(db, env, "nobody", codeOf(secret, now), now)).toBe(false);
  // With a space in it, as apps show codes.
  expect(await spendTotpCode(db, env, userId, codeOf(secret, now).replace(/^.../, "$& "), now)).toBe(true);
  expect([(await rowOf({ userId }))?.lastStep, (await rowOf(other))?.lastStep]).toEqual([step + 1, step]);
});

test("refuses a wrong code of an app that was never used, and takes a right one", async () => {
  const { userId, secret } = await confirmed();
  await db.update(totpSecrets).set({ lastStep: null }).where(eq(totpSecrets.userId, userId));
  expect(await spendTotpCode(db, env, userId, "000000", NOW)).toBe(false);
  expect(await spendTotpCode(db, env, userId, codeOf(secret, NOW), NOW)).toBe(true);
});

test("binds the stored secret to its account", async () => {
  const [{ userId, secret }, other] = [await confirmed(), await confirmed()];
  const { sealedSecret = "" } = (await rowOf({ userId })) ?? {};
  expect(sealedSecret).not.toContain(secret);
  await db.update(totpSecrets).set({ sealedSecret }).where(eq(totpSecrets.userId, other.userId));
  const now = NOW + STEP_MS;
  await expect(spendTotpCode(db, env, other.userId, codeOf(secret, now), now)).rejects.toThrow();
});

async function rowOf({ userId }: { userId: string }) {
  const [row] = await db.select().from(totpSecrets).where(eq(totpSecrets.userId, userId));
  return row;
}

async function confirmed(): Promise<{ userId: string; secret: string }> {
  const account = await newAccount();
  const setup = await startTotpSetup(db, env, account, NOW);
  if (!setup || !(await confirmTotp(db, env, account, codeOf(setup.secret, NOW), NOW))) throw new Error("setup");
  return { userId: account.userId, secret: setup.secret };
}

function codeOf(secret: string | undefined, timestamp: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret ?? "") }).generate({ timestamp });
}

async function newAccount() {
  const account = await accountWithoutPassword();
  return { ...account, ...(await ownerOf(account.userId)) };
}
