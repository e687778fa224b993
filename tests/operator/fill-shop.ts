import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { eq } from "drizzle-orm";
import { seal } from "#app/crypto/seal.server.ts";
import { connect } from "#app/db/db.server.ts";
import { rollups } from "#app/db/schema.server.ts";
import { countName } from "#app/orders/delivery/delivery-estimate.ts";
import { refreshServiceTimes, SERVICE_TIMES_ROLLUP } from "#app/orders/delivery/service-times.server.ts";
import { providerKeyContext } from "#app/orders/providers/provider-link.server.ts";
import { linkKeyOf } from "#app/orders/rules/links/link-key.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS } from "#app/time.ts";
import { type Random, seededRandom } from "#tests/faults/seeded-random.ts";
import { openMainDatabase } from "#tests/product/copy-database.ts";
import { openDatabase, whenFree } from "#tools/run/database.ts";
import { readSecrets } from "#tools/run/state-secrets.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { offersOf, type ShopService, shopCatalog } from "./shop-catalog.ts";
import { type ShopEvent, type ShopOrder, shopOrders, topUpFor } from "./shop-events.ts";

const FIRST_NAMES = ["Ada", "Bo", "Chen", "Dana", "Emil", "Fay", "Gus", "Hana", "Ivo", "June"];
const LAST_NAMES = ["Okafor", "Lind", "Marsh", "Novak", "Ortiz", "Park", "Quinn", "Reyes", "Sato", "Tran"];

export type ShopSize = { orders: number; days: number; services: number; customers: number; held: number };
export const SHOP_SIZE: ShopSize = { orders: 100_000, days: 90, services: 2000, customers: 5000, held: 30 };

/** A provider of the shop: a stand-in that serves its API. */
export type ShopProvider = { name: string; url: string; key: string };

export type FilledShop = {
  /** By provider, the catalog that its stand-in lists. */
  offers: { service: string; rate: string }[][];
  providerIds: number[];
  disputedPayment: string;
  paymentInReview: string;
};

/**
 * Fills a stopped copy with a shop's history: orders with their charges, refunds and costs, in the order of time, customers
 * who top up when they have to, a payment that was disputed and one to review. Then the jobs of the product sum it up. Throws
 * unless the ledger is clean.
 */
export async function fillShop(
  stateDir: string,
  providers: ShopProvider[],
  { size = SHOP_SIZE, seed = 1, now = Date.now() }: { size?: ShopSize; seed?: number; now?: number } = {},
): Promise<FilledShop> {
  const random = seededRandom(seed);
  const services = shopCatalog(size.services, providers.length, random);
  const database = openMainDatabase(stateDir);
  let filled: Pick<FilledShop, "providerIds" | "disputedPayment" | "paymentInReview">;
  try {
    database.exec("pragma synchronous = off; pragma cache_size = -500000; begin;");
    filled = await fillRows(database, { stateDir, providers, services, size, now, random });
    database.exec("commit; pragma wal_checkpoint(truncate);");
  } finally {
    database.close();
  }
  await sumUp(stateDir, now);
  return { ...filled, offers: providers.map((_, n) => offersOf(services, n)) };
}

type Filling = {
  stateDir: string;
  providers: ShopProvider[];
  services: ShopService[];
  size: ShopSize;
  now: number;
  random: Random;
};

async function fillRows(database: DatabaseSync, filling: Filling) {
  const { stateDir, providers, services, size, now, random } = filling;
  const opened = now - (size.days + 1) * DAY_MS;
  const providerIds = await insertProviders(database, stateDir, providers, opened);
  const serviceIds = insertServices(database, services, providerIds);
  insertCustomers(database, size.customers, opened, random);
  const firstId = nextId(database, "orders");
  const { orders, events } = shopOrders(services, { ...size, firstId, now }, random);
  insertOrders(database, orders, { stateDir, services, serviceIds, providerIds });
  const payments = moveMoney(database, events, size.customers, random);
  insertEndings(database, orders, serviceIds);
  return { providerIds, ...reversePayments(database, payments, size.customers, now) };
}

async function insertProviders(
  database: DatabaseSync,
  stateDir: string,
  providers: ShopProvider[],
  at: number,
): Promise<number[]> {
  const keys = readSecrets(stateDir)?.ENCRYPTION_KEYS;
  if (keys === undefined) throw new Error(`no keys in ${stateDir}`);
  const insert = database.prepare(
    "insert into providers (name, api_url, encrypted_key, catalog_read_at, created_at) values (?, ?, ?, ?, ?) returning id",
  );
  const ids: number[] = [];
  for (const { name, url, key } of providers) {
    const sealed = await seal(keys, providerKeyContext(name), key);
    const id = Number(insert.get(name, url, sealed, at, at)?.id);
    // Nights read the catalog of a provider that has a rule.
    database.prepare("insert into price_rules (provider_id, category, margin) values (?, '', 3500)").run(id);
    ids.push(id);
  }
  return ids;
}

function insertServices(database: DatabaseSync, services: ShopService[], providerIds: number[]): number[] {
  const insert = database.prepare(
    `insert into services (network, category, name, rate, min, max, cancel, provider_id, provider_service_id, provider_rate,
       position, decided_rate, decided_cost)
     values (?1, ?2, ?3, ?4, 10, 100000, 1, ?5, ?6, ?7, ?8, ?4, ?7) returning id`,
  );
  return services.map((one, n) => {
    const provider = one.provider === null ? null : (providerIds[one.provider] ?? null);
    const row = insert.get(
      one.network,
      one.category,
      one.name,
      one.rate,
      provider,
      one.providerServiceId,
      one.providerRate,
      n,
    );
    return Number(row?.id);
  });
}

const customerId = (n: number) => `shop-customer-${n}`;

function insertCustomers(database: DatabaseSync, count: number, at: number, { pick }: Random): void {
  const users = database.prepare("insert into users (id, email, created_at, email_confirmed_at) values (?, ?, ?, ?)");
  const profiles = database.prepare("insert into profiles (user_id, email, full_name) values (?, ?, ?)");
  const wallets = database.prepare("insert into wallets (user_id, balance) values (?, 0)");
  for (let n = 0; n < count; n++) {
    const [first, last] = [pick(FIRST_NAMES), pick(LAST_NAMES)];
    const email = `${first}.${last}.${n}@shop.example`.toLowerCase();
    users.run(customerId(n), email, at, n % 20 === 0 ? null : at);
    profiles.run(customerId(n), email, `${first} ${last}`);
    wallets.run(customerId(n));
  }
}

function nextId(database: DatabaseSync, table: "orders" | "ledger"): number {
  return Number(database.prepare(`select coalesce(max(id), 0) + 1 as id from ${table}`).get()?.id);
}

function insertOrders(
  database: DatabaseSync,
  orders: ShopOrder[],
  {
    stateDir,
    services,
    serviceIds,
    providerIds,
  }: Pick<Filling, "stateDir" | "services"> & {
    serviceIds: number[];
    providerIds: number[];
  },
): void {
  const insert = database.prepare(
    `insert into orders (id, user_id, service_id, type, link, link_key, quantity, charge, refunded, status, start_count, remains,
       idempotency_key, request_digest, source, provider_id, provider_service_id, provider_order_id, cost, cost_is_reported,
       fulfillment, held_for, attempts, expected_by, created_at, updated_at)
     values (?, ?, ?, 'Default', ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)`,
  );
  const atProvider = providerIds.map(() => 0);
  const known: string[][] = providerIds.map(() => []);
  for (const order of orders) {
    const service = services[order.service] as ShopService;
    const isOpen = order.status === "Pending";
    // The stand-in never ends what is open: it stays so while the day is played.
    const link = sandboxLink(isOpen ? "still" : null, `shop-${order.id % 50_000}`);
    let providerOrderId: string | null = null;
    if (service.provider !== null && order.fulfillment === "accepted") {
      // The stand-in knows the open ones, by its own numbers.
      providerOrderId = isOpen ? String((atProvider[service.provider] ?? 0) + 1) : `ended-${order.id}`;
      if (isOpen) {
        atProvider[service.provider] = Number(providerOrderId);
        const line = {
          id: Number(providerOrderId),
          service: service.providerServiceId,
          link,
          quantity: order.quantity,
        };
        known[service.provider]?.push(JSON.stringify({ ...line, startCount: 100, at: order.createdAt }));
      }
    }
    insert.run(
      order.id,
      customerId(order.customer),
      serviceIds[order.service] ?? 0,
      link,
      linkKeyOf(link),
      order.quantity,
      order.charge,
      order.refunded,
      order.status,
      isOpen ? null : 100,
      order.remains,
      `shop-${order.id}`,
      order.id % 3 === 0 ? "web" : "api",
      service.provider === null ? null : (providerIds[service.provider] ?? null),
      service.providerServiceId,
      providerOrderId,
      order.cost,
      order.cost === null ? null : 0,
      order.fulfillment,
      order.heldFor,
      Math.round(order.createdAt + 3 * service.medianMs),
      order.createdAt,
      order.updatedAt,
    );
  }
  for (const [n, lines] of known.entries()) {
    if (lines.length > 0) appendFileSync(ordersFile(stateDir, n), `${lines.join("\n")}\n`);
  }
}

/** Returns the file in which the stand-in of a provider keeps its orders. */
export function ordersFile(stateDir: string, provider: number): string {
  return join(stateDir, `shop-provider-${provider}.jsonl`);
}

type Payment = { id: string; customer: number; amount: number; at: number };

/** Writes the ledger and the changes of costs. A customer whose balance doesn't cover a charge pays by card first. */
function moveMoney(database: DatabaseSync, events: ShopEvent[], customers: number, random: Random): Payment[] {
  const entry = database.prepare(
    "insert into ledger (user_id, order_id, kind, amount, balance_after, note, created_at) values (?, ?, ?, ?, ?, ?, ?)",
  );
  const cost = database.prepare("insert into order_costs (order_id, amount, costed, created_at) values (?, ?, ?, ?)");
  const checkout = database.prepare(
    `insert into checkouts (id, user_id, session_id, amount, paid, received, received_currency, payment_intent, status,
       created_at, updated_at) values (?1, ?2, 'cs_' || ?1, ?3, ?3, ?3 / 10000, 'usd', 'pi_' || ?1, 'paid', ?4, ?4)`,
  );
  const balances = Array.from({ length: customers }, () => 0);
  const payments: Payment[] = [];
  for (const event of events) {
    const { order, amount, at } = event;
    if (event.kind === "cost") {
      cost.run(order.id, amount, event.costed, at);
      continue;
    }
    const { customer } = order;
    const id = customerId(customer);
    let balance = balances[customer] ?? 0;
    if (balance + amount < 0) {
      const paid = topUpFor(-amount, random);
      const payment = { id: `shop-payment-${payments.length}`, customer, amount: paid, at };
      payments.push(payment);
      checkout.run(payment.id, id, paid, at);
      balance += paid;
      entry.run(id, null, "topup", paid, balance, "Card payment", at);
    }
    balance += amount;
    balances[customer] = balance;
    entry.run(id, order.id, event.kind, amount, balance, "", at);
  }
  const wallet = database.prepare("update wallets set balance = ? where user_id = ?");
  for (const [n, balance] of balances.entries()) wallet.run(balance, customerId(n));
  return payments;
}

/** Disputes a payment whose customer still has the money, and leaves one of another currency to be reviewed. */
function reversePayments(database: DatabaseSync, payments: Payment[], customers: number, now: number) {
  const balanceOf = database.prepare("select balance from wallets where user_id = ?");
  const disputed = payments.findLast(
    ({ customer, amount }) => Number(balanceOf.get(customerId(customer))?.balance) >= amount,
  );
  if (!disputed) throw new Error("no customer has the money of a payment");
  const user = customerId(disputed.customer);
  const left = Number(balanceOf.get(user)?.balance) - disputed.amount;
  const run = (query: string, ...values: (string | number)[]) => database.prepare(query).run(...values);
  run("update checkouts set reversed = paid, updated_at = ? where id = ?", now, disputed.id);
  run(
    `insert into card_reversals (id, payment_intent, kind, amount, in_effect, status, event_at, event_rank, created_at)
     values ('dp_shop', ?, 'dispute', ?, 1, 'needs_response', ?, 0, ?)`,
    `pi_${disputed.id}`,
    disputed.amount / (MICRO / 100),
    now,
    now,
  );
  run(
    "insert into ledger (user_id, kind, amount, balance_after, note, created_at) values (?, 'reversal', ?, ?, 'Disputed', ?)",
    user,
    -disputed.amount,
    left,
    now,
  );
  run("update wallets set balance = ? where user_id = ?", left, user);
  run(
    `insert into checkouts (id, user_id, session_id, amount, received, received_currency, payment_intent, status, created_at,
       updated_at) values ('shop-review', ?, 'cs_review', ?, 2400, 'eur', 'pi_review', 'review', ?, ?)`,
    customerId(customers - 1),
    25 * MICRO,
    now,
    now,
  );
  return { disputedPayment: disputed.id, paymentInReview: "shop-review" };
}

/** Counts the ended orders by day and service, and by day and customer, as the product does. */
function insertEndings(database: DatabaseSync, orders: ShopOrder[], serviceIds: number[]): void {
  const insertServiceDay = database.prepare("insert into service_days (day, service_id, ended) values (?, ?, ?)");
  for (const [day, service, ended] of endingsBy(orders, ({ service }) => serviceIds[service] ?? 0)) {
    insertServiceDay.run(day, service, ended);
  }
  // The job that sums up the ledger sets the balances of the days.
  const insertSpendingDay = database.prepare(
    "insert into spending_days (user_id, day, balance, ended) values (?, ?, 0, ?)",
  );
  for (const [day, customer, ended] of endingsBy(orders, ({ customer }) => customer)) {
    insertSpendingDay.run(customerId(customer), day, ended);
  }
}

/** Returns the counts of the ended orders as JSON, by day and subject. */
function endingsBy(orders: ShopOrder[], subjectOf: (order: ShopOrder) => number): [number, number, string][] {
  const counts = new Map<string, Record<string, number>>();
  for (const order of orders) {
    if (order.status === "Pending") continue;
    const key = `${Math.floor(order.createdAt / DAY_MS)} ${subjectOf(order)}`;
    const ended = counts.get(key) ?? {};
    const name = countName(order.status, order.updatedAt - order.createdAt);
    ended[name] = (ended[name] ?? 0) + 1;
    counts.set(key, ended);
  }
  return [...counts].map(([key, ended]) => {
    const [day = 0, subject = 0] = key.split(" ").map(Number);
    return [day, subject, JSON.stringify(ended)];
  });
}

/** Runs the jobs that sum up, until they are done. */
async function sumUp(stateDir: string, now: number): Promise<void> {
  const { binding, close } = await openDatabase({ remote: false, stateDir });
  try {
    const db = connect(binding);
    await whenFree(() => rollUpSpending(db));
    // The empty copy has just computed its own, and would not do so again for ten minutes.
    await db.delete(rollups).where(eq(rollups.name, SERVICE_TIMES_ROLLUP));
    await refreshServiceTimes(db, now);
    // What the providers' balances fell by, and the calls there.
    await binding.exec(
      "update provider_use_days set spent = max(cost, 0), calls = 3000 + provider_id * 100, errors = 10 * provider_id",
    );
    const faults = await checkLedger(db);
    if (faults.length > 0) throw new Error(`the ledger of the filled shop has faults: ${JSON.stringify(faults[0])}`);
  } finally {
    await close();
  }
}
