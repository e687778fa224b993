import { parse } from "csv-parse/sync";
import { callPanel } from "../world/customers/order-customer.ts";
import type { Customer, World } from "../world/open-world.ts";
import type { Site } from "../world/site.ts";
import { FINAL, type OrderRow, type Violation } from "./violation.ts";

const IDS_PER_CALL = 100;
const MAX_PAGES = 500;
const MICRO = 1_000_000;

type ExportedOrder = {
  id: number;
  link: string;
  status: string;
  remains: number;
  charge: string;
  refunded: string;
};
/** `orders` are those of a subscription's posts. Older commits have none, and the words of every other order. */
type StatusEntry = { charge?: string; status?: string; remains?: string; posts?: string; orders?: string[] };

/** Every order and ledger entry is in each of its owner's views once, with the same amounts. */
export async function judgeViews(site: Site, world: World, rows: OrderRow[]): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const customer of world.customers) {
    if (customer.hasLeft) continue;
    const own = rows.filter(({ user_id }) => user_id === customer.userId);
    const broken = (rule: string, truth: unknown, product: unknown) =>
      violations.push({ rule, subject: customer.person.email, world: truth, product });
    await judgeStatuses(site, customer, own, broken);
    await judgePages(customer, "/dashboard/orders", own, broken);
    await judgeOrderExport(customer, own, broken);
    await judgeLedgerViews(site, customer, broken);
    await judgeAccountExport(customer, own, broken);
    for (const _ of own) site.count("order compared in four views");
  }
  return violations;
}

type Report = (rule: string, truth: unknown, product: unknown) => void;

async function judgeStatuses(site: Site, customer: Customer, own: OrderRow[], broken: Report): Promise<void> {
  for (let from = 0; from < own.length; from += IDS_PER_CALL) {
    const part = own.slice(from, from + IDS_PER_CALL);
    const ids = part.map(({ id }) => id).join(",");
    const shown = (await callPanel(site, customer, { action: "status", orders: ids })) as Record<string, StatusEntry>;
    for (const row of part) {
      const entry = shown?.[row.id];
      const isSame =
        entry?.status === (entry?.orders ? subscriptionStatusOf(row, entry.orders) : row.status) &&
        Number(entry.posts ?? 0) === (entry.orders ?? []).length &&
        Number(entry.remains) === row.remains &&
        microOf(entry.charge) === row.charge - row.refunded;
      if (!isSame) broken("the API's status shows the order", row, entry);
      if (entry?.orders) await judgePosts(site, customer, { row, ids: entry.orders }, broken);
    }
  }
}

/** The orders of an ended subscription's posts cost what it costs: a panel that resells sums them. */
async function judgePosts(
  site: Site,
  customer: Customer,
  { row, ids }: { row: OrderRow; ids: string[] },
  broken: Report,
): Promise<void> {
  if (!FINAL.includes(row.status) || ids.length === 0) return;
  let charge = 0;
  for (let from = 0; from < ids.length; from += IDS_PER_CALL) {
    const part = ids.slice(from, from + IDS_PER_CALL);
    const shown = (await callPanel(site, customer, { action: "orders", orders: part.join(",") })) as Record<
      string,
      StatusEntry
    >;
    for (const id of part) charge += microOf(shown?.[id]?.charge) ?? 0;
  }
  if (charge !== row.charge - row.refunded) broken("a subscription's posts cost what it costs", row, { ids, charge });
}

/** What a panel that resells is told: it refunds its customer all of a canceled subscription. */
function subscriptionStatusOf({ status }: OrderRow, orders: string[]): string {
  if (!FINAL.includes(status)) return "Active";
  if (status === "Completed") return status;
  return status === "Canceled" && orders.length === 0 ? "Canceled" : "Expired";
}

/** Follows a list to its last page. Returns null in a product without it. */
async function linksOf({ person }: Customer, path: string, link: RegExp): Promise<string[] | null> {
  const found: string[] = [];
  let next: string | null = path;
  for (let pages = 0; next !== null && pages < MAX_PAGES; pages++) {
    const response = await person.get(next);
    if (response.status === 404) return null;
    const html: string = await response.text();
    // A row may link to its page several times.
    found.push(...new Set([...html.matchAll(link)].map(([, id]) => id as string)));
    const older: string | undefined = new RegExp(`href="(${path}\\?before=\\d+)"`).exec(html)?.[1];
    next = older ?? null;
  }
  return found;
}

async function judgePages(customer: Customer, path: string, own: OrderRow[], broken: Report): Promise<void> {
  const shown = await linksOf(customer, path, new RegExp(`href="${path}/(\\d+)"`, "g"));
  const expected = own.map(({ id }) => String(id)).reverse();
  if (shown && shown.join() !== expected.join())
    broken("the list's pages show each order once, newest first", expected, shown);
}

async function judgeOrderExport(customer: Customer, own: OrderRow[], broken: Report): Promise<void> {
  const lines = await readCsv(customer, "/dashboard/orders.csv");
  if (!lines) return;
  if (lines.length !== own.length) broken("the export has each order once", own.length, lines.length);
  for (const [index, row] of own.entries()) {
    const line = lines[index];
    const isSame =
      Number(line?.order) === row.id &&
      line?.status === row.status &&
      line.link === row.stored_link &&
      Number(line.remains) === row.remains &&
      microOf(line.charge_USD) === row.charge &&
      microOf(line.refunded_USD) === row.refunded;
    if (!isSame) broken("the export shows the order", row, line);
  }
}

/** The account's export has each order as it ended. */
async function judgeAccountExport({ person }: Customer, own: OrderRow[], broken: Report): Promise<void> {
  const response = await readExport(person, "/dashboard/account/export");
  if (response.status === 404) return;
  if (!response.ok) return broken("an account can be exported", person.email, response.status);
  const { orders } = (await response.json()) as { orders: ExportedOrder[] };
  const isSame = (row: OrderRow, line: ExportedOrder | undefined) =>
    line?.id === row.id &&
    line.link === row.stored_link &&
    line.status === row.status &&
    line.remains === row.remains &&
    microOf(line.charge) === row.charge &&
    microOf(line.refunded) === row.refunded;
  const wrong = own.filter((row, n) => !isSame(row, orders[n]));
  if (orders.length !== own.length || wrong.length > 0) {
    broken("the account's export has each order once", { orders: own.length, wrong: wrong.slice(0, 3) }, orders.length);
  }
}

/** The ledger's pages and export have the same entries, whose sum is the balance after the last. */
async function judgeLedgerViews(site: Site, customer: Customer, broken: Report): Promise<void> {
  const stored = await site.query<{ id: number; amount: number }>(
    "select id, amount from ledger where user_id = ? order by id",
    customer.userId,
  );
  const lines = await readCsv(customer, "/dashboard/transactions.csv");
  if (!lines) return;
  if (lines.map(({ entry }) => entry).join() !== stored.map(({ id }) => id).join()) {
    broken("the export has each ledger entry once", stored.length, lines.length);
  }
  const sum = lines.reduce((total, line) => total + (microOf(line.amount_USD) ?? 0), 0);
  const last = microOf(lines.at(-1)?.balance_USD);
  if (lines.length > 0 && sum !== last) broken("the exported amounts make the exported balance", sum, last);
  const shown = await linksOf(customer, "/dashboard/transactions", /href="\/dashboard\/transactions\/(\d+)"/g);
  const expected = stored.map(({ id }) => String(id)).reverse();
  if (shown && shown.join() !== expected.join()) broken("the ledger's pages show each entry once", expected, shown);
}

/** Reads an export as a customer who proves who they are, where the log-in is too long ago. */
async function readExport(person: Customer["person"], path: string): Promise<Response> {
  const response = await person.get(path);
  if (!response.headers.get("Location")?.startsWith("/auth/verify")) return response;
  await person.submit("/auth/verify", { intent: "password", password: person.password, redirectTo: "/" });
  return person.get(path);
}

/** Returns null in a product without the export. */
async function readCsv({ person }: Customer, path: string): Promise<Record<string, string>[] | null> {
  const response = await readExport(person, path);
  if (response.status === 404) return null;
  return parse(await response.text(), { bom: true, columns: true });
}

/** Reads a decimal of at most six places, exactly. */
function microOf(text: string | undefined): number | null {
  return text === undefined ? null : Math.round(Number(text) * MICRO);
}
