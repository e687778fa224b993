import { SELF } from "cloudflare:test";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { RESOURCE_EXPORTS } from "#app/console/stores/all-stores.server.ts";
import { dateOf } from "#app/orders/sales/sales-period.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { fillLists, YESTERDAY } from "#tests/workerd/list-fill.ts";
import { sessionCookie, storedSignIn } from "#tests/workerd/signed-in-account.ts";
import exportSource from "./list-export.ts?raw";

const ROWS = 2;
const FIGURES =
  "orders, orders_before, revenue_USD amount, revenue_USD_before amount, refunded_orders, refunded_orders_before, " +
  "refunded_USD amount, refunded_USD_before amount, cost_USD amount, cost_USD_before amount, earned_USD amount, " +
  "earned_USD_before amount, margin_percent, margin_percent_before, orders_with_known_cost, orders_with_known_cost_before, " +
  "revenue_by_hand_USD amount, revenue_by_hand_USD_before amount, half_delivered_in_seconds, " +
  "half_delivered_in_seconds_before, nine_of_ten_delivered_in_seconds, nine_of_ten_delivered_in_seconds_before, " +
  "partial_percent, partial_percent_before, canceled_percent, canceled_percent_before";
/** Nobody knows whose orders an old cost was of. */
const OF_CUSTOMER = FIGURES.replace("orders_with_known_cost, orders_with_known_cost_before, ", "");
const EMAIL = "email, queued_at time, recipient, kind, status, attempts, next_attempt_at time, last_error";
const DAYS = `from=${dateOf(YESTERDAY - ROWS)}&to=${dateOf(YESTERDAY)}`;

/**
 * The columns of every list that is exported, which spreadsheets and scripts of our customers and team name: times and amounts
 * are marked where a row has them. Definitions of records give some of these names to form, list and log as well, so that a
 * change of one would change all of them unseen.
 */
const CONSOLE: Record<string, string> = {
  audit:
    "entry, at_utc time, staff_member, action, sentence, subject, subject_type, subject_id, details, reason, undoes, not_undone",
  batches: "batch, name, created_at time, amount amount, codes, uses_per_code, redeemed, expires_at, disabled_at",
  cancellations: "order, service, link, quantity, remains, order_status, requested_at time",
  "codes?batch=1": "ends_in, uses_left, disabled_at",
  customers: "customer, email, name, role, tier, joined_at time, balance amount, owed amount, spent_30_days amount",
  "emails?state=failed": EMAIL,
  "emails?state=suppressed": "since time, address, reason, detail",
  "emails?state=waiting": EMAIL,
  "entries?customer=ID": "entry, at time, kind, order, amount amount, balance amount, note",
  "orders?state=all":
    "order, placed_at time, status, fulfillment, held_for, customer, service, provider, link, quantity, runs, remains, " +
    "charge amount, refunded amount, cost, margin",
  "payments?state=all":
    "payment, started_at time, customer, status, amount amount, received_minor_units, received_currency, credited, " +
    "reversed amount",
  "percent-codes":
    "code, name, ends_in, percent, max_discount, min_charge amount, network, uses_left, per_customer, starts_at time, " +
    "ends_at, disabled_at, created_at time",
  providers:
    "provider, name, api_url, sends_orders, failures_in_a_row, services, margin, to_decide, unknown_words, added_at time",
  quarantine:
    "provider, reason, service, name, state, cost_before, cost_after, rate amount, rate_by_rule, other_terms, found_at time",
  refills: "refill, order, service, link, quantity, status, fulfillment, requested_at time",
  replies: "shortcut, text, tags, assigns_to, note, next_step",
  [`reports?by=customer&${DAYS}`]: `customer_id, customer, ${OF_CUSTOMER}`,
  [`reports?by=day&${DAYS}`]: `day, ${FIGURES}`,
  [`reports?by=provider&${DAYS}`]: `provider_id, provider, ${FIGURES}`,
  [`reports?by=service&${DAYS}`]: `service_id, service, category, ${FIGURES}`,
  services:
    "service, name, network, category, type, provider, provider_rate, rate amount, margin, orders_30_days, p50_seconds, on_sale",
  "tier-services?tier=1":
    "service, name, category, provider, provider_rate, rate amount, tier_rate amount, tier_margin, orders_30_days, on_sale",
};

const CUSTOMERS: Record<string, string> = {
  "orders.csv":
    "order, placed_at time, status, service_id, service, link, quantity, runs, start_count, remains, charge_USD amount, " +
    "refunded_USD amount, price_rule, discount_USD amount, source, interval, comments, usernames, hashtags, hashtag, " +
    "username, media, keywords, groups, answer_number, country, device, type_of_traffic, google_keyword, referring_url, " +
    "min, max, posts, old_posts, delay, expiry",
  "transactions.csv": "entry, at time, kind, order, amount_USD amount, balance_USD amount, note",
};

test("exports every list with the documented columns", async () => {
  const written = [...exportSource.matchAll(/^ {2}"?([\w-]+)"?: export\w+,$/gm)].map(([, name = ""]) => name);
  const named = new Set(Object.keys(CONSOLE).map((path) => path.split("?")[0]));
  expect([...named].sort()).toEqual([...written, ...Object.keys(RESOURCE_EXPORTS)].sort());
  const userId = await fillLists(ROWS);
  const { cookie } = await storedSignIn("admin");
  for (const [path, columns] of Object.entries(CONSOLE)) {
    expect.soft(await columnsAt(`/admin/exports/${path.replace("ID", userId)}`, cookie), path).toBe(columns);
  }
  const own = await sessionCookie(userId);
  for (const [path, columns] of Object.entries(CUSTOMERS)) {
    expect.soft(await columnsAt(`/dashboard/${path}`, own), path).toBe(columns);
  }
});

/** Returns the columns of an export, each with the kind of what its rows have there. */
async function columnsAt(path: string, cookie: string): Promise<string> {
  const answer = await SELF.fetch(SITE + path, { headers: { Cookie: cookie } });
  const [head = [], ...rows]: string[][] = parse(await answer.text(), { bom: true });
  expect(rows.length, path).toBeGreaterThan(0);
  return head
    .map((name, at) => `${name} ${kindOf(rows.map((row) => row[at] ?? "").find((cell) => cell !== "") ?? "")}`.trim())
    .join(", ");
}

function kindOf(cell: string): string {
  if (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(cell)) return "time";
  return /^-?\d+\.\d{2,6}$/.test(cell) ? "amount" : "";
}
