import { eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { formatsOf } from "#app/components/formats/number-formats.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { catalogVersion, ledger, massOrders, orders, wallets } from "#app/db/schema.server.ts";
import { expectedBySql } from "#app/orders/delivery/service-times.server.ts";
import { type NewOrder, newOrder } from "#app/orders/placing/new-order.server.ts";
import { maintenanceText } from "#app/orders/rules/order-faults.ts";
import { digestOfMassOrder } from "#app/orders/rules/request-digest.server.ts";
import { balanceAfterCharge } from "#app/orders/wallet/ledger.server.ts";
import { ownValue } from "#app/own-value.ts";
import { checkLines, type ValidLine } from "./check-mass-order.server.ts";
import { lineKey, type MassOrder, type MassOrderKey, ofMassOrder } from "./mass-order-keys.server.ts";
import { findMassOrder } from "./read-mass-order.server.ts";

export type PlacedMass =
  | { ok: true; massOrder: MassOrder; replayed: boolean }
  | { ok: false; reason: "unreadable" | "maintenance" | keyof typeof REFUSALS; text: string };

type MassInput = {
  text: string;
  source: string;
  idempotencyKey: string;
  onlyValid: boolean;
  agreedCharge: number;
  agreedDoubts?: number;
};

/** A catalog that changes more often than this while a mass order is placed refuses it. */
const MAX_TRIES = 5;
/** Below D1's limit for one bound parameter (2 MB), at up to three bytes per character. */
const CHUNK_CHARACTERS = 500_000;

/**
 * Places the valid lines as orders and charges them together, all or nothing. With `onlyValid`, lines
 * with errors are skipped; otherwise one rejects the whole mass order. `agreedCharge` (micro-units) is the charge that the
 * customer saw; if the charge is different, nothing is placed. Neither is it if more lines may be wrong than the customer
 * saw and agreed to. If the catalog changes while they are placed, they are checked again.
 * The same key and content return the first mass order.
 */
export async function placeMassOrder(db: Db, userId: string, input: MassInput): Promise<PlacedMass> {
  const requestDigest = digestOfMassOrder(input);
  const earlier = await findMassOrder(db, userId, input.idempotencyKey);
  if (earlier) return replay(earlier, requestDigest);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const placed = await placeChecked(db, userId, input, requestDigest);
    if (placed !== "outdated") return placed;
  }
  return refuse("charge_changed");
}

/** Checks the lines and places them. "outdated": the catalog changed in between, if by nothing else than other services. */
async function placeChecked(
  db: Db,
  userId: string,
  input: MassInput,
  requestDigest: string,
): Promise<PlacedMass | "outdated"> {
  const checked = await checkLines(db, userId, input.text);
  if (!checked.ok) return { ok: false, reason: "unreadable", text: checked.text };
  const { validLines, charge, version, closed } = checked;
  if (closed !== null) return refuseClosed(closed);
  const skipped = checked.lines.length - validLines.length;
  if (validLines.length === 0) return refuse("nothing_valid");
  if (skipped > 0 && !input.onlyValid) return refuse("invalid_lines");
  if (charge !== input.agreedCharge) return refuseNewCharge(input.agreedCharge, charge);
  if (checked.doubtful > (input.agreedDoubts ?? 0)) return refuse("doubtful_lines");
  if (!Number.isSafeInteger(charge)) return refuse("insufficient_funds");
  const now = Date.now();
  const massKey = { userId, idempotencyKey: input.idempotencyKey, requestDigest, source: input.source };
  const rows = validLines.map((line) => orderOfLine(massKey, line, now));
  try {
    const [[massOrder]] = await db.batch([
      db
        .insert(massOrders)
        .values({ ...massKey, placed: rows.length, skipped, charge, createdAt: now })
        .returning(),
      ...chunksOf(rows).map((chunk) => insertOrders(db, chunk, version, now)),
      // The CHECK on the balance refuses all the lines together.
      db
        .update(wallets)
        .set({ balance: balanceAfterCharge(charge) })
        .where(eq(wallets.userId, userId)),
      insertCharges(db, massKey, charge, now),
    ]);
    if (!massOrder) throw new Error("insert returned no mass order");
    return { ok: true, massOrder, replayed: false };
  } catch (error) {
    if (violates(error, "wallet_balance_not_negative") || violates(error, "ledger.balance_after")) {
      return refuse("insufficient_funds");
    }
    if (violates(error, "orders.type")) return "outdated";
    if (!violates(error, "mass_orders.idempotency_key")) throw error;
    const winner = await findMassOrder(db, userId, input.idempotencyKey);
    if (!winner) throw error;
    return replay(winner, requestDigest);
  }
}

function orderOfLine(massKey: MassOrderKey & { requestDigest: string }, line: ValidLine, now: number): NewOrder {
  const request = { ...massKey, idempotencyKey: lineKey(massKey.idempotencyKey, line.line), now };
  return newOrder({ ...request, source: "web", apiKeyId: null, isTest: false }, line.service, line.order, line.price);
}

/** Groups the rows, each as JSON, into arrays that fit one bound parameter. */
function chunksOf(rows: NewOrder[]): string[] {
  const chunks: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const row of rows.map((one) => JSON.stringify(one))) {
    if (size + row.length > CHUNK_CHARACTERS) {
      chunks.push([]);
      size = 0;
    }
    chunks.at(-1)?.push(row);
    size += row.length;
  }
  return chunks.map((chunk) => `[${chunk.join(",")}]`);
}

function insertOrders(db: Db, rows: string, version: number, now: number) {
  const columns = getTableColumns(orders);
  const columnOf = (name: keyof typeof columns) => sql`line.value ->> ${sql.raw(`'$.${name}'`)}`;
  const computed: Partial<Record<string, SQL>> = {
    id: sql`null`,
    // NULL, which the column refuses, when the catalog has changed since the lines were checked.
    type: sql`iif((select ${catalogVersion.version} from ${catalogVersion}) = ${version}, ${columnOf("type")}, null)`,
    // The orders that `isMeasured` is true of.
    expectedBy: sql`iif(${columnOf("runs")} = 1 and ${columnOf("type")} <> 'Subscriptions', ${expectedBySql(columnOf("serviceId"), now)}, null)`,
  };
  const values = Object.keys(columns).map((name) => ownValue(computed, name) ?? columnOf(name as keyof typeof columns));
  // Binds all lines as one parameter, because D1 allows 100. `key` is the index in the array.
  const from = sql`from json_each(${rows}) as line order by line.key`;
  return db.insert(orders).select(sql`select ${sql.join(values, sql`, `)} ${from}`);
}

/** Inserts one ledger entry per order, as if the orders had been charged one after another. */
function insertCharges(db: Db, massKey: MassOrderKey, charge: number, now: number) {
  const balance = sql`(select ${wallets.balance} from ${wallets} where ${wallets.userId} = ${massKey.userId})`;
  const values: Record<keyof typeof ledger.$inferSelect, SQL> = {
    id: sql`null`,
    userId: sql`${orders.userId}`,
    orderId: sql`${orders.id}`,
    kind: sql`'charge'`,
    amount: sql`-${orders.charge}`,
    balanceAfter: sql`${balance} + ${charge} - sum(${orders.charge}) over (order by ${orders.id})`,
    note: sql`''`,
    createdAt: sql`${now}`,
  };
  // INSERT … SELECT takes its values in the order of the table's columns.
  const inOrder = Object.keys(getTableColumns(ledger)).map((name) => values[name as keyof typeof values]);
  const from = sql`from ${orders} where ${ofMassOrder(massKey)} order by ${orders.id}`;
  return db.insert(ledger).select(sql`select ${sql.join(inOrder, sql`, `)} ${from}`);
}

function replay(massOrder: MassOrder, requestDigest: string): PlacedMass {
  if (massOrder.requestDigest === requestDigest) return { ok: true, massOrder, replayed: true };
  return refuse("idempotency_conflict");
}

const REFUSALS = {
  nothing_valid: "Every line has an error. Fix the lines and check them again.",
  invalid_lines: "Some lines have errors, so nothing was placed. Fix them, or place only the valid lines.",
  charge_changed: "Prices or services changed after you checked the lines. Nothing was placed. Review the new charge.",
  doubtful_lines: "Some lines may be wrong, so nothing was placed. Check them, then confirm them to order.",
  insufficient_funds: "Your balance doesn't cover these orders. Nothing was placed or charged.",
  idempotency_conflict: "This mass order was already placed with other lines. Nothing was placed again.",
};

function refuse(reason: keyof typeof REFUSALS): PlacedMass & { ok: false } {
  return { ok: false, reason, text: REFUSALS[reason] };
}

function refuseClosed(text: string): PlacedMass {
  return { ok: false, reason: "maintenance", text: maintenanceText(text) };
}

function refuseNewCharge(agreed: number, charge: number): PlacedMass & { ok: false } {
  const { exactMoney } = formatsOf("en-US");
  const change = `the charge was ${exactMoney(agreed)} and is ${exactMoney(charge)} now`;
  const text = `Prices or services changed after you checked the lines: ${change}. Nothing was placed. Review the new charge.`;
  return { ok: false, reason: "charge_changed", text };
}
