import { and, asc, eq, getTableColumns, gt, gte, lt, type SQL, sql } from "drizzle-orm";
import { type Db, violates } from "#app/db/db.server.ts";
import { catalogVersion, ledger, massOrders, orders, wallets } from "#app/db/schema.server.ts";
import { readOrderable } from "#app/orders/catalog/offers.server.ts";
import { chargeFor } from "#app/orders/rules/money.ts";
import { faultMessage } from "#app/orders/rules/order-faults.ts";
import { isPerOrder, type ParsedOrder, parseOrder } from "#app/orders/rules/order-input.ts";
import { balanceAfterCharge } from "#app/orders/wallet/ledger.server.ts";
import { type MassRow, readMassLines } from "./mass-lines.server.ts";

/** A line as it would be placed, or what is wrong with it. `charge` is micro-units. */
export type CheckedLine = { line: number; service: string; link: string; quantity: string } & (
  | { ok: true; name: string; charge: number }
  | { ok: false; error: string }
);

export type CheckedMass =
  | { ok: true; lines: CheckedLine[]; ignoredColumns: string[]; good: number; bad: number; charge: number }
  | { ok: false; text: string };

export type MassOrder = typeof massOrders.$inferSelect;

export type PlacedMass =
  | { ok: true; massOrder: MassOrder; replayed: boolean; forwarded: number[] }
  | {
      ok: false;
      reason:
        | "unreadable"
        | "nothing_good"
        | "bad_lines"
        | "charge_changed"
        | "insufficient_funds"
        | "idempotency_conflict";
      text: string;
    };

type Service = Awaited<ReturnType<typeof readOrderable>>[number];
type GoodLine = { line: number; service: Service; order: ParsedOrder; charge: number };

/** Below what D1 takes in one bound parameter (2 MB), however wide the characters are. */
const CHUNK_CHARACTERS = 250_000;
const LINE_DIGITS = 5;
const MAX_FORWARDED_AT_ONCE = 20;

/** What the lines would come to. Nothing is placed. */
export async function checkMassOrder(db: Db, text: string): Promise<CheckedMass> {
  const checked = await check(db, text);
  if (!checked.ok) return checked;
  const { lines, ignoredColumns, goodLines, charge } = checked;
  const good = goodLines.length;
  return { ok: true, lines, ignoredColumns, good, bad: lines.length - good, charge };
}

/**
 * Places the lines as orders and takes what they cost together, all or nothing. With `onlyGood` lines at fault are left
 * out, else one of them refuses the whole. `agreedCharge` (micro-units) is what the customer was shown: when it comes to
 * another sum by now, nothing is placed. The same key with the same content answers the first time's orders again.
 */
export async function placeMassOrder(
  db: Db,
  userId: string,
  input: { text: string; source: string; idempotencyKey: string; onlyGood: boolean; agreedCharge: number },
): Promise<PlacedMass> {
  const requestDigest = await digestOf(input);
  const earlier = await findMassOrder(db, userId, input.idempotencyKey);
  if (earlier) return replay(earlier, requestDigest);
  const checked = await check(db, input.text);
  if (!checked.ok) return { ok: false, reason: "unreadable", text: checked.text };
  const { goodLines, charge } = checked;
  const skipped = checked.lines.length - goodLines.length;
  if (goodLines.length === 0) return refuse("nothing_good");
  if (skipped > 0 && !input.onlyGood) return refuse("bad_lines");
  if (charge !== input.agreedCharge) return refuse("charge_changed");
  if (!Number.isSafeInteger(charge)) return refuse("insufficient_funds");
  const now = Date.now();
  const made = { userId, idempotencyKey: input.idempotencyKey, requestDigest, source: input.source };
  const { version } = checked;
  try {
    const [[massOrder]] = await db.batch([
      db
        .insert(massOrders)
        .values({ ...made, placed: goodLines.length, skipped, charge, createdAt: now })
        .returning(),
      ...chunksOf(goodLines).map((chunk) => insertOrders(db, { ...made, version }, chunk, now)),
      // The CHECK on the balance is what refuses, for all the lines together.
      db
        .update(wallets)
        .set({ balance: balanceAfterCharge(charge) })
        .where(eq(wallets.userId, userId)),
      insertCharges(db, made, charge, now),
    ]);
    if (!massOrder) throw new Error("insert returned no mass order");
    return { ok: true, massOrder, replayed: false, forwarded: await firstForwarded(db, made) };
  } catch (error) {
    if (violates(error, "wallet_balance_not_negative") || violates(error, "ledger.balance_after")) {
      return refuse("insufficient_funds");
    }
    if (violates(error, "orders.type")) return refuse("charge_changed");
    if (!violates(error, "mass_orders.idempotency_key")) throw error;
    const winner = await findMassOrder(db, userId, input.idempotencyKey);
    if (!winner) throw error;
    return replay(winner, requestDigest);
  }
}

export async function findMassOrder(db: Db, userId: string, idempotencyKey: string): Promise<MassOrder | null> {
  const own = and(eq(massOrders.userId, userId), eq(massOrders.idempotencyKey, idempotencyKey));
  const [found] = await db.select().from(massOrders).where(own).limit(1);
  return found ?? null;
}

export async function readMassOrder(db: Db, userId: string, id: number): Promise<MassOrder | null> {
  const own = and(eq(massOrders.userId, userId), eq(massOrders.id, id));
  const [found] = await db.select().from(massOrders).where(own).limit(1);
  return found ?? null;
}

/** The ids of a mass order's orders in the order of its lines, those after the line `after`. */
export async function listMassLines(db: Db, massOrder: MassOrder, after: number, limit: number) {
  const rows = await db
    .select({ id: orders.id, key: orders.idempotencyKey })
    .from(orders)
    .where(and(ofMassOrder(massOrder), gt(orders.idempotencyKey, lineKey(massOrder.idempotencyKey, after))))
    .orderBy(asc(orders.idempotencyKey))
    .limit(limit);
  return rows.map(({ id, key }) => ({ id, line: Number(key.slice(massOrder.idempotencyKey.length + 1)) }));
}

async function check(db: Db, text: string) {
  const read = readMassLines(text);
  if (!read.ok) return read;
  const ids = read.rows.map(({ service }) => serviceIdOf(service)).filter((id) => id !== null);
  // The version first: what changes in between then shows as a newer one.
  const [now] = await db.select().from(catalogVersion);
  const services = new Map((await readOrderable(db, ids)).map((service) => [service.id, service]));
  const goodLines: GoodLine[] = [];
  const lines = read.rows.map((row): CheckedLine => {
    const { line, fields } = row;
    const shown = { line, service: row.service, link: fields.link ?? "", quantity: fields.quantity ?? "" };
    const checked = checkRow(row, services);
    if (!checked.ok) return { ...shown, ok: false, error: checked.error };
    const { service, order, charge } = checked;
    goodLines.push({ line, service, order, charge });
    const { link, quantity } = order;
    return {
      line,
      service: String(service.id),
      link,
      quantity: String(quantity),
      ok: true,
      name: service.name,
      charge,
    };
  });
  const charge = goodLines.reduce((sum, line) => sum + line.charge, 0);
  return {
    ok: true as const,
    lines,
    ignoredColumns: read.ignoredColumns,
    goodLines,
    charge,
    version: now?.version ?? 0,
  };
}

function checkRow(
  row: MassRow,
  services: Map<number, Service>,
): ({ ok: true } & Omit<GoodLine, "line">) | { ok: false; error: string } {
  if (row.tooManyCells) return { ok: false, error: "More cells than columns: put a link with commas in quotes" };
  if (row.service === "") return { ok: false, error: "The number of the service is missing" };
  const id = serviceIdOf(row.service);
  const service = id === null ? undefined : services.get(id);
  if (!service) {
    return { ok: false, error: id === null ? "The service is named by its number" : `Service ${id} is not offered` };
  }
  const parsed = parseOrder(service, row.fields);
  if (!parsed.ok) return { ok: false, error: faultMessage(parsed.fault).text };
  const { quantity, runs } = parsed.order;
  const charge = chargeFor({ rate: service.rate, quantity, runs, perOrder: isPerOrder(service.type) });
  if (charge === null) return { ok: false, error: "This comes to more than a balance can hold" };
  return { ok: true, service, order: parsed.order, charge };
}

function serviceIdOf(text: string): number | null {
  return /^#?\d{1,9}$/.test(text) ? Number(text.replace("#", "")) : null;
}

function insertOrders(
  db: Db,
  made: Pick<MassOrder, "userId" | "idempotencyKey" | "requestDigest"> & { version: number },
  chunk: GoodLine[],
  now: number,
) {
  const lines = chunk.map(({ line, service, order, charge }) => ({
    ...order,
    key: lineKey(made.idempotencyKey, line),
    details: JSON.stringify(order.details),
    service: service.id,
    type: service.type,
    provider: service.providerId,
    providerService: service.providerServiceId,
    charge,
  }));
  const given = (name: keyof (typeof lines)[number]) => sql`line.value ->> ${sql.raw(`'$.${name}'`)}`;
  const values: Partial<Record<keyof typeof orders.$inferSelect, SQL>> = {
    userId: sql`${made.userId}`,
    serviceId: given("service"),
    // NULL, which the column refuses, when the catalog has changed since the lines were checked.
    type: sql`iif((select ${catalogVersion.version} from ${catalogVersion}) = ${made.version}, ${given("type")}, null)`,
    link: given("link"),
    quantity: given("quantity"),
    runs: given("runs"),
    intervalMinutes: given("intervalMinutes"),
    details: given("details"),
    charge: given("charge"),
    remains: sql`(${given("quantity")}) * (${given("runs")})`,
    idempotencyKey: given("key"),
    requestDigest: sql`${made.requestDigest}`,
    source: sql`'web'`,
    providerId: given("provider"),
    providerServiceId: given("providerService"),
    fulfillment: sql`iif(${given("provider")} is null, 'manual', 'queued')`,
    createdAt: sql`${now}`,
    updatedAt: sql`${now}`,
  };
  // One bound parameter for all the lines: D1 takes 100.
  const from = sql`from json_each(${JSON.stringify(lines)}) as line order by line.key`;
  return db.insert(orders).select(sql`select ${sql.join(columnsOf(orders, values), sql`, `)} ${from}`);
}

function insertCharges(db: Db, made: Pick<MassOrder, "userId" | "idempotencyKey">, charge: number, now: number) {
  const balance = sql`(select ${wallets.balance} from ${wallets} where ${wallets.userId} = ${made.userId})`;
  const values: Partial<Record<keyof typeof ledger.$inferSelect, SQL>> = {
    userId: sql`${orders.userId}`,
    orderId: sql`${orders.id}`,
    kind: sql`'charge'`,
    amount: sql`-${orders.charge}`,
    // As if one had been taken after the other.
    balanceAfter: sql`${balance} + ${charge} - sum(${orders.charge}) over (order by ${orders.id})`,
    createdAt: sql`${now}`,
  };
  const from = sql`from ${orders} where ${ofMassOrder(made)} order by ${orders.id}`;
  return db.insert(ledger).select(sql`select ${sql.join(columnsOf(ledger, values), sql`, `)} ${from}`);
}

/** Every column in the table's order, as an INSERT … SELECT has to name them: the given value, else the column's default. */
function columnsOf(table: typeof orders | typeof ledger, values: Record<string, SQL>): SQL[] {
  return Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = values[name];
    if (value) return value;
    return column.default === undefined ? sql`null` : sql`${sql.param(column.default, column)}`;
  });
}

async function firstForwarded(db: Db, made: Pick<MassOrder, "userId" | "idempotencyKey">): Promise<number[]> {
  const rows = await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(ofMassOrder(made), eq(orders.fulfillment, "queued")))
    .orderBy(asc(orders.idempotencyKey))
    .limit(MAX_FORWARDED_AT_ONCE);
  return rows.map(({ id }) => id);
}

function ofMassOrder({ userId, idempotencyKey }: Pick<MassOrder, "userId" | "idempotencyKey">) {
  return and(
    eq(orders.userId, userId),
    gte(orders.idempotencyKey, `${idempotencyKey}:`),
    // The character after the colon.
    lt(orders.idempotencyKey, `${idempotencyKey};`),
  );
}

function lineKey(idempotencyKey: string, line: number): string {
  return `${idempotencyKey}:${String(line).padStart(LINE_DIGITS, "0")}`;
}

function chunksOf(lines: GoodLine[]): GoodLine[][] {
  const chunks: GoodLine[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const length = JSON.stringify(line.order).length + 200;
    if (size + length > CHUNK_CHARACTERS) {
      chunks.push([]);
      size = 0;
    }
    chunks.at(-1)?.push(line);
    size += length;
  }
  return chunks;
}

function replay(massOrder: MassOrder, requestDigest: string): PlacedMass {
  if (massOrder.requestDigest === requestDigest) return { ok: true, massOrder, replayed: true, forwarded: [] };
  return refuse("idempotency_conflict");
}

const TEXTS = {
  nothing_good: "No line can be placed as it is. Mend the lines and check them again.",
  bad_lines: "Some lines are at fault, so nothing was placed. Mend them, or place only the good ones.",
  charge_changed:
    "Prices or services have changed since the lines were checked. Nothing was placed; look at the new charge.",
  insufficient_funds: "Your balance does not cover these orders together. Nothing was placed, and nothing was charged.",
  idempotency_conflict: "These lines were already placed once with other content. Nothing was placed again.",
};

function refuse(reason: keyof typeof TEXTS): PlacedMass & { ok: false } {
  return { ok: false, reason, text: TEXTS[reason] };
}

async function digestOf({ text, onlyGood }: { text: string; onlyGood: boolean }): Promise<string> {
  const content = new TextEncoder().encode(JSON.stringify([onlyGood, text]));
  return Buffer.from(await crypto.subtle.digest("SHA-256", content)).toString("hex");
}
