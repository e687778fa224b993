import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { emails, ledger, rollups, salesDays, salesDayTotals, serviceDays, settings } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { differenceText } from "#app/orders/reports/report-comparison.ts";
import { formatMoney } from "#app/orders/rules/money-text.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS } from "#app/time.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { readReport } from "./read-report.server.ts";
import { readReportQuery } from "./report-query.ts";
import { isoWeekOf, queueWeeklyReport } from "./weekly-report.server.ts";

/** A night of a Monday. */
const MONDAY = Date.UTC(2026, 10, 23, 3, 17);
const WEEK = Math.floor(MONDAY / DAY_MS) - 7;
const SITE = { ...env, PUBLIC_ORIGIN: "https://shop.example" };

beforeEach(async () => {
  for (const table of [emails, rollups, salesDays, salesDayTotals, serviceDays, settings]) await db.delete(table);
});

test("queues one email per week and address, however often and side by side it runs", async () => {
  await sell(WEEK + 2);
  await setAddresses(["boss@shop.example", "Boss@shop.example", "books@shop.example"]);
  await Promise.all([1, 2, 3].map(() => queueWeeklyReport(connect(env.DB), SITE, MONDAY)));
  await queueWeeklyReport(db, SITE, MONDAY + DAY_MS);
  expect(await recipients()).toEqual(["books@shop.example", "boss@shop.example"]);
  // An address that is added later gets the next one.
  await setAddresses(["boss@shop.example", "new@shop.example"]);
  await queueWeeklyReport(db, SITE, MONDAY + 2 * DAY_MS);
  expect(await recipients()).toHaveLength(2);
  await queueWeeklyReport(db, SITE, MONDAY + 7 * DAY_MS);
  expect(await recipients()).toEqual([
    "books@shop.example",
    "boss@shop.example",
    "boss@shop.example",
    "new@shop.example",
  ]);
});

test("queues it in a later night if it was cut off, and never twice", async () => {
  await sell(WEEK + 2);
  await setAddresses(["boss@shop.example", "books@shop.example"]);
  const cut = connect(env.DB);
  vi.spyOn(cut, "batch").mockRejectedValueOnce(new Error("killed"));
  await expect(queueWeeklyReport(cut, SITE, MONDAY)).rejects.toThrow("killed");
  expect(await recipients()).toEqual([]);
  await queueWeeklyReport(db, SITE, MONDAY + DAY_MS);
  expect(await recipients()).toHaveLength(2);
  // Killed after the batch, before anybody heard of it: the ids are those of the week, and its note is lost.
  await db.delete(rollups);
  await queueWeeklyReport(db, SITE, MONDAY + 3 * DAY_MS);
  expect(await recipients()).toHaveLength(2);
});

test("writes the sums of the page as text and as HTML, with links, and no customer", async () => {
  const name = `Followers <b>& likes</b>`;
  const serviceId = await sell(WEEK + 2, name);
  await sell(WEEK - 1, "Views", 2);
  await setAddresses(["boss@shop.example"]);
  await queueWeeklyReport(db, SITE, MONDAY);
  const [email] = await db.select().from(emails);
  const { subject, text, html } = await openContent(env, email?.id ?? "", email?.sealedContent ?? "");
  const search = new URLSearchParams("by=service&from=2026-11-16&to=2026-11-22");
  const { total, rows } = await readReport(db, readReportQuery(search, MONDAY), MONDAY);
  expect(rows).toMatchObject([{ key: String(serviceId) }, {}]);
  expect(total).toMatchObject({
    now: { revenue: 8 * MICRO, cost: 3 * MICRO, earned: 5 * MICRO },
    before: { revenue: 16 * MICRO },
  });
  expect(subject).toContain("$8.00 in the week of 2026-11-16");
  for (const line of [
    `Revenue: $8.00, ${differenceText(total.now.revenue, total.before.revenue, formatMoney)}`,
    "Orders: 1, 1 less (−50%)",
    "Cost: $3.00, $3.00 less (−50%)",
    "Earned: $5.00, $5.00 less (−50%)",
    "Margin: 62.5%, the same",
    "Refunded: 20.0%, the same",
    `${name}: revenue $8.00, compared $8.00 more, none before, earned $5.00, margin 62.5%`,
    "https://shop.example/admin/reports?by=service&from=2026-11-16&to=2026-11-22",
    "https://shop.example/admin/reports?by=provider&from=2026-11-16&to=2026-11-22",
  ]) {
    expect(text).toContain(line);
  }
  expect(html).toContain("Followers &lt;b&gt;&amp; likes&lt;/b&gt;");
  expect(html).toContain(">$8.00</td>");
  expect(html).toContain('href="https://shop.example/admin/reports?by=service&amp;from=2026-11-16&amp;to=2026-11-22"');
});

test("counts the last minutes of the week, which no job has summed up yet", async () => {
  await setAddresses(["boss@shop.example"]);
  const { userId } = await customerWith(10 * MICRO);
  const fields = { link: "https://instagram.com/p/late", quantity: "1000" };
  const order = { serviceId: await service(), fields, idempotencyKey: null, source: "api" } as const;
  const placed = await placeOrder(db, userId, order);
  const [id, charge] = placed.ok ? [placed.order.id, placed.order.charge] : [0, 0];
  const late = MONDAY - (MONDAY % DAY_MS) - 1;
  await db.update(ledger).set({ createdAt: late }).where(eq(ledger.orderId, id));
  await queueWeeklyReport(db, SITE, MONDAY);
  const [email] = await db.select().from(emails);
  const { subject } = await openContent(env, email?.id ?? "", email?.sealedContent ?? "");
  expect(subject).toContain(`${formatMoney(charge)} in the week of 2026-11-16`);
});

test("queues nothing without an address, or without an order in two weeks", async () => {
  await sell(WEEK + 2);
  await queueWeeklyReport(db, SITE, MONDAY);
  expect(await recipients()).toEqual([]);
  await setAddresses(["boss@shop.example"]);
  await queueWeeklyReport(db, SITE, MONDAY + 21 * DAY_MS);
  expect(await recipients()).toEqual([]);
  await queueWeeklyReport(db, SITE, MONDAY + 28 * DAY_MS);
  expect(await recipients()).toEqual([]);
});

test("names weeks as ISO does, over the ends of years", () => {
  const week = (date: string) => isoWeekOf(Date.parse(date) / DAY_MS);
  expect(["2026-11-16", "2026-12-28", "2027-01-04", "2024-12-30", "2020-12-28"].map(week)).toEqual([
    "2026-W47",
    "2026-W53",
    "2027-W01",
    "2025-W01",
    "2020-W53",
  ]);
});

async function recipients(): Promise<string[]> {
  const rows = await db.select({ to: emails.recipient }).from(emails).where(eq(emails.kind, "report"));
  return rows.map(({ to }) => to).toSorted();
}

async function setAddresses(value: string[]): Promise<void> {
  const row = { name: "report_emails", value, version: 1, changedBy: "staff", changedAt: 0 };
  await db.insert(settings).values(row).onConflictDoUpdate({ target: settings.name, set: { value } });
}

/** Adds orders of $10 of which $2 is refunded and which cost $3, and returns their service. */
async function sell(day: number, name = "Followers", orders = 1): Promise<number> {
  const providerId = await sandboxProvider();
  const serviceId = await service({ name, providerId, providerServiceId: crypto.randomUUID() });
  const sums = {
    orders,
    charged: orders * 10 * MICRO,
    refunds: orders,
    refunded: orders * 2 * MICRO,
    cost: orders * 3 * MICRO,
    costed: orders,
  };
  await db.insert(salesDays).values({ day, serviceId, providerId, ...sums });
  await db.insert(salesDayTotals).values({ day, ...sums });
  return serviceId;
}
