import { env } from "cloudflare:workers";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { rememberDevice } from "#app/accounts/devices/known-devices.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { spendFactorCode } from "./factor-code.server.ts";
import { newRecoveryCodes } from "./recovery-codes.server.ts";
import { confirmTotp, startTotpSetup } from "./totp.server.ts";

const NOW = Date.UTC(2026, 0, 1);
const STEP_MS = 30_000;
const visit = newVisit({ network: "203.0.113.7" });

test("reads six digits as a code of the app and all else as a recovery code", async () => {
  const { userId, code, recovery } = await account();
  const now = NOW + STEP_MS;
  const typed = code(now).replace(/^.../, "$& ");
  expect(await spend(userId, typed, now)).toEqual({ ok: true, factor: "totp" });
  expect(await spend(userId, recovery, now)).toEqual({ ok: true, factor: "recovery_code" });
  expect(await spend(userId, recovery, now)).toEqual({ ok: false, reason: "wrong_code" });
});

test("refuses the right code after five wrong ones, while a recovery code still passes", async () => {
  const { userId, code, recovery } = await account();
  const now = NOW + STEP_MS;
  for (let i = 0; i < 5; i++) expect(await spend(userId, "000000", now)).toMatchObject({ reason: "wrong_code" });
  expect(await spend(userId, code(now), now)).toEqual({ ok: false, reason: "too_many", retryAfterSeconds: 900 });
  expect(await spend(userId, recovery, now)).toMatchObject({ ok: true });
  const later = now + 15 * 60_000;
  expect(await spend(userId, code(later), later)).toMatchObject({ ok: true });
});

test("counts on a known device apart, so that strangers can't use up the owner's attempts", async () => {
  const { userId, code } = await account();
  const now = NOW + STEP_MS;
  const owners = await knownVisit(userId, now);
  for (let i = 0; i < 5; i++) await spend(userId, "000000", now);
  expect(await spend(userId, code(now), now)).toMatchObject({ reason: "too_many" });
  expect(await spendFactorCode({ db, env }, owners, userId, code(now), now)).toEqual({ ok: true, factor: "totp" });
});

test("accepts twenty wrong codes a day at most", async () => {
  const { userId } = await account();
  let wrong = 0;
  for (let i = 0; i < 30; i++) {
    const spent = await spend(userId, "000000", NOW + i * 10 * 60_000);
    if (!spent.ok && spent.reason === "wrong_code") wrong++;
  }
  expect(wrong).toBe(20);
});

test("accepts sixty wrong codes a day at most from all known devices of a thief together", async () => {
  const { userId } = await account();
  let wrong = 0;
  for (let device = 0; device < 4; device++) {
    const thiefs = await knownVisit(userId, NOW);
    for (let i = 0; i < 20; i++) {
      const spent = await spendFactorCode({ db, env }, thiefs, userId, "000000", NOW + Math.floor(i / 5) * 15 * 60_000);
      if (!spent.ok && spent.reason === "wrong_code") wrong++;
    }
  }
  expect(wrong).toBe(60);
});

test.for([
  { what: "a browser", max: 20, devices: 1 },
  { what: "the account", max: 60, devices: 3 },
])("accepts codes again a day after $max wrong ones of $what", async ({ devices }) => {
  const { userId, code } = await account();
  const visits: Visit[] = [];
  for (let i = 0; i < devices; i++) visits.push(await knownVisit(userId, NOW));
  for (const from of visits) {
    for (let i = 0; i < 20; i++) {
      await spendFactorCode({ db, env }, from, userId, "000000", NOW + Math.floor(i / 5) * 15 * 60_000);
    }
  }
  const fresh = await knownVisit(userId, NOW);
  const [from = fresh] = devices === 1 ? visits : [fresh];
  const tried = (now: number) => spendFactorCode({ db, env }, from, userId, code(now), now);
  const end = NOW + 24 * 60 * 60_000;
  expect(await tried(end - 1)).toEqual({ ok: false, reason: "too_many", retryAfterSeconds: 1 });
  expect(await tried(end)).toEqual({ ok: true, factor: "totp" });
});

test("counts anew after a right code", async () => {
  const { userId, code } = await account();
  const now = NOW + STEP_MS;
  for (let i = 0; i < 4; i++) await spend(userId, "000000", now);
  expect(await spend(userId, code(now), now)).toMatchObject({ ok: true });
  for (let i = 0; i < 5; i++) expect(await spend(userId, "000000", now)).toMatchObject({ reason: "wrong_code" });
});

test("reads thirty recovery codes per network address and 15 minutes", async () => {
  const [first, { userId, recovery }] = [await account(), await account()];
  const from = newVisit({ network: "203.0.113.80" });
  const tried = (owner: string, typed: string, now: number, by = from) =>
    spendFactorCode({ db, env }, by, owner, typed, now);
  for (let i = 0; i < 30; i++) expect(await tried(first.userId, "wrong", NOW)).toMatchObject({ reason: "wrong_code" });
  const end = NOW + 15 * 60_000;
  const refused = { ok: false, reason: "too_many", retryAfterSeconds: 1 };
  expect(await tried(userId, recovery, end - 1)).toEqual(refused);
  const right = { ok: true, factor: "recovery_code" };
  expect(await tried(userId, recovery, end - 1, newVisit())).toEqual(right);
  expect(await tried(first.userId, first.recovery, end)).toEqual(right);
});

/** A visit by a browser that the account is known to use. */
async function knownVisit(userId: string, now: number): Promise<Visit> {
  const deviceId = crypto.randomUUID();
  await db.batch(rememberDevice(db, userId, sha256(deviceId), now));
  return { ...visit, deviceId };
}

function spend(userId: string, typed: string, now: number) {
  return spendFactorCode({ db, env }, visit, userId, typed, now);
}

async function account() {
  const { userId, email } = await accountWithoutPassword();
  const owner = await ownerOf(userId);
  const setup = await startTotpSetup(db, env, { ...owner, email }, NOW);
  const totp = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") });
  const code = (timestamp: number) => totp.generate({ timestamp });
  if (!(await confirmTotp(db, env, owner, code(NOW), NOW))) throw new Error("not confirmed");
  const { codes, statements } = newRecoveryCodes(db, owner, NOW);
  await db.batch(statements);
  return { userId, code, recovery: codes[0] ?? "" };
}
