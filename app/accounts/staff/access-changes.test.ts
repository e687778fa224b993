import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import {
  auditLog,
  authSessions,
  profiles,
  type Role,
  securityEvents,
  staffSetupLinks,
  users,
} from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { accessOf, addAccess, storedAccount, WHOLE_ACCESS } from "#tests/workerd/new-account.ts";
import { type SignedInAccount, startSession, storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { type AccessChange, changeAccess, needsSetupLink, readAccess } from "./account-access.server.ts";
import { submitAccessForm } from "./account-access-form.server.ts";

const request = new Request("https://growline.example/admin/customers/x", { method: "POST" });
const work: Promise<unknown>[] = [];
const wake = vi.fn(async () => {});
const EMAIL_DISPATCHER = { getByName: () => ({ wake }) } as unknown as Env["EMAIL_DISPATCHER"];
const context = contextWith("required");
const REASON = "A good reason";
let admin: SignedInAccount;

beforeEach(async () => {
  await Promise.all(work);
  wake.mockClear();
  admin = await storedSignIn("admin");
});

const SETUP = { setupLinks: ["emailed"], queued: WHOLE_ACCESS.queued };
const NO_SETUP = { setupLinks: [], queued: WHOLE_ACCESS.queued.filter((kind) => kind !== "staff_setup") };
const NO_FACTORS = { passkeys: [], apps: [], recoveryCodes: [] };
const CHANGES: [
  from: Role,
  change: AccessChange,
  event: [kind: string, detail: object],
  detail: object,
  state: object,
  access: object,
][] = [
  ["customer", { kind: "end_sessions" }, ["sessions_ended", {}], {}, {}, SETUP],
  ["agent", { kind: "end_sessions" }, ["sessions_ended", {}], {}, {}, SETUP],
  ["customer", { kind: "suspend" }, ["suspended", {}], {}, { isSuspended: true }, SETUP],
  [
    "customer",
    { kind: "role", role: "agent" },
    ["role_changed", { role: "agent" }],
    { role: ["customer", "agent"] },
    { role: "agent" },
    NO_SETUP,
  ],
  [
    "agent",
    { kind: "role", role: "customer" },
    ["role_changed", { role: "customer" }],
    { role: ["agent", "customer"] },
    { role: "customer" },
    NO_SETUP,
  ],
  [
    "customer",
    { kind: "remove_factors" },
    ["factor_removed", {}],
    {},
    {},
    {
      ...NO_FACTORS,
      setupLinks: [],
      queued: ["address_confirmation", "factor_notice", "factor_notice", "password_reset"],
    },
  ],
  [
    "agent",
    { kind: "remove_factors" },
    ["factor_removed", {}],
    {},
    {},
    {
      ...NO_FACTORS,
      setupLinks: ["emailed"],
      queued: ["address_confirmation", "factor_notice", "factor_notice", "password_reset", "staff_setup"],
    },
  ],
];

test.for(CHANGES)("changes a %s by %o, with an audit entry and an event, and nobody else", async (row) => {
  const [role, change, [kind, eventDetail], detail, state, access] = row;
  const [target, other] = [await storedAccount(role), await storedAccount(role)];
  for (const { userId } of [target, other]) await addAccess(userId);
  const before = await stateOf(target.userId);
  expect(await changeBy(admin, target.userId, change)).toEqual({ ok: true });
  expect(await stateOf(target.userId)).toEqual({ ...before, ...state });
  expect(await accessOf(target.userId)).toEqual({ ...WHOLE_ACCESS, ...access, sessions: 0, events: [kind] });
  const [event] = await db.select().from(securityEvents).where(eq(securityEvents.userId, target.userId));
  expect(event).toMatchObject({ detail: { by: "support", ...eventDetail }, requestId: "test" });
  expect(Object.keys(event?.detail ?? {})).toHaveLength(1 + Object.keys(eventDetail).length);
  expect(await auditOf(target.userId)).toEqual([
    expect.objectContaining({
      action: `customer.${change.kind}`,
      actorId: admin.userId,
      actorName: "Test Customer",
      detail: { ...detail, reason: REASON },
    }),
  ]);
  expect([await stateOf(other.userId), await accessOf(other.userId)]).toEqual([before, WHOLE_ACCESS]);
  expect(await readAccess(db, admin.userId)).toMatchObject({ sessions: 1 });
  await Promise.all(work);
  expect(wake).toHaveBeenCalledTimes(1);
});

test("emails a new setup link to staff without the factor that is required, in place of an earlier one", async () => {
  const target = await storedAccount("agent");
  expect(await changeBy(admin, target.userId, { kind: "send_setup_link" })).toEqual({ ok: true });
  const [first] = await db.select().from(staffSetupLinks).where(eq(staffSetupLinks.userId, target.userId));
  expect(first).toMatchObject({ isEmailed: true, sessionId: null });
  expect(await changeBy(admin, target.userId, { kind: "send_setup_link" })).toEqual({ ok: true });
  const [second, ...more] = await db.select().from(staffSetupLinks).where(eq(staffSetupLinks.userId, target.userId));
  expect([second?.tokenDigest === first?.tokenDigest, more]).toEqual([false, []]);
  const { queued, events } = await accessOf(target.userId);
  expect([queued, events]).toEqual([["staff_setup"], ["sessions_ended", "sessions_ended"]]);
  const [event] = await db.select().from(securityEvents).where(eq(securityEvents.userId, target.userId));
  expect(event?.detail).toEqual({ by: "support", reason: "setup_link" });
});

test("emails a setup link to a customer without a factor who becomes staff, where one is required", async () => {
  const [one, other] = [await storedAccount(), await storedAccount()];
  const promotion = { kind: "role", role: "agent" } as const;
  expect(await changeBy(admin, one.userId, promotion)).toEqual({ ok: true });
  expect(await accessOf(one.userId)).toMatchObject({ setupLinks: ["emailed"], queued: ["staff_setup"] });
  expect(await changeBy(admin, other.userId, promotion, { in: contextWith("off") })).toEqual({ ok: true });
  expect(await accessOf(other.userId)).toMatchObject({ setupLinks: [], queued: [] });
});

test.for([
  ["agent", false, "required", true],
  ["admin", false, "required", true],
  ["customer", false, "required", false],
  ["agent", true, "required", false],
  ["agent", false, "off", false],
] as const)(
  "tells whether a %s with a factor (%s) needs a setup link where it is %s: %s",
  ([role, hasFactor, setting, needs]) => {
    expect(needsSetupLink({ ...env, STAFF_SECOND_FACTOR: setting }, { role, hasFactor })).toBe(needs);
  },
);

const UNCHANGED: [from: Role, change: AccessChange, isSuspended: boolean][] = [
  ["customer", { kind: "suspend" }, true],
  ["customer", { kind: "reactivate" }, false],
  ["agent", { kind: "role", role: "agent" }, false],
  ["customer", { kind: "remove_factors" }, false],
  ["customer", { kind: "send_setup_link" }, false],
];

test.for(UNCHANGED)("does nothing to a %s by %o, suspended before: %s", async ([role, change, isSuspended]) => {
  const { userId } = await storedAccount(role);
  if (isSuspended) await db.update(users).set({ suspendedAt: 1 }).where(eq(users.id, userId));
  expect(await changeBy(admin, userId, change)).toEqual({ ok: false, reason: "unchanged" });
  expect([await auditOf(userId), (await accessOf(userId)).events]).toEqual([[], []]);
});

test("reactivates a suspended account", async () => {
  const [{ userId }, other] = [await storedAccount(), await storedAccount()];
  for (const id of [userId, other.userId]) await db.update(users).set({ suspendedAt: 1 }).where(eq(users.id, id));
  expect(await changeBy(admin, userId, { kind: "reactivate" })).toEqual({ ok: true });
  expect([await stateOf(userId), await stateOf(other.userId)]).toMatchObject([
    { isSuspended: false },
    { isSuspended: true },
  ]);
  expect((await accessOf(userId)).events).toEqual(["reactivated"]);
});

test("makes nobody staff whose address is unconfirmed, and takes a role all the same", async () => {
  const [customer, agent] = [
    await storedAccount("customer", { emailConfirmedAt: null }),
    await storedAccount("agent", { emailConfirmedAt: null }),
  ];
  expect(await changeBy(admin, customer.userId, { kind: "role", role: "agent" })).toEqual({
    ok: false,
    reason: "email_unconfirmed",
  });
  expect(await changeBy(admin, agent.userId, { kind: "role", role: "customer" })).toEqual({ ok: true });
  expect([(await stateOf(customer.userId)).role, (await stateOf(agent.userId)).role]).toEqual(["customer", "customer"]);
});

test("refuses an actor whose session, role or account ended after the request was let in, and one that repeats", async () => {
  const { userId } = await storedAccount();
  const suspend = { kind: "suspend" } as const;
  const ended = await storedSignIn("admin");
  await db.update(authSessions).set({ revokedAt: 1 }).where(eq(authSessions.id, ended.sessionId));
  expect(await changeBy(ended, userId, suspend)).toEqual({ ok: false, reason: "session_ended" });
  const demoted = await storedSignIn("customer");
  expect(await changeBy(demoted, userId, suspend)).toEqual({ ok: false, reason: "admin_only" });
  const suspended = await storedSignIn("admin");
  await db.update(users).set({ suspendedAt: 1 }).where(eq(users.id, suspended.userId));
  expect(await changeBy(suspended, userId, suspend)).toEqual({ ok: false, reason: "admin_only" });
  expect(await stateOf(userId)).toEqual({ role: "customer", isSuspended: false });
  const once = crypto.randomUUID();
  expect(await changeBy(admin, userId, { kind: "end_sessions" }, { once })).toEqual({ ok: true });
  expect(await changeBy(admin, userId, suspend, { once })).toEqual({ ok: false, reason: "repeated" });
  expect(await stateOf(userId)).toEqual({ role: "customer", isSuspended: false });
});

test("lets an agent suspend a customer who is no more than that when it is stored", async () => {
  const [agent, customer, promoted] = [await storedSignIn("agent"), await storedAccount(), await storedAccount()];
  const acting = { as: "agent" as const };
  expect(await changeBy(agent, customer.userId, { kind: "suspend" }, acting)).toEqual({ ok: true });
  await db.update(profiles).set({ role: "agent" }).where(eq(profiles.userId, promoted.userId));
  expect(await changeBy(agent, promoted.userId, { kind: "suspend" }, acting)).toEqual({
    ok: false,
    reason: "admin_only",
  });
  // The page of an admin who was made an agent meanwhile.
  expect(await changeBy(agent, promoted.userId, { kind: "suspend" })).toEqual({ ok: false, reason: "admin_only" });
  expect(await stateOf(promoted.userId)).toMatchObject({ isSuspended: false });
});

test("reads where an account is logged in, and nothing of another or of none", async () => {
  const [target, other] = [await storedSignIn(), await storedSignIn()];
  await startSession(db, { userId: target.userId });
  const at = Date.now() + 5;
  await db.update(authSessions).set({ lastUsedAt: at }).where(eq(authSessions.id, target.sessionId));
  await db
    .update(authSessions)
    .set({ lastUsedAt: at + 9 })
    .where(eq(authSessions.id, other.sessionId));
  expect(await readAccess(db, target.userId)).toEqual({
    userId: target.userId,
    email: target.email,
    role: "customer",
    suspendedAt: null,
    emailConfirmedAt: 1,
    sessions: 2,
    lastUsedAt: at,
    hasFactor: false,
  });
  await db.update(authSessions).set({ revokedAt: 1 }).where(eq(authSessions.userId, target.userId));
  expect(await readAccess(db, target.userId)).toMatchObject({ sessions: 0, lastUsedAt: null });
  expect(await readAccess(db, "nobody")).toBeNull();
});

const FORMS: [fields: Record<string, string>, message: string][] = [
  [{ change: "end_sessions" }, "Logged out on all devices."],
  [{ change: "role", role: "admin" }, "Role changed to admin."],
  [{ change: "remove_factors" }, "Two-step login removed."],
  [{ change: "suspend" }, "Account suspended."],
  [{ change: "reactivate" }, "Account reactivated."],
  [{ change: "send_setup_link" }, "Setup link sent."],
];

test("says what each form did", async () => {
  const { userId } = await storedAccount();
  await addAccess(userId);
  for (const [fields, message] of FORMS) expect(await submit(userId, fields)).toEqual({ kind: "done", message });
});

test.for([
  ["nobody", { change: "suspend" }, 404, "Account not found."],
  ["me", { change: "suspend" }, 403, "You can't change your own access. Ask another admin."],
  ["them", { change: "reactivate" }, 409, "Nothing changed: somebody else did this already."],
  ["them", { change: "role", role: "agent" }, 409, "This person has to confirm their email address first."],
] as const)("refuses the form about %s with %o: %i", async ([who, fields, status, message]) => {
  const { userId } = await storedAccount("customer", { emailConfirmedAt: null });
  const target = { nobody: "nobody", me: admin.userId, them: userId }[who];
  expect(await submit(target, fields)).toMatchObject({ kind: "shown", status, result: { ok: false, message } });
});

test.for([
  [{ change: "role" }, { role: "Choose a role" }],
  [{ change: "role", role: "owner" }, { role: "Choose a role" }],
  [{ change: "suspend", reason: "no" }, { reason: "Enter a reason of at least 3 characters" }],
  [{ change: "suspend", once: "x" }, { once: "Reload the page and submit the form again" }],
] as const)("shows the form %o again with %o", async ([fields, fieldErrors]) => {
  const { userId } = await storedAccount();
  expect(await submit(userId, fields)).toMatchObject({
    kind: "shown",
    status: 400,
    result: { ok: false, fieldErrors },
  });
  expect(await auditOf(userId)).toEqual([]);
});

function submit(userId: string, fields: Record<string, string>) {
  const form = new FormData();
  const all = { reason: REASON, once: crypto.randomUUID(), ...fields };
  for (const [name, value] of Object.entries(all)) form.set(name, value);
  const held = { isHeld: false, verifiedAt: 1, secondFactorAt: null, emailConfirmed: true };
  const viewer: Viewer = { ...admin, ...held, fullName: "", role: "admin" };
  return submitAccessForm(context, request, viewer, userId, form);
}

/** `as`: the role that the request was let in with. */
function changeBy(
  actor: SignedInAccount,
  userId: string,
  change: AccessChange,
  given: { once?: string; as?: Role; in?: typeof context } = {},
) {
  const viewer = { ...actor, fullName: "Test Customer", role: given.as ?? ("admin" as const) };
  const once = given.once ?? crypto.randomUUID();
  return changeAccess(given.in ?? context, request, viewer, userId, change, { reason: REASON, once });
}

function contextWith(setting: string) {
  const bindings = { ...env, EMAIL_DISPATCHER, STAFF_SECOND_FACTOR: setting };
  return loadContext({ env: bindings as Env, waitUntil: (one) => void work.push(one) });
}

async function stateOf(userId: string) {
  const [profile] = await db.select().from(profiles).where(eq(profiles.userId, userId));
  const [user] = await db.select().from(users).where(eq(users.id, userId));
  return { role: profile?.role, isSuspended: user?.suspendedAt !== null };
}

function auditOf(userId: string) {
  return db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.subjectType, "customer"), eq(auditLog.subjectId, userId)));
}
