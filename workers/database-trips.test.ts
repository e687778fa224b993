import { env } from "cloudflare:workers";
import bcrypt from "bcryptjs";
import { eq } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { beforeAll, expect, test } from "vitest";
import { confirmTotp, startTotpSetup } from "#app/accounts/factors/totp.server.ts";
import { limitAttempts } from "#app/accounts/password/attempts.server.ts";
import { tempMysqlPasswords, totpSecrets, users } from "#app/db/schema.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { consolePages, storeConsoleExamples } from "#tests/workerd/console-examples.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { accountWithCurrentHash, accountWithoutPassword, cheapHash, PASSWORD } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { inSession, signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { openPage } from "../tests/open-page.ts";
import { siteCookie } from "../tests/response-cookies.ts";

/** The number of times that the isolate has read the settings. */
let settingsReads = 0;

/** Far longer than anything that a request does between two calls, so that calls which don't wait for each other overlap. */
const LATENCY_MS = 100;
/** The same for most pages on most machines. One that is too short can only make trips more. */
const SHORT_LATENCY_MS = 10;

/**
 * A database far away. `trips` is the longest chain of calls that have ended, of which each began after the one before had
 * ended: what begins before the response and isn't waited for is none of its trips.
 */
function distantDatabase(latencyMs: number) {
  const made = { trips: 0, statements: [] as string[] };
  async function travel<T>(texts: string[], call: () => Promise<T>): Promise<T> {
    // Read behind any response that finds them old: another test counts these.
    if (texts.every((text) => /^select [^(]+ from "(settings|announcements)"/.test(text))) {
      settingsReads++;
      return call();
    }
    const trip = made.trips + 1;
    made.statements.push(...texts);
    try {
      const [result] = await Promise.all([call(), scheduler.wait(latencyMs)]);
      return result;
    } finally {
      made.trips = Math.max(made.trips, trip);
    }
  }
  const texts = new WeakMap<object, string>();
  function distant(statement: D1PreparedStatement, text: string): D1PreparedStatement {
    const wrapped = new Proxy(statement, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (name === "bind") return (...values: unknown[]) => distant(target.bind(...values), text);
        if (typeof member !== "function") return member;
        return (...values: unknown[]) => travel([text], () => member.apply(target, values));
      },
    });
    texts.set(wrapped, text);
    return wrapped;
  }
  const distantly = (database: D1Database | D1DatabaseSession) => ({
    prepare: (text: string) => distant(database.prepare(text), text),
    batch: (statements: D1PreparedStatement[]) =>
      travel(
        statements.map((one) => texts.get(one) ?? ""),
        () => database.batch(statements),
      ),
  });
  const database = {
    ...distantly(env.DB),
    withSession(from: string) {
      const session = env.DB.withSession(from);
      return { ...distantly(session), getBookmark: () => session.getBookmark() };
    },
  };
  return { database: database as unknown as D1Database, made };
}

let customer: { userId: string; cookie: string };
let key: string;
let serviceId: number;
let orderId: number;

beforeAll(async () => {
  customer = await signedIn();
  key = (await customerWith(10 * MICRO)).apiKey;
  await credit(db, customer.userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
  serviceId = await service();
  await sandboxProvider();
  const placed = await open("/dashboard.data?index", customer.cookie, orderForm());
  orderId = Number(/"orderId",(\d+)/.exec(placed.text)?.[1]);
  expect(orderId).toBeGreaterThan(0);
  // The isolate reads a changed catalog anew.
  await open("/services", "");
});

const PAGES: [name: string, path: () => string, trips: number][] = [
  ["the landing page", () => "/", 1],
  ["the price list", () => "/services", 2],
  ["the dashboard", () => "/dashboard", 2],
  ["the dashboard with an order to repeat", () => `/dashboard?repeat=${orderId}&placed=${orderId}&find=likes`, 2],
  ["the order list", () => "/dashboard/orders", 2],
  ["a search of orders", () => "/dashboard/orders?status=open&search=trips&from=2026-01-01&to=2036-01-01", 2],
  ["an order", () => `/dashboard/orders/${orderId}`, 2],
  ["a poll of orders", () => `/dashboard/orders/live?ids=${orderId}`, 1],
];

for (const [name, path, trips] of PAGES) {
  test(`reads ${name} in ${trips} of the database's round trips, and who is logged in once`, async () => {
    const page = await openIn(trips, path(), customer.cookie);
    expect(page.status).toBe(200);
    expect(page.trips, page.statements.join("\n")).toBe(trips);
    expect(page.statements.filter((text) => text.includes('from "auth_sessions" inner join'))).toHaveLength(1);
  });
}

/** The trips of a page of the console. The first reads who is signed in, beside what waits for staff. */
const CONSOLE_TRIPS = 2;
/** Pages that take another one, and why. */
const MORE_TRIPS: Record<string, number> = {
  // The agent's own filters say which conversations are read.
  "/admin": 3,
  "/admin/support/:id": 3,
  "/admin/services/:id": 3,
  // What was changed says which services are read.
  "/admin/services/changes/:id": 3,
  // Nothing waits here. What waits takes one more: counts by provider and reason, then the ids of a page, then their rows.
  "/admin/providers/quarantine": 3,
  "/admin/customers": 3,
  // Ids of a page, then their rows, then names of what these are about.
  "/admin/audit": 4,
  "/admin/audit/:id": 3,
  "/admin/settings": 3,
  // What the providers spent by day.
  "/admin/system": 3,
  // The tier with what was done to it, then who has it, then its services at its rule.
  "/admin/tiers/:id": 4,
};
/** Pages of the console with what narrows them, and their trips. */
const NARROWED: [path: () => string, trips: number][] = [
  [() => "/admin/orders?late=1", 3],
  [() => "/admin/orders?q=test", 3],
  [() => `/admin/orders?service=${serviceId}`, 2],
  [() => "/admin/customers?q=test", 3],
  [() => "/admin/audit?who=1&of=service&about=1", 3],
  [() => "/admin/reports?by=service", 3],
  [() => "/admin/reports?by=provider", 2],
  [() => "/admin/reports?by=customer", 3],
];

test("reads each page of the console in a few trips, and who is signed in once", async () => {
  const { cookie } = await signedIn("admin");
  await storeConsoleExamples();
  const pages = await consolePages();
  expect([...pages.keys()]).toEqual(expect.arrayContaining(Object.keys(MORE_TRIPS)));
  const opened = [
    ...[...pages].map(([pattern, path]) => [path, MORE_TRIPS[pattern] ?? CONSOLE_TRIPS] as const),
    ...NARROWED.map(([path, trips]) => [path(), trips] as const),
  ];
  for (const [path, trips] of opened) {
    const page = await openIn(trips, path, cookie);
    expect(page.status, path).toBe(200);
    expect.soft(page.trips, `${path}\n${page.statements.join("\n")}`).toBe(trips);
  }
});

test("reads a public page for a visitor in one trip, kept or not, and one without prices in none", async () => {
  // The price list reads more until it is kept, as does any page once after a change of the catalog.
  // The settings are read behind the first of them that finds them old.
  for (const path of ["/services", "/", "/privacy-policy"]) await open(path, "");
  for (const path of ["/services", "/", "/?ref=mail", "/privacy-policy"]) {
    const page = await open(path, "");
    expect(page.trips, `${path}\n${page.statements.join("\n")}`).toBe(path === "/privacy-policy" ? 0 : 1);
  }
});

test("reads the settings once for many pages, and not for a call of the API", async () => {
  await open("/auth/login", "");
  const before = settingsReads;
  for (let time = 0; time < 3; time++) {
    for (const path of ["/auth/login", "/privacy-policy", "/dashboard/orders"]) await openNear(path, customer.cookie);
    await openNear("/api/balance", "", new URLSearchParams({ key }));
  }
  // They are read again after ten seconds, which a slow machine may take.
  expect(settingsReads - before).toBeLessThanOrEqual(2);
});

test("reads who is logged in once for an action, and once more for the page that answers it", async () => {
  const form = new URLSearchParams({ intent: "name", fullName: "Grace" });
  const reads = ({ statements }: { statements: string[] }) =>
    statements.filter((text) => text.includes('from "auth_sessions" inner join'));
  expect(reads(await openNear("/dashboard/account", customer.cookie, form))).toHaveLength(2);
  expect(reads(await openNear("/dashboard/account.data", customer.cookie, form))).toHaveLength(1);
});

// The key's gate, a Durable Object, knows for 30 s who holds the key: docs/decisions/orders/0009-place-an-order-in-one-write.md.
// It reads that itself, so that the first request in 30 s takes a trip more, which this database doesn't see.
test("places an order by create_order, and by add, in one trip once the isolate knows the service", async () => {
  const order = () => ({ key, service: String(serviceId), link: link(), quantity: "100" });
  const calls: [path: string, body: () => URLSearchParams | string][] = [
    ["/api/v1/create_order", () => JSON.stringify({ ...order(), idempotency_key: crypto.randomUUID() })],
    ["/api/v2", () => new URLSearchParams({ ...order(), action: "add" })],
    ["/api/order", () => new URLSearchParams(order())],
  ];
  for (const [path, body] of calls) {
    expect((await open(path, "", body())).text, path).toMatch(/"(order|id)"/);
    const placed = await open(path, "", body());
    expect(placed.text, path).toMatch(/"(order|id)"/);
    expect(placed.trips, `${path}\n${placed.statements.join("\n")}`).toBe(1);
  }
});

test("answers the list of services in one trip while it has not changed", async () => {
  const list = () => open("/api/services", "", new URLSearchParams({ key }));
  expect((await list()).text).toContain('"rate"');
  const again = await list();
  expect(again.text).toContain('"rate"');
  expect(again.trips, again.statements.join("\n")).toBe(1);
});

// The limit of emails is counted before one is written.
test("logs in with a password in two trips, one before it is checked and one after, and from a new device in three", async () => {
  const { email } = await accountWithCurrentHash();
  const first = await logIn(email);
  expect(first.status).toBe(302);
  expect(first.trips, first.statements.join("\n")).toBe(2);
  const again = await logIn(email, first.cookies);
  expect([again.status, again.trips], again.statements.join("\n")).toEqual([302, 2]);
  const other = await logIn(email);
  expect([other.status, other.trips], other.statements.join("\n")).toEqual([302, 3]);
});

test("refuses a log-in in one trip, by the same statements whether there is an account, an old one or none", async () => {
  const [current, old, suspended] = [
    await accountWithCurrentHash(),
    await legacyAccount(),
    await accountWithCurrentHash(),
  ];
  await db.update(users).set({ suspendedAt: 1 }).where(eq(users.id, suspended.userId));
  const nobody = `${crypto.randomUUID()}@test.example`;
  const emails = [nobody, current.email, old.email, suspended.email];
  const device = deviceCookieOf((await logIn((await accountWithCurrentHash()).email)).cookies);
  for (const [cookie, typed] of [
    ["", emails],
    [device, emails.slice(0, atScale(2, 4))],
  ] as const) {
    const refused = [];
    for (const email of typed) {
      const { status, trips, statements } = await logIn(email, cookie, "a wrong password");
      refused.push({ status, trips, statements });
    }
    const [unknown, ...others] = refused;
    expect(unknown).toMatchObject({ status: 400, trips: 1 });
    for (const other of others) expect(other).toEqual(unknown);
  }
});

test("stops a log-in over its limit after one trip, by the same statements whether there is an account or none", async () => {
  const { email } = await accountWithCurrentHash();
  const stopped = [];
  for (const typed of [email, `${crypto.randomUUID()}@test.example`]) {
    for (let at = 0; at < 10; at++) {
      await limitAttempts(loadContext(), newVisit(), "sign_in", { account: typed });
    }
    const { status, trips, statements } = await logIn(typed);
    stopped.push({ status, trips, statements });
  }
  expect(stopped[0]).toMatchObject({ status: 429, trips: 1 });
  expect(stopped[1]).toEqual(stopped[0]);
});

test("migrates an old password, or replaces a hash of older parameters, in a trip of its own", async () => {
  const [old, outdated] = [await legacyAccount(), await accountWithCurrentHash()];
  await db.update(users).set({ passwordHash: cheapHash() }).where(eq(users.id, outdated.userId));
  for (const { email } of [old, outdated]) {
    const changed = await logIn(email);
    expect([changed.status, changed.trips], changed.statements.join("\n")).toEqual([302, 3]);
    if (atScale(0, 1) === 0) continue;
    const next = await logIn(email, changed.cookies);
    expect([next.status, next.trips], next.statements.join("\n")).toEqual([302, 2]);
  }
});

test("asks for a second factor in two trips, and checks a code and starts the session in six", async () => {
  const account = await accountWithCurrentHash();
  const totp = await inSession(account.userId, async (owner) => {
    const setup = await startTotpSetup(db, env, { ...account, ...owner });
    const totp = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? "") });
    expect(await confirmTotp(db, env, owner, totp.generate({ timestamp: Date.now() - 30_000 }))).toBe(true);
    return totp;
  });
  let device = "";
  // A device that may be known takes one more, which finds out.
  for (const trips of [6, 7].slice(0, atScale(1, 2))) {
    const pending = await logIn(account.email, device);
    expect([pending.location, pending.trips], pending.statements.join("\n")).toEqual(["/auth/second-step", 2]);
    const code = new URLSearchParams({ code: totp.generate() });
    const passed = await open("/auth/second-step", [device, pending.cookies].filter(Boolean).join("; "), code);
    expect([passed.location, passed.trips], passed.statements.join("\n")).toEqual(["/dashboard", trips]);
    device = deviceCookieOf(passed.cookies);
    await db.update(totpSecrets).set({ lastStep: 0 }).where(eq(totpSecrets.userId, account.userId));
  }
});

test("signs up in two trips, and refuses a taken address in as many", async () => {
  const fields = { email: `${crypto.randomUUID()}@test.example`, password: PASSWORD, fullName: "Ada" };
  const made = await open("/auth/signup", "", new URLSearchParams(fields));
  expect([made.status, made.trips], made.statements.join("\n")).toEqual([302, 2]);
  const taken = await open("/auth/signup", "", new URLSearchParams(fields));
  expect([taken.status, taken.trips], taken.statements.join("\n")).toEqual([422, 2]);
});

test("issues the tokens of a log-in in one trip more", async () => {
  const { email } = await accountWithCurrentHash();
  const body = JSON.stringify({ email, password: PASSWORD });
  const issued = await open("/auth/v1/token?grant_type=password", "", body);
  expect(issued.text).toContain("access_token");
  expect(issued.trips, issued.statements.join("\n")).toBe(3);
});

function logIn(email: string, cookie = "", password = PASSWORD) {
  return open("/auth/login", cookie, new URLSearchParams({ email, password }));
}

function deviceCookieOf(cookies: string): string {
  return cookies.split("; ").find((cookie) => cookie.startsWith(siteCookie("growline_device"))) ?? "";
}

/** An account of the previous system that hasn't logged in yet. */
async function legacyAccount(): Promise<{ userId: string; email: string }> {
  const account = await accountWithoutPassword();
  const mysqlPasswordHash = await bcrypt.hash(PASSWORD, 4);
  await db.insert(tempMysqlPasswords).values({ userId: account.userId, mysqlPasswordHash });
  return account;
}

function orderForm(): URLSearchParams {
  return new URLSearchParams({
    intent: "order",
    idempotencyKey: crypto.randomUUID(),
    service: String(serviceId),
    shownPrice: "900000 per 1000",
    link: link(),
    quantity: "1000",
  });
}

function link(): string {
  return `https://instagram.com/p/trips${crypto.randomUUID().slice(0, 8)}`;
}

/** Opens a page that should take so many trips; again, and far away, only if it seems to take more, as the first time in an isolate. */
async function openIn(trips: number, path: string, cookie: string) {
  const page = await openNear(path, cookie);
  return page.trips > trips ? open(path, cookie) : page;
}

/** Opens a page whose trips need not be told apart. */
function openNear(path: string, cookie: string, body?: URLSearchParams) {
  return open(path, cookie, body, SHORT_LATENCY_MS);
}

async function open(path: string, cookie: string, body?: URLSearchParams | string, latencyMs = LATENCY_MS) {
  const { database, made } = distantDatabase(latencyMs);
  let [trips, statements] = [0, [] as string[]];
  const { headers, ...opened } = await openPage(path, { cookie, database, body }, () => {
    trips = made.trips;
    statements = [...made.statements];
  });
  const cookies = headers.getSetCookie().map((set) => set.split(";")[0]);
  return { ...opened, location: headers.get("Location"), cookies: cookies.join("; "), trips, statements };
}
