import { env } from "cloudflare:workers";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { db } from "#tests/workerd/customer.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { factorsOf } from "./factors.server.ts";
import { confirmTotp, pendingTotpSetup, spendTotpCode, startTotpSetup } from "./totp.server.ts";

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

async function confirmed(): Promise<{ userId: string; secret: string }> {
  const account = await newAccount();
  const setup = await startTotpSetup(db, env, account, NOW);
  if (!setup || !(await confirmTotp(db, env, account, codeOf(setup.secret, NOW), NOW))) throw new Error("setup");
  return { userId: account.userId, secret: setup.secret };
}

function codeOf(secret: string | undefined, timestamp: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret ?? "") }).generate({ timestamp });
}
