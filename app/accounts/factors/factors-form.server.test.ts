import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import {
  authSessions,
  emails,
  newDeviceAlerts,
  passkeys,
  recoveryCodes,
  securityEvents,
  totpSecrets,
} from "#app/db/schema.server.ts";
import { CONFIRM_EMAIL_FIRST } from "#app/email/confirmed-email.server.ts";
import { SESSION_ENDED } from "#app/http/responses/session-ended.ts";
import { SoftwareAuthenticator } from "#tests/stand-ins/software-authenticator.ts";
import { db } from "#tests/workerd/customer.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { type SignedInAccount, signedIn, startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { endSessionsWithoutFactor } from "./factor-changes.server.ts";
import { CODE_ERRORS, LAST_FACTOR } from "./factor-texts.ts";
import { factorsOf } from "./factors.server.ts";
import { type FactorsResult, submitFactorsForm } from "./factors-form.server.ts";
import { browserOf } from "./passkey-challenges.server.ts";
import { REGISTRATION_ERRORS, registrationOptions } from "./passkeys.server.ts";
import { removePasskey, removeTotp } from "./remove-factor.server.ts";
import { pendingTotpSetup } from "./totp.server.ts";

const ORIGIN = "https://growline.example";
const context = loadContext({ env: { ...env, PUBLIC_ORIGIN: ORIGIN } });

test("adds an authenticator app, shows ten codes once, and records and emails it", async () => {
  const account = await signedIn();
  const codes = await addTotp(account);
  expect(codes).toHaveLength(10);
  expect(await factorsOf(db, account.userId)).toEqual({ passkeys: [], hasTotp: true, recoveryCodesLeft: 10 });
  expect(await eventsOf(account)).toMatchObject([{ kind: "factor_added", detail: { factor: "Authenticator app" } }]);
  expect(await emailsOf(account)).toMatchObject([{ kind: "factor_notice", recipient: account.email }]);
  const viewer = await readViewer(requestOf(account), context);
  expect(viewer?.secondFactorAt).toEqual(expect.any(Number));
});

test("refuses a wrong code of a new app", async () => {
  const account = await signedIn();
  await submit(account, { intent: "start-totp" });
  expect(await submit(account, { intent: "confirm-totp", code: "000000" })).toMatchObject({ status: 400 });
  expect(await factorsOf(db, account.userId)).toMatchObject({ hasTotp: false, recoveryCodesLeft: 0 });
  await submit(account, { intent: "cancel-totp" });
  expect(await pendingTotpSetup(db, env, account)).toBeNull();
});

test("replaces the recovery codes of an account that has a factor, and of no other", async () => {
  const account = await signedIn();
  expect(await submit(account, { intent: "new-codes" })).toBeNull();
  const first = await addTotp(account);
  const outcome = await submit(account, { intent: "new-codes" });
  const fresh = outcome?.kind === "shown" ? (outcome.result.codes ?? []) : [];
  expect(fresh).toHaveLength(10);
  expect(fresh.filter((code) => first.includes(code))).toEqual([]);
});

test("removes and renames the owner's passkeys only, and the codes with the last factor", async () => {
  const [mine, other] = [await signedIn(), await signedIn()];
  const id = await storePasskey(mine);
  expect(await submit(other, { intent: "remove-passkey", id })).toBeNull();
  expect(await submit(other, { intent: "change-passkey", id, name: "Stolen" })).toBeNull();
  expect(await submit(mine, { intent: "change-passkey", id, name: "Phone" })).toMatchObject({ kind: "done" });
  await addTotp(mine);
  expect(await submit(mine, { intent: "remove-totp" })).toMatchObject({ kind: "done" });
  expect(await factorsOf(db, mine.userId)).toMatchObject({ recoveryCodesLeft: 10, passkeys: [{ name: "Phone" }] });
  const removed = await submit(mine, { intent: "remove-passkey", id });
  expect(removed).toMatchObject({ kind: "done", message: "Passkey “Phone” removed." });
  expect(await factorsOf(db, mine.userId)).toEqual({ passkeys: [], hasTotp: false, recoveryCodesLeft: 0 });
  const kinds = (await eventsOf(mine)).map(({ kind }) => kind);
  expect(kinds).toEqual(["factor_added", "factor_removed", "factor_removed"]);
});

test("keeps the last factor of somebody who needs one, when both are removed at once too", async () => {
  const account = await signedIn("admin");
  const id = await storePasskey(account);
  expect(await submit(account, { intent: "remove-passkey", id }, { mustKeepOne: true })).toMatchObject({ status: 400 });
  await addTotp(account);
  const both = await Promise.all([removePasskey(db, account, id, true), removeTotp(db, account, true)]);
  expect(both.filter(({ ok }) => ok)).toHaveLength(1);
});

test.for([
  { checked: "on", isSecondFactor: true },
  { checked: undefined, isSecondFactor: false },
])(
  "adds a passkey of this browser, with a link that rejects it: $isSecondFactor",
  async ({ checked, isSecondFactor }) => {
    const account = await cheaplySignedIn();
    const { browser } = await browserOf(context.env, newVisit());
    const fields = async (name: string) => {
      const { options, challengeId } = await registrationOptions(context, newVisit(), account, browser);
      const credential = await (await SoftwareAuthenticator.create()).register(options, { origin: ORIGIN });
      const typed = { intent: "passkey", name, challengeId, credential: JSON.stringify(credential) };
      return { ...typed, ...(checked && { isSecondFactor: checked }) };
    };
    const sent = await fields(" Phone ");
    expect(await submit(account, sent)).toMatchObject({
      status: 400,
      result: { ok: false, message: REGISTRATION_ERRORS.expired, values: { name: " Phone " } },
    });
    expect(await alertsOf(account)).toEqual([]);
    expect(await submit(account, { ...sent, name: " " }, { passkeyBrowser: browser })).toMatchObject({
      status: 400,
      result: { fieldErrors: { name: "Enter a name" } },
    });
    const added = await submit(account, sent, { passkeyBrowser: browser });
    expect(added).toMatchObject({ status: 200, result: { intent: "passkey", ok: true, message: "Passkey added." } });
    expect(added?.kind === "shown" && added.result.codes).toHaveLength(10);
    expect((await factorsOf(db, account.userId)).passkeys).toMatchObject([{ name: "Phone", isSecondFactor }]);
    expect(await alertsOf(account)).toMatchObject([{ subject: "factor" }]);
    // The account has codes by now.
    const second = await submit(account, await fields("Key"), { passkeyBrowser: browser });
    expect(second).toEqual({
      kind: "shown",
      status: 200,
      result: { intent: "passkey", ok: true, message: "Passkey added." },
    });
    expect(await factorsOf(db, account.userId)).toMatchObject({ recoveryCodesLeft: 10 });
  },
);

test("refuses to set up an app before the address is confirmed, and a second one", async () => {
  const [account, owner] = [await cheaplySignedIn({ emailConfirmedAt: null }), await cheaplySignedIn()];
  expect(await submit(account, { intent: "start-totp" }, { emailConfirmed: false })).toMatchObject({
    status: 403,
    result: { intent: "start-totp", ok: false, message: CONFIRM_EMAIL_FIRST },
  });
  const started = await submit(owner, { intent: "start-totp" });
  expect(started).toEqual({ kind: "shown", status: 200, result: { intent: "start-totp", ok: true } });
  await db.update(totpSecrets).set({ confirmedAt: 1 }).where(eq(totpSecrets.userId, owner.userId));
  expect(await submit(owner, { intent: "start-totp" })).toBeNull();
});

test("leaves no link about an app that was not added, and repeats no code", async () => {
  const account = await cheaplySignedIn();
  await submit(account, { intent: "start-totp" });
  for (const [code, error] of [
    ["", "Enter a code"],
    ["000000", CODE_ERRORS.wrong_setup_code],
  ] as const) {
    const refused = await submit(account, { intent: "confirm-totp", code });
    expect(refused).toMatchObject({ status: 400, result: { fieldErrors: { code: error } } });
    expect(JSON.stringify(refused)).not.toContain("000000");
  }
  expect(await alertsOf(account)).toEqual([]);
  expect(await submit(account, { intent: "cancel-totp" })).toEqual({ kind: "done", message: "Setup canceled." });
  expect(await submit(account, { intent: "unknown" })).toBeNull();
});

test("shows no codes with a new app while one earlier code is left", async () => {
  const account = await cheaplySignedIn();
  await db.insert(recoveryCodes).values({ digest: account.userId, userId: account.userId, createdAt: 1 });
  expect(await addTotp(account)).toEqual([]);
  expect(await factorsOf(db, account.userId)).toMatchObject({ hasTotp: true, recoveryCodesLeft: 1 });
  expect(await alertsOf(account)).toMatchObject([{ subject: "factor" }]);
});

test("shows no codes that were not stored, because the session ended after the app was added", async () => {
  const account = await cheaplySignedIn();
  await submit(account, { intent: "start-totp" });
  const setup = await pendingTotpSetup(db, env, account);
  const code = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") }).generate();
  // The app itself is added by one statement alone.
  const endedMeanwhile = Object.assign(Object.create(db), {
    batch: async (statements: Parameters<typeof db.batch>[0]) => {
      await db.update(authSessions).set({ revokedAt: 1 }).where(eq(authSessions.id, account.sessionId));
      return db.batch(statements);
    },
  });
  expect(await submit(account, { intent: "confirm-totp", code }, { through: endedMeanwhile })).toEqual({
    kind: "shown",
    status: 200,
    result: { intent: "confirm-totp", ok: true, message: "Authenticator app added." },
  });
  expect(await factorsOf(db, account.userId)).toMatchObject({ hasTotp: true, recoveryCodesLeft: 0 });
});

test("replaces the codes with a link that rejects them, and nothing in a session that has ended", async () => {
  const account = await cheaplySignedIn();
  await storePasskey(account);
  const replaced = await submit(account, { intent: "new-codes" });
  expect(replaced).toMatchObject({
    status: 200,
    result: { intent: "new-codes", ok: true, message: "Your earlier codes no longer work." },
  });
  expect(await alertsOf(account)).toHaveLength(1);
  expect(await eventsOf(account)).toMatchObject([{ kind: "factor_added", detail: { factor: "Recovery codes" } }]);
  const digests = () => db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, account.userId));
  const before = await digests();
  await db.update(authSessions).set({ revokedAt: 1 }).where(eq(authSessions.id, account.sessionId));
  expect(await submit(account, { intent: "new-codes" })).toMatchObject({
    status: 401,
    result: { intent: "new-codes", ok: false, message: SESSION_ENDED },
  });
  expect(await digests()).toEqual(before);
  expect(await alertsOf(account)).toHaveLength(1);
});

test("ends the other sessions that took no second step once a passkey is asked for, and no others", async () => {
  const [account, other] = [await cheaplySignedIn(), await cheaplySignedIn()];
  const start = (userId: string, secondFactorAt: number | null) => startSession(db, { userId, secondFactorAt });
  const [alone, stepped] = [await start(account.userId, null), await start(account.userId, 1)];
  const id = await storePasskey(account, false);
  const change = { intent: "change-passkey", id, name: "Phone" };
  expect(await submit(account, { ...change, name: "" })).toMatchObject({
    status: 400,
    result: { fieldErrors: { name: "Enter a name" } },
  });
  expect(await submit(account, change)).toEqual({ kind: "done", message: "Passkey saved." });
  const running = async () => {
    const rows = await db.select().from(authSessions).where(eq(authSessions.userId, account.userId));
    return rows.flatMap((row) => (row.revokedAt === null ? [row.id] : [])).sort();
  };
  expect(await running()).toEqual([account.sessionId, alone, stepped].sort());
  const work: Promise<unknown>[] = [];
  const waitUntil = (one: Promise<unknown>) => void work.push(one);
  expect(await submit(account, { ...change, isSecondFactor: "on" }, { waitUntil })).toMatchObject({ kind: "done" });
  expect((await factorsOf(db, account.userId)).passkeys).toMatchObject([{ name: "Phone", isSecondFactor: true }]);
  expect(await running()).toEqual([account.sessionId, stepped].sort());
  await Promise.all(work);
  expect(await eventsOf(account)).toMatchObject([{ kind: "sessions_ended" }]);
  // Nothing is left to end.
  const call = { context: loadContext({ waitUntil }), visit: newVisit(), viewer: viewerOf(account) };
  await endSessionsWithoutFactor(call, await factorsOf(db, account.userId));
  await Promise.all(work);
  expect(await eventsOf(account)).toHaveLength(1);
  const [theirs] = await db.select().from(authSessions).where(eq(authSessions.id, other.sessionId));
  expect(theirs?.revokedAt).toBeNull();
});

test("says what was removed, and why the last factor was not", async () => {
  const [account, other] = [await cheaplySignedIn(), await cheaplySignedIn()];
  await storePasskey(other);
  await db.insert(totpSecrets).values({ userId: account.userId, sealedSecret: "", createdAt: 1, confirmedAt: 1 });
  const removal = { intent: "remove-totp" };
  expect(await submit(account, removal, { mustKeepOne: true })).toEqual({
    kind: "shown",
    status: 400,
    result: { intent: "remove-totp", ok: false, message: LAST_FACTOR, values: {} },
  });
  expect(await eventsOf(account)).toEqual([]);
  expect(await submit(account, removal)).toEqual({ kind: "done", message: "Authenticator app removed." });
  expect(await submit(account, removal)).toBeNull();
  expect(await eventsOf(account)).toMatchObject([{ kind: "factor_removed", detail: { factor: "Authenticator app" } }]);
});

async function submit(
  account: Owner,
  fields: Record<string, string>,
  {
    mustKeepOne = false,
    passkeyBrowser = "",
    emailConfirmed = true,
    waitUntil = context.waitUntil,
    through = db,
  }: {
    through?: typeof db;
    mustKeepOne?: boolean;
    passkeyBrowser?: string;
    emailConfirmed?: boolean;
    waitUntil?: (work: Promise<unknown>) => void;
  } = {},
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const viewer = { ...viewerOf(account), emailConfirmed };
  const visit = newVisit({ passkeyBrowser });
  return submitFactorsForm({ context: { ...context, db: through, waitUntil }, visit, viewer, form, mustKeepOne });
}

type Owner = Pick<SignedInAccount, "userId" | "email" | "sessionId">;

function viewerOf({ userId, email, sessionId }: Owner) {
  const account = { userId, email, sessionId, fullName: "", role: "customer", isHeld: false } as const;
  return { ...account, emailConfirmed: true, verifiedAt: Date.now(), secondFactorAt: null };
}

/** Returns an account without a password, in a session. */
async function cheaplySignedIn(given: Parameters<typeof accountWithoutPassword>[0] = {}): Promise<Owner> {
  const account = await accountWithoutPassword(given);
  const sessionId = await startSession(db, { userId: account.userId });
  return { ...account, sessionId };
}

async function addTotp(account: Owner): Promise<string[]> {
  await submit(account, { intent: "start-totp" });
  const setup = await pendingTotpSetup(db, env, account);
  const code = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") }).generate();
  const outcome = await submit(account, { intent: "confirm-totp", code });
  const result: FactorsResult | null = outcome?.kind === "shown" ? outcome.result : null;
  return result?.codes ?? [];
}

async function storePasskey({ userId }: Owner, isSecondFactor = true): Promise<string> {
  const id = crypto.randomUUID();
  const row = { id, userId, publicKey: "", signCount: 0, name: "Key", createdAt: 1, isSecondFactor };
  await db.insert(passkeys).values({ ...row, deviceType: "singleDevice", backedUp: false });
  return id;
}

function requestOf({ cookie }: SignedInAccount): Request {
  return new Request("https://growline.example/dashboard", { headers: { Cookie: cookie } });
}

function alertsOf({ userId }: Owner) {
  return db.select().from(newDeviceAlerts).where(eq(newDeviceAlerts.userId, userId));
}

function eventsOf({ userId }: Owner) {
  return db.select().from(securityEvents).where(eq(securityEvents.userId, userId)).orderBy(securityEvents.id);
}

function emailsOf({ userId }: SignedInAccount) {
  return db.select().from(emails).where(eq(emails.userId, userId));
}
