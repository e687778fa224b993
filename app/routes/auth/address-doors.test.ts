import { env } from "cloudflare:workers";
import type { ActionFunction } from "@remix-run/cloudflare";
import bcrypt from "bcryptjs";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { requestEmailChange } from "#app/accounts/email-address/email-change.server.ts";
import { emailChangeInput } from "#app/accounts/forms/account-input.ts";
import { judgeLegacyRow, type LegacyAccount, storeLegacyAccounts } from "#app/accounts/legacy/legacy-import.server.ts";
import { searchOrders } from "#app/console/orders/list/find-orders.server.ts";
import { profiles, users } from "#app/db/schema.server.ts";
import { applyEmailEvent } from "#app/email/email-events.server.ts";
import { isSuppressed } from "#app/email/suppressions.server.ts";
import { readExistingEmail, readTypedEmail } from "#app/email-address.ts";
import forms from "#app/email-address-forms.jsonl?raw";
import { action as recover } from "#app/routes/auth/v1/recover.ts";
import { action as signup } from "#app/routes/auth/v1/signup.ts";
import { action as token } from "#app/routes/auth/v1/token.ts";
import { action as startChat } from "#app/routes/support/session.ts";
import { db } from "#tests/workerd/customer.ts";
import { emailsTo } from "#tests/workerd/email-api.ts";
import { PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { startSession } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

const ORIGIN = "https://growline.example";
const work: Promise<unknown>[] = [];
const context = loadContext({ waitUntil: (promise) => work.push(promise) });
/** One domain, as people write it, as browsers send it and as it is stored. */
const [CYRILLIC, UPPER, ASCII] = ["почта.рф", "ПОЧТА.РФ", "xn--80a1acny.xn--p1ai"];

test("reads the corpus of addresses in workerd as in Node", () => {
  for (const line of forms.trim().split("\n")) {
    const { form, typed, existing } = JSON.parse(line);
    expect({ form, typed: readTypedEmail(form), existing: readExistingEmail(form) }).toEqual({ form, typed, existing });
  }
});

test("signs up at an international domain, and logs in with either spelling of it", async () => {
  const name = crypto.randomUUID();
  const made = await post(signup, "signup", { email: ` ${name}@${CYRILLIC} `, password: PASSWORD });
  expect(made).toMatchObject({ status: 200, body: { user: { email: `${name}@${ASCII}` } } });
  for (const domain of [CYRILLIC, UPPER, ASCII, ASCII.toUpperCase()]) {
    const entered = await logIn(`${name.toUpperCase()}@${domain}`, PASSWORD);
    expect(entered).toMatchObject({ status: 200, body: { user: { id: made.body.user?.id } } });
  }
});

test("refuses a second account under another spelling of an address, and leaves the first as it was", async () => {
  const name = crypto.randomUUID();
  await post(signup, "signup", { email: `${name}@${ASCII}`, password: PASSWORD });
  const before = await accountOf(`${name}@${ASCII}`);
  const other = await post(signup, "signup", { email: `${name}@${CYRILLIC}`, password: "another good password" });
  expect(other).toMatchObject({ status: 422, body: { error_code: "user_already_exists" } });
  expect(await accountOf(`${name}@${ASCII}`)).toEqual(before);
  expect(await logIn(`${name}@${CYRILLIC}`, "another good password")).toMatchObject({ status: 400 });
});

test.for(["smith&co", "bo=shop", "bo/dept"])("signs up %s", async (name) => {
  const email = `${name}@${crypto.randomUUID()}.example`;
  expect(await post(signup, "signup", { email, password: PASSWORD })).toMatchObject({ body: { user: { email } } });
});

test.for(["bo@x-.example", "jörg@x.example", "bo@x.example, ann@x.example", "Bo <bo@x.example>"])(
  "signs up nobody as %s, and stores nothing",
  async (email) => {
    const count = await db.$count(users);
    expect(await post(signup, "signup", { email, password: PASSWORD })).toMatchObject({
      status: 400,
      body: { msg: "Enter an email address like name@example.com" },
    });
    expect(await db.$count(users)).toBe(count);
  },
);

test.for(["jörg@x-.example", '"bo"@x.example', "bo@[192.0.2.7]", "bo.@_x.example", "bo@почта.рф"])(
  "lets an imported %s log in with the old password, and reset it",
  async (address) => {
    const email = address.replace("@", `${crypto.randomUUID()}@`);
    const imported = legacyAccount(email, await bcrypt.hash("gr\u00fcne Wiese", 4));
    expect(await storeLegacyAccounts(env.DB, [imported])).toMatchObject({ stored: 1 });
    expect(await post(recover, "recover", { email })).toMatchObject({ status: 200 });
    expect(await emailsTo(imported.email)).toMatchObject([{ kind: "password_reset", userId: imported.id }]);
    // Typed on a keyboard that sends the letter as two characters.
    expect(await logIn(email, "gru\u0308ne Wiese")).toMatchObject({ status: 200, body: { user: { id: imported.id } } });
    expect(await logIn(email, "gr\u00fcne Wiese")).toMatchObject({ status: 200 });
    expect(await logIn(email, "grune Wiese")).toMatchObject({ status: 400 });
  },
);

test("answers a log-in that names no address as one that names no account", async () => {
  for (const email of ["nobody", "a@b@c.example", "nobody@почта.рф", "bo,ann@x.example"]) {
    expect(await logIn(email, PASSWORD)).toMatchObject({
      status: 400,
      body: { msg: "Invalid email or password. Please check your credentials and try again." },
    });
  }
});

test("counts the guesses at an account together, however its domain is spelled", async () => {
  const name = crypto.randomUUID();
  const limited = loadContext({ waitUntil: (promise) => work.push(promise) });
  const spellings = [CYRILLIC, UPPER, ASCII, ASCII.toUpperCase()];
  const guess = (at: number) => logIn(`${name}@${spellings[at % 4]}`, "wrong", limited, "198.51.100.7");
  for (let at = 0; at < 10; at++) expect((await guess(at)).status).toBe(400);
  expect((await guess(10)).status).toBe(429);
  expect((await guess(11)).status).toBe(429);
});

test("takes no other spelling for a new address, nor for a free one", async () => {
  const [own, taken] = [crypto.randomUUID(), crypto.randomUUID()];
  const made = await post(signup, "signup", { email: `${own}@${CYRILLIC}`, password: PASSWORD });
  await post(signup, "signup", { email: `${taken}@${CYRILLIC}`, password: PASSWORD });
  const userId = made.body.user?.id ?? "";
  const visit = newVisit();
  const viewer = { userId, email: `${own}@${ASCII}`, sessionId: await startSession(db, { userId }) };
  const change = (newEmail: string) =>
    requestEmailChange(context, visit, viewer, emailChangeInput.parse({ newEmail, password: PASSWORD }));
  expect(await change(`${own}@${UPPER}`)).toEqual({ ok: false, reason: "same_email" });
  expect(await change(`${taken}@${UPPER}`)).toEqual({ ok: false, reason: "email_taken" });
  expect(await accountOf(viewer.email)).toMatchObject([{ id: userId }]);
});

test("stops emails to an address that bounced under its other spelling", async () => {
  const name = crypto.randomUUID();
  expect(await isSuppressed(db, `${name}@${CYRILLIC}`)).toBe(false);
  await applyEmailEvent(db, {
    type: "email.bounced",
    created_at: Date.now(),
    data: { to: [`${name}@${ASCII}`], tags: {}, bounce: { type: "Permanent", message: "550 No such user" } },
  });
  for (const domain of [CYRILLIC, UPPER, ASCII]) expect(await isSuppressed(db, `${name}@${domain}`)).toBe(true);
});

test("finds a customer by either spelling of the address", async () => {
  const name = crypto.randomUUID();
  const { body } = await post(signup, "signup", { email: `${name}@${CYRILLIC}`, password: PASSWORD });
  for (const domain of [CYRILLIC, UPPER, ASCII]) {
    const found = await searchOrders(db, `${name}@${domain}`);
    expect(found?.customers).toEqual([{ userId: body.user?.id, email: `${name}@${ASCII}` }]);
  }
});

test("starts a chat with the addresses that an account may have, and no others", async () => {
  const name = crypto.randomUUID();
  const started = await post(startChat, "/support/session", { name: "Bo", email: `${name}@${CYRILLIC}` });
  expect(started).toMatchObject({ status: 200, body: { session: { user_email: `${name}@${ASCII}` } } });
  for (const email of ["bo@x-.example", "jörg@x.example", "bo", "bo@x.example,"]) {
    const refused = await post(startChat, "/support/session", { name: "Bo", email });
    expect(refused).toMatchObject({ status: 422, body: { error: "Please check your email" } });
  }
  expect(await post(startChat, "/support/session", { name: "Bo", email: "" })).toMatchObject({ status: 200 });
});

test("names the imported address of an account that signed up here, and changes nothing of it", async () => {
  const name = crypto.randomUUID();
  await post(signup, "signup", { email: `${name}@${ASCII}`, password: PASSWORD });
  const before = await accountOf(`${name}@${ASCII}`);
  const imported = legacyAccount(`${name}@${CYRILLIC}`, await bcrypt.hash("old password", 4));
  const result = { stored: 0, closed: [], taken: [`${name}@${ASCII}`] };
  expect(await storeLegacyAccounts(env.DB, [imported])).toEqual(result);
  expect(await accountOf(`${name}@${ASCII}`)).toEqual(before);
  expect(await logIn(`${name}@${CYRILLIC}`, "old password")).toMatchObject({ status: 400 });
});

type Answer = {
  status: number;
  body: { user?: { id: string; email: string }; session?: unknown; msg?: string; error_code?: string; error?: string };
};

async function post(
  route: ActionFunction,
  path: string,
  body: unknown,
  given = context,
  address?: string,
): Promise<Answer> {
  const request = new Request(new URL(path, `${ORIGIN}/auth/v1/`), {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(address && { "CF-Connecting-IP": address }) },
    body: JSON.stringify(body),
  });
  const response = (await route({ request, context: given, params: {} })) as Response;
  await Promise.all(work.splice(0));
  return { status: response.status, body: await response.json() };
}

function logIn(email: string, password: string, given = context, address?: string): Promise<Answer> {
  return post(token, "token?grant_type=password", { email, password }, given, address);
}

function accountOf(email: string) {
  return db
    .select({ id: users.id, hash: users.passwordHash, email: profiles.email, name: profiles.fullName })
    .from(users)
    .innerJoin(profiles, eq(profiles.userId, users.id))
    .where(eq(users.email, email));
}

function legacyAccount(email: string, hash: string): LegacyAccount {
  const judged = judgeLegacyRow({ email, hash }, Date.now());
  if (!judged.ok) throw new Error(judged.why);
  return judged.account;
}
