import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { requestEmailChange } from "#app/accounts/email-address/email-change.server.ts";
import { submitFactorsForm } from "#app/accounts/factors/factors-form.server.ts";
import { changePassword } from "#app/accounts/profile/profile.server.ts";
import { readViewer, type Viewer } from "#app/accounts/session/viewer.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { forgetAttempts } from "#app/db/rate-limit.server.ts";
import { type EmailKind, emails, totpSecrets } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

/** All emails wait in one queue: a flood delays the reset links of everybody, and reaches people who never signed up. */

const context = loadContext({ env: withoutDispatcher(env) });

test("cannot send one stranger after another an email by asking for changes of the address", async () => {
  const viewer = await stranger();
  const ask = () =>
    requestEmailChange(context, post(), viewer, {
      newEmail: `${crypto.randomUUID()}@test.example`,
      password: PASSWORD,
    });
  const outcomes: unknown[] = [];
  for (let i = 0; i < 7; i++) outcomes.push(await ask());
  expect(outcomes.slice(0, 5)).toEqual(Array(5).fill({ ok: true }));
  expect(outcomes.slice(5)).toMatchObject(Array(2).fill({ ok: false, reason: "too_many", status: 429 }));
  expect(await countOf(viewer, "address_change_notice")).toBe(5);
});

test("cannot flood an address with notices about factors, nor hide a new factor behind them", async () => {
  const viewer = await stranger();
  await db.insert(totpSecrets).values({ userId: viewer.userId, sealedSecret: "", createdAt: 1, confirmedAt: 1 });
  for (let i = 0; i < 15; i++) await submit(viewer, { intent: "new-codes" });
  expect(await countOf(viewer, "factor_notice")).toBe(10);
  await submit(viewer, { intent: "remove-totp" });
  expect(await countOf(viewer, "factor_notice")).toBe(11);
});

test("cannot flood an address with notices about changed passwords", async () => {
  const viewer = await stranger();
  const passwords = Array.from({ length: 12 }, (_, i) => `a new good password ${i}`);
  let current = PASSWORD;
  for (const next of passwords) {
    if ((await changePassword(context, post(), viewer, { current, next })).ok) current = next;
  }
  expect(await countOf(viewer, "password_changed")).toBe(10);
  await forgetAttempts(db, { name: "password_change", who: viewer.userId });
  expect(await changePassword(context, post(), viewer, { current, next: PASSWORD })).toEqual({ ok: true });
});

/** Signs up with an address that the sign-up doesn't own. */
async function stranger(): Promise<Viewer> {
  const { cookie } = await signedIn("customer", "Stranger", null);
  const viewer = await readViewer(new Request("https://growline.example", { headers: { Cookie: cookie } }), context);
  if (!viewer) throw new Error("not signed in");
  return viewer;
}

async function submit(viewer: Viewer, fields: Record<string, string>): Promise<void> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  await submitFactorsForm({ context, visit: post(), viewer, form, mustKeepOne: false });
}

function countOf({ userId }: Viewer, kind: EmailKind): Promise<number> {
  return db.$count(emails, and(eq(emails.userId, userId), eq(emails.kind, kind)));
}

function post(): Visit {
  return newVisit({ network: "203.0.113.9" });
}
