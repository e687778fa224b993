import { createExecutionContext, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { holdOutgoing, releaseOutgoing } from "#app/backup/restore/outgoing-hold.server.ts";
import { connect } from "#app/db/db.server.ts";
import { emails, providers, requestHours, statusChanges, WATCHED, type Watched } from "#app/db/schema.server.ts";
import {
  deleteOldStatusChanges,
  readStatusChanges,
  StatusRecorder,
  type WatchedStates,
} from "#app/monitoring/health/status-changes.server.ts";
import { loader } from "#app/routes/site/status-page.tsx";
import { DAY_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { queueTo } from "#tests/workerd/email-api.ts";
import { withoutTable } from "#tests/workerd/missing-table.ts";
import { storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import worker from "../app.ts";
import { ComponentHealth, recordStates } from "./component-health.ts";
import { answerProbe } from "./probe-responses.ts";

const SITE = "https://growline.example";
const FINE = { api: "operational", ordering: "operational", chat: "operational", providers: "operational" } as const;
const ALL_FINE = Object.fromEntries(WATCHED.map((part) => [part, "operational"])) as WatchedStates;

/** A database that answers nothing. */
const AWAY = {
  prepare() {
    throw new Error("D1_ERROR: no such host db-7.internal");
  },
} as unknown as D1Database;

/** A database that takes calls and never answers one. */
function hangingDatabase(): D1Database {
  const never = () => new Promise<never>(() => {});
  const statement = { bind: () => statement, all: never, run: never, raw: never, first: never };
  const database = { prepare: () => statement, batch: never, getBookmark: () => null, withSession: () => database };
  return database as unknown as D1Database;
}

const WAITING = { ok: false, detail: "Emails are waiting to be sent" };

async function mail() {
  return (await new ComponentHealth().checks(env)).mail;
}

/** Queues an email as of so many minutes ago. Returns its id. */
async function queuedMinutesAgo(minutes: number, name: string): Promise<string> {
  const id = await queueTo(`${name}@test.example`);
  await db
    .update(emails)
    .set({ createdAt: Date.now() - minutes * 60_000 })
    .where(eq(emails.id, id));
  return id;
}

async function probe(path: string, bindings: Partial<Env> = {}, method = "GET"): Promise<Response> {
  const request = new Request(SITE + path, { method });
  const response = await answerProbe(request, new URL(request.url), { ...env, ...bindings }, new ComponentHealth());
  if (!response) throw new Error("no probe");
  return response;
}

test("/healthz answers without asking any database", async () => {
  const response = await probe("/healthz", { DB: AWAY, DB_SUPPORT: AWAY });
  expect(response.status).toBe(200);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expect(await response.json()).toEqual({ status: "ok" });
});

test("/readyz says of each part whether it answers, and how fast", async () => {
  const response = await SELF.fetch(`${SITE}/readyz`);
  expect(response.status).toBe(200);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  const { status, checks } = await response.json<{ status: string; checks: Record<string, object> }>();
  expect(status).toBe("ok");
  expect(Object.keys(checks)).toEqual(["database", "support_database", "files", "dispatchers", "mail"]);
  for (const check of Object.values(checks)) expect(check).toEqual({ ok: true, ms: expect.any(Number), detail: "ok" });
});

test("/readyz answers 503 and names the part that is away, but not why", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const response = await probe("/readyz", { DB_SUPPORT: AWAY });
  errors.mockRestore();
  const text = await response.text();
  expect(response.status).toBe(503);
  expect(JSON.parse(text)).toMatchObject({
    status: "unavailable",
    checks: { database: { ok: true }, support_database: { ok: false, detail: "It failed" } },
  });
  expect(text).not.toContain("internal");
});

test("/readyz says that mail is not set up", async () => {
  const { EMAIL: _, ...others } = env;
  const health = new ComponentHealth();
  const found = await health.checks({ ...others, EMAIL_API_URL: "" } as unknown as Env);
  expect(found.mail).toMatchObject({ ok: false, detail: "Not set up" });
});

test("one stuck email fails no check while others are sent, three do, and so does one after which nothing was sent", async () => {
  const sentBefore = await queuedMinutesAgo(17, "before");
  await db.update(emails).set({ status: "sent", nextAttemptAt: null }).where(eq(emails.id, sentBefore));
  await queuedMinutesAgo(14, "waits");
  expect(await mail()).toMatchObject({ ok: true });
  await queuedMinutesAgo(16, "stuck");
  expect(await mail()).toMatchObject(WAITING);
  const sentSince = await queuedMinutesAgo(1, "since");
  // It went out, and bounced later.
  await db.update(emails).set({ status: "bounced", nextAttemptAt: null }).where(eq(emails.id, sentSince));
  expect(await mail()).toMatchObject({ ok: true });
  await queuedMinutesAgo(16, "second");
  expect(await mail()).toMatchObject({ ok: true });
  await queuedMinutesAgo(16, "third");
  expect(await mail()).toMatchObject(WAITING);
  await db.delete(emails);
});

test("a stuck email whose recipient's server is at fault fails no check on a quiet site, three do", async () => {
  const refusedThere = async (name: string) => {
    const id = await queuedMinutesAgo(16, name);
    await db.update(emails).set({ lastError: "E_DELIVERY_FAILED no route to host" }).where(eq(emails.id, id));
  };
  await refusedThere("domain-away");
  expect(await mail()).toMatchObject({ ok: true });
  await refusedThere("another");
  expect(await mail()).toMatchObject({ ok: true });
  const ours = await queuedMinutesAgo(16, "ours");
  await db.update(emails).set({ lastError: "HTTP 401 invalid_api_key" }).where(eq(emails.id, ours));
  expect(await mail()).toMatchObject(WAITING);
  await db.delete(emails).where(eq(emails.id, ours));
  await refusedThere("third");
  expect(await mail()).toMatchObject(WAITING);
  await db.delete(emails);
});

test("an email that has been stuck for days hides no outage that begins with the next one", async () => {
  const HOUR = 60;
  await queuedMinutesAgo(50 * HOUR, "bad-address");
  const sent = await queuedMinutesAgo(HOUR, "before-the-outage");
  await db.update(emails).set({ status: "sent", nextAttemptAt: null }).where(eq(emails.id, sent));
  // Emails flow; those of the last minutes are on their way.
  await queuedMinutesAgo(2, "just-queued");
  expect(await mail()).toMatchObject({ ok: true });
  const firstOfOutage = await queuedMinutesAgo(16, "in-the-outage");
  expect(await mail()).toMatchObject(WAITING);
  // It was one more bad address: others queued after it were sent.
  const after = await queuedMinutesAgo(15, "after");
  await db.update(emails).set({ status: "sent", nextAttemptAt: null }).where(eq(emails.id, after));
  expect(await mail()).toMatchObject({ ok: true });
  // The outage is over for all but the first.
  await db.delete(emails).where(eq(emails.id, firstOfOutage));
  expect(await mail()).toMatchObject({ ok: true });
  await db.delete(emails);
});

test("/readyz says that a restored copy holds what it sends, and is fine however long its emails wait", async () => {
  const before = Date.now() - 60 * 60_000;
  const id = crypto.randomUUID();
  const waiting = {
    id,
    kind: "new_device",
    recipient: "ada@site.test",
    sealedContent: "",
    nextAttemptAt: before,
  } as const;
  await db.insert(emails).values({ ...waiting, createdAt: before, expiresAt: before + DAY_MS });
  const ready = async () => {
    const response = await probe("/readyz");
    const { outgoing, checks } = await response.json<{ outgoing?: string; checks: Record<string, { ok: boolean }> }>();
    return [response.status, outgoing, checks.mail?.ok];
  };
  expect(await ready()).toEqual([503, undefined, false]);
  await holdOutgoing(env.DB, "a-backup", Date.now());
  expect(await ready()).toEqual([200, "held", true]);
  await releaseOutgoing(env.DB, Date.now());
  expect(await ready()).toEqual([503, undefined, false]);
  await db.delete(emails);
});

test("the probes answer HEAD without a body, and refuse other methods", async () => {
  for (const path of ["/healthz", "/readyz"]) {
    const head = await SELF.fetch(SITE + path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const post = await SELF.fetch(SITE + path, { method: "POST", headers: { Origin: SITE } });
    expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
    await post.body?.cancel();
  }
});

test("keeps results for some seconds, however often an isolate is asked", async () => {
  const { database, counts } = countedDatabase(env.DB);
  const health = new ComponentHealth();
  const bindings = { ...env, DB: database };
  await health.checks(bindings);
  const asked = counts.queries;
  expect(asked).toBeLessThanOrEqual(2);
  for (let time = 0; time < 20; time++) await health.checks(bindings);
  expect(counts.queries).toBe(asked);
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now + 6000);
  await Promise.all(Array.from({ length: 20 }, () => health.checks(bindings)));
  clock.mockRestore();
  expect(counts.queries).toBe(2 * asked);
});

test("records when states change, and writes nothing while they don't", async () => {
  await db.delete(statusChanges);
  const recorder = new StatusRecorder();
  const { database, byStatement } = countedDatabase(env.DB);
  await recordStates(connect(database), env, recorder);
  expect(await readStatusChanges(db)).toHaveLength(WATCHED.length);
  byStatement.clear();
  await recordStates(connect(database), env, recorder);
  const costs = [...byStatement.values()];
  expect(costs.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0)).toBe(0);

  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  await recordStates(db, { ...env, DB_SUPPORT: AWAY }, recorder);
  errors.mockRestore();
  await recordStates(db, env, recorder);
  const changes = await readStatusChanges(db);
  const states = (part: Watched) => changes.filter(({ component }) => component === part).map(({ state }) => state);
  for (const part of ["chat", "support_database"] as const) {
    expect(states(part), part).toEqual(["operational", "down", "operational"]);
  }
  expect(states("mail")).toEqual(["operational"]);
  await db.delete(statusChanges);
});

test("records an outage of the database itself once it is back, with its own time", async () => {
  await db.delete(statusChanges);
  const recorder = new StatusRecorder();
  const down = { ...ALL_FINE, api: "down", ordering: "down", chat: "down", database: "down" } as const;
  await recorder.record(db, ALL_FINE, 1000);
  await withoutTable(env.DB, "status_changes", async () => {
    await expect(recorder.record(db, down, 2000)).rejects.toThrow();
    await expect(recorder.record(db, down, 3000)).rejects.toThrow();
  });
  await recorder.record(db, ALL_FINE, 4000);
  const api = (await readStatusChanges(db)).filter(({ component }) => component === "api");
  expect(api.map(({ startedAt, state }) => [startedAt, state])).toEqual([
    [1000, "operational"],
    [2000, "down"],
    [4000, "operational"],
  ]);
  await db.delete(statusChanges);
});

test("deletes changes after 90 days, except what held then", async () => {
  await db.delete(statusChanges);
  const now = 500 * DAY_MS;
  const days = [200, 100, 95, 50];
  await db
    .insert(statusChanges)
    .values([
      ...days.map((ago) => ({ component: "api" as const, startedAt: now - ago * DAY_MS, state: "degraded" as const })),
      { component: "chat", startedAt: now - 300 * DAY_MS, state: "operational" },
    ]);
  await deleteOldStatusChanges(db, now);
  const left = await readStatusChanges(db);
  expect(left.map(({ component, startedAt }) => [component, (now - startedAt) / DAY_MS])).toEqual([
    ["chat", 300],
    ["api", 95],
    ["api", 50],
  ]);
  await db.delete(statusChanges);
});

test("calls delivery degraded while a provider gets no orders, and an area whose requests fail", async () => {
  const health = () => new ComponentHealth().states(env);
  const before = await health();
  expect(before.api).toBe("operational");
  const broken = {
    name: crypto.randomUUID(),
    apiUrl: "https://p.example",
    encryptedKey: "",
    failures: 50,
    createdAt: 1,
  };
  const fine = { ...broken, name: crypto.randomUUID(), failures: 0 };
  await db.insert(providers).values([broken, fine]);
  await db.insert(requestHours).values({
    ...{ hour: Math.floor(Date.now() / 3_600_000), area: "api", requests: 100, errors: 50, refused: 0 },
    ...{ ms: 0, queries: 0, rowsRead: 0, rowsWritten: 0, durations: [] },
  });
  expect(await health()).toMatchObject({ api: "degraded", ordering: "operational", providers: "degraded" });
  await db.delete(requestHours);
});

test("the status page shows states and days to anybody, and no provider's name", async () => {
  await db.delete(statusChanges);
  const name = `provider-${crypto.randomUUID()}`;
  await db
    .insert(providers)
    .values({ name, apiUrl: "https://p.example", encryptedKey: "", failures: 50, createdAt: 1 });
  const now = Date.now();
  await db.insert(statusChanges).values([
    { component: "api", startedAt: now - 10 * DAY_MS, state: "operational" },
    { component: "api", startedAt: now - 5 * DAY_MS, state: "down" },
    { component: "api", startedAt: now - 5 * DAY_MS + 3_600_000, state: "operational" },
    { component: "mail", startedAt: now - 5 * DAY_MS, state: "down" },
  ]);
  // Moves the clock ahead: an earlier file may have asked for the page within the seconds for which it is kept.
  vi.spyOn(Date, "now").mockImplementation(() => now + 30_000);
  const page = await SELF.fetch(`${SITE}/status`);
  const text = await page.text();
  vi.restoreAllMocks();
  expect(page.status).toBe(200);
  for (const part of ["API", "Ordering", "Support chat", "Delivery", "99.58", "Incidents", "1 h"]) {
    expect(text).toContain(part);
  }
  expect(text).not.toContain(name);
  // Not a component that customers know.
  expect(text).not.toContain("not over");
  await db.delete(statusChanges);
});

test("reads the history of the status page once in some seconds, however often strangers ask for it", async () => {
  const { database, counts } = countedDatabase(env.DB);
  const open = async (path: string) => {
    const request = new Request(SITE + path) as Parameters<typeof worker.fetch>[0];
    const bindings = { ...env, DB: database, REQUEST_COUNTS: "off" };
    await (await worker.fetch(request, bindings, createExecutionContext())).text();
    return counts.queries;
  };
  const asked = await open("/status?x=1");
  expect([await open("/status?x=2"), await open("/status.data?x=3"), await open("/status?x=4")]).toEqual([
    asked,
    asked,
    asked,
  ]);
});

test("the status page still says what works while its history can't be read", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const states = { ...FINE, api: "down" as const };
  const context = loadContext({ componentStates: async () => states });
  const args = { request: new Request(`${SITE}/status`), params: {}, context };
  const loaded = await withoutTable(env.DB, "status_changes", () => loader(args));
  errors.mockRestore();
  expect(loaded.incidents).toBeNull();
  expect(loaded.parts.map(({ state }) => state)).toEqual(["down", "operational", "operational", "operational"]);
});

test("the status page answers strangers and customers while the database hangs", async () => {
  const { cookie } = await storedSignIn();
  // Moves the clock ahead, so that what the isolate found for earlier tests is old.
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 60_000);
  const { setTimeout } = globalThis;
  const fast = ((run: () => void, ms = 0) => setTimeout(run, ms / 50)) as typeof setTimeout;
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(fast);
  const silenced = ["error", "warn"].map((level) => vi.spyOn(console, level as "error").mockImplementation(() => {}));
  const bindings = { ...env, DB: hangingDatabase(), REQUEST_COUNTS: "off" };
  const open = async (path: string, headers: Record<string, string>) => {
    const request = new Request(SITE + path, { headers }) as Parameters<typeof worker.fetch>[0];
    const response = await worker.fetch(request, bindings, createExecutionContext());
    return { status: response.status, text: await response.text() };
  };
  const asked = [open("/status?x=1", {}), open("/status?x=1", { Cookie: cookie }), open("/status", {})];
  for (const { status, text } of await Promise.all(asked)) {
    expect(status).toBe(200);
    expect(text).toContain("Down: API, Ordering, Support chat.");
    expect(text).toContain("The history can&#x27;t be read right now.");
  }
  for (const spy of [clock, timers, ...silenced]) spy.mockRestore();
});
