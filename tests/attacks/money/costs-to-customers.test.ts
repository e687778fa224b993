import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { desc, eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { ledger, massOrders, orders, webhookDeliveries } from "#app/db/schema.server.ts";
import { lineKey } from "#app/orders/mass/mass-order-keys.server.ts";
import { MICRO } from "#app/product.ts";
import { pagesWithLoader, routesWithLoader, SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { db, newKey } from "#tests/workerd/customer.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor } from "#tests/workerd/support-visitor.ts";
import { COST, costedOrders, leaksIn, ORDERS } from "./cost-canary.ts";

const ORDER_FORM = {
  intent: "order",
  idempotencyKey: "web-costs",
  shownPrice: "9000000 per 1000",
  link: "https://instagram.com/p/costform",
  quantity: "1000",
};
/** Every list of the console that is exported, but for the services of a tier, which name their tier. */
const EXPORTS = [
  ...["audit", "batches", "cancellations", "codes?batch=1", "customers", "emails", "entries", "orders", "payments"],
  ...["percent-codes", "providers", "quarantine", "refills", "replies", "reports", "services"],
];

/** Pages about orders and services, which are asked for as a whole too, and files about them. */
const WHOLE_PAGES = {
  customer: ["/dashboard/orders", "/dashboard/orders/:id", "/dashboard/orders/mass/:id", "/dashboard/services/:id"],
  agent: ["/admin/orders", "/admin/orders/:id"],
  visitor: ["/", "/services", "/services/:service"],
};
const FILES = {
  customer: ["/dashboard/orders.csv", "/dashboard/account/export"],
  agent: [],
  visitor: ["/catalog.json"],
};

let customer: SignedInAccount;
let agent: SignedInAccount;
let admin: SignedInAccount;
let chat: Awaited<ReturnType<typeof newVisitor>>;
let apiKey: string;
let ids: { orders: number[]; service: number; provider: number; entry: number; mass: number };

beforeAll(async () => {
  [customer, agent, admin] = [await signedIn(), await signedIn("agent"), await signedIn("admin")];
  chat = await newVisitor();
  const { userId } = customer;
  const costed = await costedOrders(userId);
  apiKey = (await newKey(userId, { name: "test", scopes: ["read", "order"] })).key;
  const [entry] = await db.select().from(ledger).where(eq(ledger.userId, userId)).orderBy(desc(ledger.id)).limit(1);
  ids = { ...costed, entry: entry?.id ?? 0, mass: await massOrderOf(userId, costed.orders) };
});

test("shows an admin what an order costs, so that the search for it finds what is there", async () => {
  const found: string[] = [];
  for (const order of ids.orders) {
    for (const path of [`/admin/orders/${order}`, `/admin/orders/${order}.data`]) {
      const { status, leaks } = await search(path, { Cookie: admin.cookie });
      expect(status, path).toBe(200);
      if (leaks.length > 0) found.push(path);
    }
  }
  expect(found.length).toBeGreaterThan(ids.orders.length);
  for (const by of ["day", "service", "provider", "customer"]) {
    const { status, text } = await search(`/admin/exports/reports?by=${by}&to=${today()}`, { Cookie: admin.cookie });
    expect([by, status]).toEqual([by, 200]);
    expect(text, by).toContain(((ORDERS * COST) / MICRO).toFixed(6));
  }
});

for (const who of ["customer", "agent", "visitor"] as const) {
  test(`tells a ${who} on no page, in no answer and in no file what an order costs`, async () => {
    const cookie = { customer: customer.cookie, agent: agent.cookie, visitor: chat.cookie }[who];
    const found: string[] = [];
    const read = new Set<string>();
    const pages = pagesWithLoader();
    const whole = new Set(WHOLE_PAGES[who]);
    for (const route of routesWithLoader()) {
      for (const path of pathsOf(route)) {
        const data = path === "/" ? "/_root.data" : path.replace(/(\?|$)/, ".data$1");
        // A page holds the data of its loaders and nothing else, so `npm test` asks for the data of most.
        const both = whole.has(route) ? [data, path] : [data, path].slice(0, atScale(1, 2));
        for (const asked of pages.includes(route) ? both : [path]) {
          const { status, leaks } = await search(asked, { Cookie: cookie });
          if (status === 200) read.add(route);
          if (leaks.length > 0) found.push(`${asked}: ${leaks.join(", ")}`);
          // Whom the loaders refuse their data, they refuse the page.
          if (asked === data && status !== 200) break;
        }
      }
    }
    expect(found).toEqual([]);
    for (const route of [...WHOLE_PAGES[who], ...FILES[who]]) expect([...read], who).toContain(route);
    expect([...read]).not.toContain("/admin/exports/:list");
    expect([...read]).not.toContain("/admin/providers/:id");
  }, 240_000);
}

test("tells a customer in no answer to a form, and an agent in no export, what an order costs", async () => {
  const order = { ...ORDER_FORM, service: String(ids.service) };
  const lines = `${ids.service} | https://instagram.com/p/costmass | 1000`;
  const posts: [path: string, fields: Record<string, string>][] = [
    ["/dashboard?index", order],
    ["/dashboard.data?index", { ...order, idempotencyKey: "web-data", link: "https://instagram.com/p/costdata" }],
    ["/dashboard/orders/mass/check", { lines }],
    ["/dashboard/orders/mass", { intent: "check", lines }],
    ["/dashboard/percent-code", { code: "NOSUCHCODE" }],
    [`/dashboard/orders/${ids.orders[3]}`, { intent: "cancel" }],
  ];
  const found: string[] = [];
  for (const [path, fields] of posts) {
    const { status, leaks } = await search(path, { Cookie: customer.cookie }, new URLSearchParams(fields));
    expect(status, path).toBeLessThan(path.startsWith("/dashboard?") ? 201 : 500);
    found.push(...leaks.map((leak) => `${path}: ${leak}`));
  }
  for (const list of EXPORTS) {
    for (const { cookie } of [agent, customer, chat]) {
      expect((await search(`/admin/exports/${list}`, { Cookie: cookie })).status, list).not.toBe(200);
    }
    expect((await search(`/admin/exports/${list}`, { Cookie: admin.cookie })).status, list).toBe(200);
  }
  expect(found).toEqual([]);
});

test("tells a program in no answer of either API what an order costs", async () => {
  const [order = 0] = ids.orders;
  const link = "https://instagram.com/p/costprogram";
  const panel: Record<string, string>[] = [
    { action: "services" },
    { action: "balance" },
    { action: "status", order: String(order) },
    { action: "status", orders: ids.orders.join(",") },
    { action: "add", service: String(ids.service), link, quantity: "1000" },
    { action: "refill", order: String(order) },
    { action: "refill_status", refill: "1" },
    { action: "cancel", orders: ids.orders.join(",") },
  ];
  const found: string[] = [];
  for (const params of panel) {
    const body = new URLSearchParams({ key: apiKey, ...params });
    const { status, leaks } = await search("/api/v2", {}, body);
    expect([params.action, status]).toEqual([params.action, 200]);
    found.push(...leaks.map((leak) => `${params.action}: ${leak}`));
  }
  const headers = { Authorization: `Bearer ${apiKey}`, "X-API-Key": apiKey };
  for (const path of ["/api/v1/orders", "/api/openapi.json", "/catalog.json"]) {
    const { status, leaks } = await search(path, headers);
    expect([path, status]).toEqual([path, 200]);
    found.push(...leaks.map((leak) => `${path}: ${leak}`));
  }
  const fields = JSON.stringify({ service: ids.service, link: `${link}2`, quantity: 1000 });
  const created = await search("/api/v1/create_order", { ...headers, "Content-Type": "application/json" }, fields);
  found.push(...created.leaks);
  expect(found).toEqual([]);
});

test("tells an endpoint in no webhook, and nobody in a change of the catalog, what an order costs", async () => {
  const deliveries = await db.select().from(webhookDeliveries);
  expect(deliveries.length).toBeGreaterThanOrEqual(2);
  for (const { event, body } of deliveries) expect(leaksIn(body), event).toEqual([]);
  const changes = await env.DB.prepare("select before, after from service_changes").all();
  expect(changes.results.length).toBeGreaterThan(0);
  expect(leaksIn(JSON.stringify(changes.results))).toEqual([]);
});

/** Makes these orders lines of one mass order, and returns its id. */
async function massOrderOf(userId: string, orderIds: number[]): Promise<number> {
  const idempotencyKey = "one-mass-order";
  for (const [at, id] of orderIds.entries()) {
    await db
      .update(orders)
      .set({ idempotencyKey: lineKey(idempotencyKey, at + 1) })
      .where(eq(orders.id, id));
  }
  const row = {
    userId,
    idempotencyKey,
    requestDigest: "",
    placed: orderIds.length,
    skipped: 0,
    charge: 1,
    createdAt: 1,
  };
  const [mass] = await db.insert(massOrders).values(row).returning({ id: massOrders.id });
  return mass?.id ?? 0;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** Returns what a route may be asked for: each order, and one of everything else. */
function pathsOf(route: string): string[] {
  const named = route
    .replace("/support/sessions/:id", `/support/sessions/${chat.sessionId}`)
    .replace("/admin/support/:id", `/admin/support/${chat.sessionId}`)
    .replace("orders/mass/:id", `orders/mass/${ids.mass}`)
    .replace("services/:service", `services/${ids.service}-likes`)
    .replace("services/:id", `services/${ids.service}`)
    .replace("providers/:id", `providers/${ids.provider}`)
    .replace("transactions/:id", `transactions/${ids.entry}`)
    .replace("customers/:id", `customers/${customer.userId}`);
  if (named.endsWith("orders/:id")) return ids.orders.map((id) => named.replace(":id", String(id)));
  const path = named.replaceAll(/:\w+/g, "1");
  return path === "/dashboard/orders/live" ? [`${path}?ids=${ids.orders.join(",")}`] : [path];
}

async function search(path: string, headers: Record<string, string>, body?: BodyInit) {
  const request = { headers: { ...SAME_SITE, ...headers }, redirect: "manual" } as const;
  const response = await SELF.fetch(SITE + path, body === undefined ? request : { ...request, method: "POST", body });
  const isStream = response.headers.get("Content-Type")?.includes("event-stream") || response.webSocket !== null;
  if (isStream) await response.body?.cancel();
  const text = isStream ? "" : await response.text();
  return { status: response.status, text, leaks: leaksIn(text) };
}
