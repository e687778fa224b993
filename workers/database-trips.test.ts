import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import worker from "./app.ts";

/** Far longer than anything that a request does between two calls, so that calls which don't wait for each other overlap. */
const LATENCY_MS = 100;

/** A database far away. `trips` is the longest chain of calls of which each began after the one before had ended. */
function distantDatabase() {
  const made = { trips: 0, statements: [] as string[] };
  let ended = 0;
  async function travel<T>(texts: string[], call: () => Promise<T>): Promise<T> {
    const trip = ended + 1;
    made.trips = Math.max(made.trips, trip);
    made.statements.push(...texts);
    try {
      const [result] = await Promise.all([call(), scheduler.wait(LATENCY_MS)]);
      return result;
    } finally {
      ended = Math.max(ended, trip);
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
  const database = {
    withSession(from: string) {
      const session = env.DB.withSession(from);
      return {
        prepare: (text: string) => distant(session.prepare(text), text),
        batch: (statements: D1PreparedStatement[]) =>
          travel(
            statements.map((one) => texts.get(one) ?? ""),
            () => session.batch(statements),
          ),
        getBookmark: () => session.getBookmark(),
      };
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
    const page = await open(path(), customer.cookie);
    expect(page.status).toBe(200);
    expect(page.trips, page.statements.join("\n")).toBe(trips);
    expect(page.statements.filter((text) => text.includes('from "auth_sessions" inner join'))).toHaveLength(1);
  });
}

test("reads a public page for a visitor in one trip, kept or not", async () => {
  // The price list reads more until it is kept, as does any page once after a change of the catalog.
  for (const path of ["/services", "/"]) await open(path, "");
  for (const path of ["/services", "/", "/?ref=mail", "/privacy-policy"]) {
    const page = await open(path, "");
    expect(page.trips, `${path}\n${page.statements.join("\n")}`).toBe(1);
  }
});

test("reads who is logged in once for an action, and once more for the page that answers it", async () => {
  const form = new URLSearchParams({ intent: "name", fullName: "Grace" });
  const reads = ({ statements }: { statements: string[] }) =>
    statements.filter((text) => text.includes('from "auth_sessions" inner join'));
  expect(reads(await open("/dashboard/account", customer.cookie, form))).toHaveLength(2);
  expect(reads(await open("/dashboard/account.data", customer.cookie, form))).toHaveLength(1);
});

test("places an order of the API in one trip once the isolate knows the service", async () => {
  const body = () =>
    new URLSearchParams({ key, action: "add", service: String(serviceId), link: link(), quantity: "100" });
  expect((await open("/api/v2", "", body())).text).toContain('"order"');
  const placed = await open("/api/v2", "", body());
  expect(placed.text).toContain('"order"');
  expect(placed.trips, placed.statements.join("\n")).toBe(1);
});

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

async function open(path: string, cookie: string, form?: URLSearchParams) {
  const { database, made } = distantDatabase();
  const context = createExecutionContext();
  const headers = { ...SAME_SITE, ...(cookie && { Cookie: cookie }) };
  const request = new Request(SITE + path, {
    headers,
    redirect: "manual",
    ...(form && { method: "POST", body: form }),
  });
  const response = await worker.fetch(request as Parameters<typeof worker.fetch>[0], { ...env, DB: database }, context);
  const text = await response.text();
  const answered = { status: response.status, text, trips: made.trips, statements: [...made.statements] };
  await waitOnExecutionContext(context);
  return answered;
}
