import { and, desc, eq, inArray, lt, sql } from "drizzle-orm";
import { named } from "#app/db/column-names.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { type LEDGER_KINDS, ledger, orders, services } from "#app/db/schema.server.ts";

// No filter for charges: they are most entries, and an index on them would slow down every order.
export const LEDGER_FILTERS = ["all", "refunds", "topups"] as const;
export type LedgerFilter = (typeof LEDGER_FILTERS)[number];

type Kind = Exclude<(typeof LEDGER_KINDS)[number], "charge">;
const KINDS: Record<Exclude<LedgerFilter, "all">, Kind[]> = {
  refunds: ["refund"],
  topups: ["topup", "adjustment", "reversal"],
};

/** Returns a page of the user's ledger, newest first. Amounts are micro-units; `next` is null on the last page. */
export async function listTransactions(
  db: Db,
  userId: string,
  query: { filter: LedgerFilter; before: number | null },
  limit: number,
) {
  const kinds = query.filter === "all" ? [null] : KINDS[query.filter];
  // Reads each kind from its own index, no further than needed.
  const parts = kinds.map((kind) => {
    const where = and(
      eq(ledger.userId, userId),
      // A literal, so that SQLite can use the partial index.
      kind === null ? undefined : sql.raw(`"kind" = '${kind}' and "kind" <> 'charge'`),
      query.before === null ? undefined : lt(ledger.id, query.before),
    );
    return sql`select * from (select ${ledger.id} as id from ${ledger} where ${where} order by ${ledger.id} desc limit ${limit + 1})`;
  });
  const ids = sql`(select id from (${sql.join(parts, sql` union all `)}) order by id desc limit ${limit + 1})`;
  const rows = await db
    .select({
      id: ledger.id,
      kind: ledger.kind,
      orderId: ledger.orderId,
      amount: ledger.amount,
      balanceAfter: ledger.balanceAfter,
      note: ledger.note,
      createdAt: ledger.createdAt,
    })
    .from(ledger)
    .where(inArray(ledger.id, ids))
    .orderBy(desc(ledger.id));
  const shown = rows.slice(0, limit);
  return { rows: shown, next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
}

/** Returns an entry with its order, for a receipt, or null if it does not exist or is another user's. */
export async function readTransaction(db: Db, userId: string, id: number) {
  const [found] = await db
    .select({
      id: ledger.id,
      kind: ledger.kind,
      amount: ledger.amount,
      balanceAfter: ledger.balanceAfter,
      note: ledger.note,
      createdAt: ledger.createdAt,
      order: {
        id: named(orders.id, "placed_order_id"),
        serviceId: orders.serviceId,
        link: orders.link,
        quantity: orders.quantity,
        runs: orders.runs,
        status: orders.status,
        remains: orders.remains,
        createdAt: named(orders.createdAt, "placed_at"),
      },
      service: services.name,
    })
    .from(ledger)
    .leftJoin(orders, eq(orders.id, ledger.orderId))
    .leftJoin(services, eq(services.id, orders.serviceId))
    .where(and(eq(ledger.id, id), eq(ledger.userId, userId)))
    .limit(1);
  return found ?? null;
}
