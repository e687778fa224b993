import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createTier } from "#app/console/stores/tier-store.server.ts";
import {
  auditLog,
  cancellations,
  checkouts,
  ledger,
  massOrders,
  orders,
  providers,
  redeemBatches,
  refills,
} from "#app/db/schema.server.ts";
import { servicePath } from "#app/orders/catalog/price-list/service-path.ts";
import { refreshServiceTimes } from "#app/orders/delivery/service-times.server.ts";
import { lineKey } from "#app/orders/mass/mass-order-keys.server.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { pagesWithLoader, SITE } from "#tests/workerd/all-routes.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { loader as loadConversation } from "./admin/support/conversation-page.tsx";

/** Reads every page that shows an order, as a browser without scripts, and compares it with the stored order. */

const NOW = Date.now();
const PROVIDER = "Upstream";
const CUSTOMER = await signedIn("customer", "Ada Customer");
const STAFF = { agent: await signedIn("agent"), admin: await signedIn("admin") };
const COOKIES = { customer: CUSTOMER.cookie, agent: STAFF.agent.cookie, admin: STAFF.admin.cookie };
type Viewer = keyof typeof COOKIES;
type Stored = Partial<typeof orders.$inferInsert> & { charge: number };

/** Ids that nothing else on a page has. No two orders have an amount, a status with its reason or a service in common. */
const STORED: Record<number, Stored> = {
  70001: { charge: 2_400_000, status: "Completed", fulfillment: "accepted" },
  70002: { charge: 3_600_000, status: "Partial", fulfillment: "accepted", refunded: 1_200_000 },
  70003: { charge: 4_800_000, status: "Processing", fulfillment: "held", heldFor: "cut_off" },
  70004: { charge: 5_100_000, status: "In progress", fulfillment: "accepted" },
  70005: { charge: 6_300_000, status: "Pending", fulfillment: "manual" },
  70006: { charge: 7_200_000, status: "Canceled", fulfillment: "rejected", refunded: 7_200_000 },
};
const IDS = Object.keys(STORED).map(Number);
/** Without the id, which the price list would name too. */
const serviceOf = (id: number) => `Service ${"ABCDEF"[IDS.indexOf(id)]} of Upstream`;

const MASS_KEY = "shown-orders";
const CONVERSATION = userSessionId(CUSTOMER.userId);

const FOUND = await store();
/** Number of pages read of each kind that shows at most one order, such as the page of a service. */
const PAGES_EACH = atScale(2, IDS.length);
/** Values for the parameters of each path. */
const PARAMS: Record<string, (number | string)[]> = {
  "/admin/audit/:id": FOUND.audit,
  "/admin/codes/:id": [FOUND.batch],
  "/admin/customers/:id": [CUSTOMER.userId],
  "/admin/orders/:id": IDS,
  "/admin/payments/:id": [FOUND.payment],
  "/admin/providers/:id": [FOUND.provider],
  "/admin/services/:id": FOUND.services.slice(0, PAGES_EACH),
  "/admin/services/changes/:id": FOUND.audit.slice(-1),
  "/admin/support/:id": [CONVERSATION],
  "/admin/tiers/:id": [FOUND.tier],
  "/dashboard/orders/:id": IDS,
  "/dashboard/orders/mass/:id": [FOUND.mass],
  "/dashboard/transactions/:id": FOUND.entries.slice(0, PAGES_EACH),
  "/services/:service": IDS.slice(0, PAGES_EACH).map((id, at) =>
    servicePath({ id: FOUND.services[at] ?? 0, name: serviceOf(id) }).replace("/services/", ""),
  ),
};

type Fact = "service" | "status" | "charge" | "refunded";

/** Facts that each page shows about an order. The test fails for a page that names an order and isn't listed here. */
const SHOWS: Record<string, Fact[]> = {
  "/admin/orders": ["service", "status", "charge", "refunded"],
  "/admin/orders/:id": ["service", "status", "charge", "refunded"],
  "/admin/orders/bulk": ["charge"],
  "/admin/orders/requests": ["service"],
  "/admin/customers/:id": ["charge"],
  "/dashboard": ["service", "status", "charge", "refunded"],
  "/dashboard/orders": ["service", "status", "charge", "refunded"],
  "/dashboard/orders/:id": ["service", "status", "charge", "refunded"],
  "/dashboard/orders/mass/:id": ["service", "status", "charge", "refunded"],
  "/dashboard/transactions": ["charge"],
  "/dashboard/transactions/:id": ["service", "charge"],
};

test("every page that names an order shows its service, status and amounts, and no other order's", async () => {
  const wrong: string[] = [];
  const seen = new Map<string, Set<number>>();
  // The console answers 404 to agents where only admins may read.
  const unread = new Set<string>();
  const answered = new Set<string>();
  for (const { pattern, path, viewer } of pages()) {
    const html = await read(path, viewer);
    if (pattern.includes("/:")) (html === null ? unread : answered).add(path);
    for (const id of html === null ? [] : IDS) {
      const block = blockOf(html ?? "", id, path.endsWith(`/orders/${id}`));
      if (block === null) continue;
      seen.set(pattern, (seen.get(pattern) ?? new Set()).add(id));
      const missing = (SHOWS[pattern] ?? ["is not in the list of pages" as Fact]).filter((fact) => {
        const text = factsOf(id)[fact];
        // The table of staff says in place of a held order's status that it is held.
        const isHeld = fact === "status" && STORED[id]?.fulfillment === "held" && block.includes("Held");
        return text !== null && !block.includes(text ?? fact) && !isHeld;
      });
      const others = IDS.filter((other) => other !== id && block.includes(serviceOf(other)));
      if (missing.length + others.length > 0) wrong.push(`${viewer} ${path} ${id}, ${missing}, ${others}: ${block}`);
    }
  }
  expect([...unread].filter((path) => !answered.has(path))).toEqual([]);
  expect(wrong).toEqual([]);
  expect([...seen.keys()].sort()).toEqual(Object.keys(SHOWS).sort());
  const complete = ["/admin/orders", "/admin/orders/:id", "/dashboard/orders", "/dashboard/orders/:id"];
  for (const pattern of [...complete, "/dashboard/orders/mass/:id"]) {
    expect([...(seen.get(pattern) ?? [])].sort(), pattern).toEqual(IDS);
  }
  // The latest ones.
  expect(seen.get("/dashboard")?.size).toBeGreaterThanOrEqual(5);
});

test("the panel beside a conversation, which scripts draw, gets each latest order's own service, status and charge", async () => {
  const path = `/admin/support/${CONVERSATION}`;
  const request = new Request(SITE + path, { headers: { Cookie: COOKIES.agent } });
  const { account, orders: shown } = await loadConversation({
    request,
    params: { id: CONVERSATION },
    context: loadContext(),
  });
  expect(account).toMatchObject({ userId: CUSTOMER.userId, email: CUSTOMER.email });
  const latest = IDS.toReversed().slice(0, 5);
  const expected = latest.map((id) => ({
    id,
    service: serviceOf(id),
    status: STORED[id]?.status,
    fulfillment: STORED[id]?.fulfillment,
    charge: STORED[id]?.charge,
  }));
  expect(shown).toMatchObject(expected);
});

/** Returns how pages write what is stored about an order. Null: they say nothing about it. */
function factsOf(id: number): Record<Fact, string | null> {
  const { charge, refunded = 0, status = "" } = STORED[id] ?? { charge: 0 };
  const money = (micro: number) => `$${(micro / 1e6).toFixed(2)}`;
  return {
    service: serviceOf(id),
    status,
    charge: money(charge),
    refunded: refunded === 0 ? null : money(refunded),
  };
}

function pages(): { pattern: string; path: string; viewer: Viewer }[] {
  return pagesWithLoader().flatMap((pattern) => {
    if (/^\/(api|auth|debug|functions|\.well-known)/.test(pattern)) return [];
    const staff: Viewer[] = atScale(0, 1) || SHOWS[pattern] ? ["agent", "admin"] : ["admin"];
    const viewers: Viewer[] = pattern.startsWith("/admin") ? staff : ["customer"];
    return viewers.flatMap((viewer) => pathsOf(pattern).map((path) => ({ pattern, path, viewer })));
  });
}

function pathsOf(pattern: string): string[] {
  if (pattern.includes("/:")) {
    const params = PARAMS[pattern];
    if (!params) throw new Error(`${pattern} needs its parameter in PARAMS`);
    return params.map((param) => pattern.replace(/:\w+/, String(param)));
  }
  const queries: Record<string, string[]> = {
    "/admin/orders": ["", "?state=all", "?state=held", "?state=open", "?q=70001", `?q=${CUSTOMER.email}`],
    "/admin/orders/bulk": IDS.filter((one) => STORED[one]?.fulfillment === "held").map(
      (one) => `?id=${one}&decide=refund`,
    ),
  };
  return (queries[pattern] ?? [""]).map((query) => pattern + query);
}

async function read(path: string, viewer: Viewer): Promise<string | null> {
  const response = await SELF.fetch(SITE + path, { headers: { Cookie: COOKIES[viewer] }, redirect: "manual" });
  const text = await response.text();
  if (response.status !== 200 || !/html/.test(response.headers.get("Content-Type") ?? "")) return null;
  return text.replace(/<script[\s\S]*?<\/script>/g, "").replace(/<!-- -->/g, "");
}

/** Returns the text of the rows, list items and articles that name the order, or else of the page if it does, or null. */
function blockOf(html: string, id: number, isItsPage: boolean): string | null {
  if (!html.includes(String(id))) return null;
  const main = /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? html;
  const rows = [...main.matchAll(/<(tr|li|article)\b(?:(?!<(?:tr|li|article)\b)[\s\S])*?<\/\1>/g)].map(([row]) => row);
  // By its text or by a link to it. Other links of a page about several orders name them all.
  const isNamed = (part: string) => textOf(part).includes(String(id)) || part.includes(`/orders/${id}"`);
  const named = (isItsPage ? [main] : rows).filter(isNamed);
  if (named.length === 0 && !isNamed(main)) return null;
  return textOf(named.length > 0 ? named.join(" ") : main);
}

function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&#x27;", "'")
    .replace(/\s+/g, " ")
    .trim();
}

/** Stores the orders of one mass order with their charges, and one of each other thing that has a page. Returns their ids. */
async function store() {
  const entries: number[] = [];
  const served: number[] = [];
  const [provider] = await db
    .insert(providers)
    .values({ name: PROVIDER, apiUrl: "https://provider.example", encryptedKey: "", createdAt: NOW })
    .returning({ id: providers.id });
  for (const [id, stored] of Object.entries(STORED)) {
    const at = NOW - 60_000;
    const serviceId = await service({ name: serviceOf(Number(id)), refill: true, cancel: true });
    served.push(serviceId);
    await db.insert(orders).values({
      id: Number(id),
      userId: CUSTOMER.userId,
      serviceId,
      type: "Default",
      link: `https://instagram.com/p/${id}`,
      quantity: 1000,
      remains: 500,
      idempotencyKey: lineKey(MASS_KEY, served.length),
      requestDigest: "",
      source: "web",
      fulfillment: "accepted",
      providerId: stored.fulfillment === "manual" ? null : provider?.id,
      providerServiceId: "1",
      providerOrderId: `there-${id}`,
      createdAt: at,
      updatedAt: at,
      ...stored,
    });
    const charge = db.insert(ledger).values({
      userId: CUSTOMER.userId,
      orderId: Number(id),
      kind: "charge",
      amount: -stored.charge,
      balanceAfter: 1_000_000_000,
      createdAt: at,
    });
    for (const entry of await charge.returning({ id: ledger.id })) entries.push(entry.id);
  }
  const waiting = { userId: CUSTOMER.userId, fulfillment: "manual", createdAt: NOW, updatedAt: NOW } as const;
  await db.insert(refills).values({ ...waiting, orderId: 70001 });
  await db.insert(cancellations).values({ ...waiting, orderId: 70005 });
  await refreshServiceTimes(db, NOW);
  const room = env.SUPPORT_ROOM.getByName(CONVERSATION);
  const { userId, email } = CUSTOMER;
  await room.open({ sessionId: CONVERSATION, userId, name: "Ada Customer", email, origin: SITE });
  const [mass] = await db
    .insert(massOrders)
    .values({
      userId,
      idempotencyKey: MASS_KEY,
      requestDigest: "",
      placed: IDS.length,
      skipped: 0,
      charge: Object.values(STORED).reduce((sum, { charge }) => sum + charge, 0),
      createdAt: NOW,
    })
    .returning({ id: massOrders.id });
  const [batch] = await db
    .insert(redeemBatches)
    .values({ name: "Spring", amount: 1_000_000, count: 1, maxUses: 1, createdAt: NOW })
    .returning({ id: redeemBatches.id });
  const staff = { userId: STAFF.admin.userId, name: "Grace Admin" };
  const gold = { name: "Gold of shown orders", kind: "fixed", basisPoints: 0 } as const;
  const tier = await createTier(db, staff, gold, crypto.randomUUID());
  const payment = crypto.randomUUID();
  await db.insert(checkouts).values({ id: payment, userId, amount: 5_000_000, createdAt: NOW, updatedAt: NOW });
  const entry = {
    actorId: STAFF.admin.userId,
    actorName: "Grace Admin",
    subjectType: "service",
    createdAt: NOW,
  } as const;
  const serviceId = String(served[0]);
  const audit = await db
    .insert(auditLog)
    .values([
      { ...entry, action: "service.change", subjectId: serviceId, detail: { cancel: [false, true] } },
      {
        ...entry,
        action: "services.change",
        subjectId: "several",
        detail: { change: "On sale", field: "enabled", count: 1, services: { [serviceId]: [false, true] } },
      },
    ])
    .returning({ id: auditLog.id });
  return {
    entries,
    services: served,
    provider: provider?.id ?? 0,
    mass: mass?.id ?? 0,
    batch: batch?.id ?? 0,
    tier: tier.ok ? tier.tierId : 0,
    payment,
    audit: audit.map(({ id }) => id),
  };
}
