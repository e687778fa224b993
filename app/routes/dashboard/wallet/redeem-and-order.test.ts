import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { createCodes } from "#app/console/stores/code-batch-store.server.ts";
import { orders, services } from "#app/db/schema.server.ts";
import { redeemCode } from "#app/orders/top-up/redeem-code.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { db, listLedger, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

const CHARGE = 2 * MICRO;
const STAFF = { userId: "staff-1", name: "Grace Admin" };

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("redeems a code and places the order that it pays for", async () => {
  const visit = await orderOnTheWay();
  const page = await visit.get();
  expect(page).toContain("Redeem and place order");
  const placed = await visit.redeem(await code(5));
  expect(placed).toMatchObject({ status: 302, location: `/dashboard?placed=${await visit.onlyOrder()}` });
  expect(await visit.money()).toEqual({ balance: 3 * MICRO, entries: [-CHARGE, 5 * MICRO] });
});

test("keeps a code's amount when it doesn't cover the order, and says what is missing", async () => {
  const visit = await orderOnTheWay();
  const { status, html } = await visit.redeem(await code(1));
  expect(status).toBe(200);
  expect(html).toContain("$1.00 added. New balance: $1.00.");
  expect(html).toMatch(/You need .*\$1\.00.* more/);
  expect(await visit.placed()).toEqual([]);
  expect(await visit.money()).toEqual({ balance: MICRO, entries: [MICRO] });
});

const CHANGES: [string, Partial<typeof services.$inferInsert>, string][] = [
  ["its price rises", { rate: 3 * MICRO }, "The price has changed, so nothing was ordered."],
  ["it is taken off sale", { enabled: false }, "This service is no longer available, so nothing was ordered."],
];

test.for(CHANGES)("redeems the code and orders nothing after %s", async ([, change, text]) => {
  const visit = await orderOnTheWay();
  await db.update(services).set(change).where(eq(services.id, visit.serviceId));
  const { status, html } = await visit.redeem(await code(5));
  expect(status).toBe(200);
  expect(html).toContain(`$5.00 added. New balance: $5.00. ${text}`);
  expect(await visit.placed()).toEqual([]);
  expect(await visit.money()).toEqual({ balance: 5 * MICRO, entries: [5 * MICRO] });
});

test("orders nothing with a code that credits nothing", async () => {
  const visit = await orderOnTheWay();
  const { status, html } = await visit.redeem("GL-0000-0000-0000-0000");
  expect([status, html.includes("recognize this code")]).toEqual([400, true]);
  expect(await visit.placed()).toEqual([]);
  expect(await visit.money()).toEqual({ balance: 0, entries: [] });
});

test("leads the form that is sent twice to the order that it placed", async () => {
  const visit = await orderOnTheWay();
  const text = await code(5);
  const first = await visit.redeem(text);
  expect(await visit.redeem(text)).toMatchObject({ status: 302, location: first.location });
  // Another price, or no service at all, doesn't undo it.
  await db
    .update(services)
    .set({ rate: 9 * MICRO })
    .where(eq(services.id, visit.serviceId));
  expect(await visit.redeem(text)).toMatchObject({ status: 302, location: first.location });
  await db.update(services).set({ enabled: false }).where(eq(services.id, visit.serviceId));
  expect(await visit.place()).toMatchObject({ status: 302, location: first.location });
  expect(first.location).toBe(`/dashboard?placed=${await visit.onlyOrder()}`);
  expect(await visit.money()).toEqual({ balance: 3 * MICRO, entries: [-CHARGE, 5 * MICRO] });
});

test("leads forms that are sent at once to one order", async () => {
  const visit = await orderOnTheWay();
  const text = await code(5);
  const sent = await Promise.all(Array.from({ length: 5 }, () => visit.redeem(text)));
  const path = `/dashboard?placed=${await visit.onlyOrder()}`;
  expect(sent.map(({ status, location }) => [status, location])).toEqual(sent.map(() => [302, path]));
  expect(await visit.money()).toEqual({ balance: 3 * MICRO, entries: [-CHARGE, 5 * MICRO] });
});

test("places the order when the form is sent again after it was cut off behind the code", async () => {
  const visit = await orderOnTheWay();
  const text = await code(5);
  expect(await redeemCode(db, visit.userId, text)).toMatchObject({ ok: true });
  const placed = await visit.redeem(text);
  expect(placed).toMatchObject({ status: 302, location: `/dashboard?placed=${await visit.onlyOrder()}` });
  expect(await visit.money()).toEqual({ balance: 3 * MICRO, entries: [-CHARGE, 5 * MICRO] });
});

test("says that a code was redeemed before when the order needs more than the balance", async () => {
  const visit = await orderOnTheWay();
  const text = await code(1);
  await visit.redeem(text);
  const { status, html } = await visit.redeem(text);
  expect(status).toBe(409);
  expect(html).toContain("You already redeemed this code.");
  expect(await visit.placed()).toEqual([]);
  expect(await visit.money()).toEqual({ balance: MICRO, entries: [MICRO] });
});

/** A customer without money whose order of $2 waits on the top-up page. One form, as a page has it, is sent by all. */
async function orderOnTheWay() {
  const { cookie, userId } = await signedIn();
  const serviceId = await service({ name: "Instagram likes", rate: MICRO });
  const order = { service: String(serviceId), link: "https://www.instagram.com/p/Cxyz123/", quantity: "2000" };
  const path = `/dashboard/top-up?${new URLSearchParams(order)}`;
  const hidden = { idempotencyKey: `web-${crypto.randomUUID()}`, charge: String(CHARGE), again: "" };
  const send = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ ...hidden, ...fields });
    const init = { method: "POST", headers: { Cookie: cookie, ...SAME_SITE }, body, redirect: "manual" } as const;
    const response = await SELF.fetch(SITE + path, init);
    // React puts comments between the parts of a text.
    const html = (await response.text()).replaceAll("<!-- -->", "");
    return { status: response.status, location: response.headers.get("Location"), html };
  };
  const placed = () => db.select().from(orders).where(eq(orders.userId, userId));
  return {
    userId,
    serviceId,
    get: async () => (await SELF.fetch(SITE + path, { headers: { Cookie: cookie } })).text(),
    redeem: (text: string) => send({ intent: "code", code: text, order: "on" }),
    place: () => send({ intent: "order" }),
    placed,
    async onlyOrder() {
      const own = await placed();
      expect(own).toMatchObject([{ charge: CHARGE, refunded: 0, link: order.link }]);
      return own[0]?.id;
    },
    /** The balance, and the amounts of the ledger, newest first. */
    async money() {
      const entries = await listLedger(userId, 10);
      return { balance: await readBalance(db, userId), entries: entries.map(({ amount }) => amount) };
    },
  };
}

async function code(dollars: number): Promise<string> {
  const batch = { name: "Test codes", amount: dollars * MICRO, count: 1, maxUses: 1, expiresAt: null };
  const created = await createCodes(db, STAFF, batch, crypto.randomUUID());
  return created?.codes[0] ?? "";
}
