import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { securityEvents, users } from "#app/db/schema.server.ts";
import { MAX_OF_KIND_PER_HOUR } from "#app/db/security-event-insert.server.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import {
  deleteOldEvents,
  EVENT_KEPT_MS,
  eventStatement,
  listSecurityEvents,
  logEvent,
  recordAttempt,
  recordEvent,
} from "./security-events.server.ts";

const db = connect(env.DB);
const visit = newVisit({ device: "Chrome on Windows", network: "2001:db8:1:2", requestId: "r1" });

test("records an event with its device, its network prefix and its request", async () => {
  const { userId } = await accountWithoutPassword();
  const done: Promise<unknown>[] = [];
  recordEvent(loadContext({ requestId: "r1", waitUntil: (work) => done.push(work) }), visit, userId, "log_in");
  await Promise.all(done);
  expect(await listSecurityEvents(db, userId, { limit: 9 })).toMatchObject([
    { kind: "log_in", device: "Chrome on Windows", network: "2001:db8:1:2", requestId: "r1", detail: {} },
  ]);
});

test("logs the kind and the request, and neither the user's id nor an email address", async () => {
  const { userId, email } = await accountWithoutPassword();
  const lines: string[] = [];
  const spy = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  logEvent(loadContext({ requestId: "r2" }), userId, "denied");
  logEvent(loadContext({ requestId: "r3" }), null, "log_in_failed");
  spy.mockRestore();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { message: "security event", kind: "denied", request_id: "r2", user: expect.stringMatching(/^[0-9a-f]{16}$/) },
    { message: "security event", kind: "log_in_failed", request_id: "r3", user: null },
  ]);
  for (const value of [userId, email]) expect(lines.join()).not.toContain(value);
});

test("keeps a bounded number of events of a kind per hour, and still records other kinds", async () => {
  const { userId } = await accountWithoutPassword();
  for (let i = 0; i < MAX_OF_KIND_PER_HOUR + 5; i++) {
    await eventStatement(db, visit, userId, "log_in_failed");
  }
  await eventStatement(db, visit, userId, "password_changed");
  const kinds = (await listSecurityEvents(db, userId, { limit: 99 })).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "log_in_failed")).toHaveLength(MAX_OF_KIND_PER_HOUR);
  expect(kinds[0]).toBe("password_changed");
  await db.update(securityEvents).set({ createdAt: 1 }).where(eq(securityEvents.userId, userId));
  await eventStatement(db, visit, userId, "log_in_failed");
  expect(await listSecurityEvents(db, userId, { limit: 1 })).toMatchObject([{ kind: "log_in_failed" }, {}]);
});

test("records nothing for an owner that a query does not find", async () => {
  const { userId } = await accountWithoutPassword();
  const nobody = db.select({ id: users.id }).from(users).where(eq(users.id, "nobody"));
  await eventStatement(db, visit, nobody, "password_reset");
  const owner = db.select({ id: users.id }).from(users).where(eq(users.id, userId));
  await eventStatement(db, visit, owner, "password_reset");
  expect(await db.select().from(securityEvents).where(eq(securityEvents.kind, "password_reset"))).toMatchObject([
    { userId },
  ]);
});

test("pages through the owner's events only", async () => {
  const [owner, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  for (const kind of ["log_in", "denied", "data_exported"] as const) {
    for (const { userId } of [owner, other]) await eventStatement(db, visit, userId, kind);
  }
  await db.update(securityEvents).set({ createdAt: Date.now() });
  const first = await listSecurityEvents(db, owner.userId, { limit: 2 });
  expect(first.map(({ kind }) => kind)).toEqual(["data_exported", "denied", "log_in"]);
  const rest = await listSecurityEvents(db, owner.userId, { before: first[1]?.id ?? 0, limit: 2 });
  expect(rest.map(({ kind, userId }) => [kind, userId])).toEqual([["log_in", owner.userId]]);
});

test("deletes events that are older than a year", async () => {
  await db.delete(securityEvents);
  const { userId } = await accountWithoutPassword();
  for (const kind of ["log_in", "denied"] as const) await eventStatement(db, visit, userId, kind);
  const old = Date.now() - EVENT_KEPT_MS - 1;
  await db.update(securityEvents).set({ createdAt: old }).where(eq(securityEvents.kind, "log_in"));
  await deleteOldEvents(db);
  expect(await listSecurityEvents(db, userId, { limit: 9 })).toMatchObject([{ kind: "denied" }]);
});

test("deletes an event once it is older than a year, and pages from no other account's event", async () => {
  const [owner, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  for (const kind of ["log_in", "denied"] as const) await eventStatement(db, visit, owner.userId, kind);
  await eventStatement(db, visit, other.userId, "log_in");
  const [theirs] = await listSecurityEvents(db, other.userId, { limit: 9 });
  expect(await listSecurityEvents(db, owner.userId, { before: theirs?.id ?? 0, limit: 9 })).toEqual([]);
  const now = Date.UTC(2030, 0, 1);
  await db.update(securityEvents).set({ createdAt: now - 365 * 24 * 60 * 60_000 });
  await deleteOldEvents(db, now);
  expect(await listSecurityEvents(db, owner.userId, { limit: 9 })).toHaveLength(2);
  await deleteOldEvents(db, now + 1);
  expect(await listSecurityEvents(db, owner.userId, { limit: 9 })).toEqual([]);
});

test("records an attempt on an address in any case, and none on one without an account", async () => {
  const [owner, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  const work: Promise<unknown>[] = [];
  const context = loadContext({ requestId: "r4", waitUntil: (one) => work.push(one) });
  const bare = newVisit({ requestId: "r4" });
  recordAttempt(context, bare, ` ${owner.email.toUpperCase()} `, "log_in_failed");
  recordAttempt(context, bare, "nobody@test.example", "limited");
  const before = await db.$count(securityEvents);
  await Promise.all(work);
  expect(await db.$count(securityEvents)).toBe(before + 1);
  expect(await listSecurityEvents(db, owner.userId, { limit: 9 })).toMatchObject([
    { kind: "log_in_failed", device: "Unknown device", network: null, requestId: "r4", detail: {} },
  ]);
  expect(await listSecurityEvents(db, other.userId, { limit: 9 })).toEqual([]);
});

test("records details with an event", async () => {
  const { userId } = await accountWithoutPassword();
  const work: Promise<unknown>[] = [];
  const waitUntil = (one: Promise<unknown>) => void work.push(one);
  recordEvent(loadContext({ waitUntil }), visit, userId, "session_ended", { device: "Phone" });
  await Promise.all(work);
  expect(await listSecurityEvents(db, userId, { limit: 9 })).toMatchObject([{ detail: { device: "Phone" } }]);
});
