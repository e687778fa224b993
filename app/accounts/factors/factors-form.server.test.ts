import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { emails, passkeys, securityEvents } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { factorsOf } from "./factors.server.ts";
import { type FactorsResult, submitFactorsForm } from "./factors-form.server.ts";
import { removePasskey, removeTotp } from "./remove-factor.server.ts";
import { pendingTotpSetup } from "./totp.server.ts";

const context = loadContext();

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
  expect(await submit(account, { intent: "remove-passkey", id }, true)).toMatchObject({ status: 400 });
  await addTotp(account);
  const both = await Promise.all([removePasskey(db, account.userId, id, true), removeTotp(db, account.userId, true)]);
  expect(both.filter(({ ok }) => ok)).toHaveLength(1);
});

async function submit(
  { userId, email, sessionId }: SignedInAccount,
  fields: Record<string, string>,
  mustKeepOne = false,
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const account = {
    userId,
    email,
    sessionId,
    fullName: "",
    role: "customer",
    isHeld: false,
    emailConfirmed: true,
  } as const;
  const viewer = { ...account, verifiedAt: Date.now(), secondFactorAt: null };
  const request = new Request("https://growline.example/account/two-step");
  return submitFactorsForm({ context, request, viewer, form, mustKeepOne });
}

async function addTotp(account: SignedInAccount): Promise<string[]> {
  await submit(account, { intent: "start-totp" });
  const setup = await pendingTotpSetup(db, env, account);
  const code = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") }).generate();
  const outcome = await submit(account, { intent: "confirm-totp", code });
  const result: FactorsResult | null = outcome?.kind === "shown" ? outcome.result : null;
  return result?.codes ?? [];
}

async function storePasskey({ userId }: SignedInAccount): Promise<string> {
  const id = crypto.randomUUID();
  const row = { id, userId, publicKey: "", signCount: 0, name: "Key", createdAt: 1 };
  await db.insert(passkeys).values({ ...row, deviceType: "singleDevice", backedUp: false, isSecondFactor: true });
  return id;
}

function requestOf({ cookie }: SignedInAccount): Request {
  return new Request("https://growline.example/dashboard", { headers: { Cookie: cookie } });
}

function eventsOf({ userId }: SignedInAccount) {
  return db.select().from(securityEvents).where(eq(securityEvents.userId, userId)).orderBy(securityEvents.id);
}

function emailsOf({ userId }: SignedInAccount) {
  return db.select().from(emails).where(eq(emails.userId, userId));
}
