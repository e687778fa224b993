import { and, asc, desc, gte, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Db } from "./db.server.ts";

/** A list's order: a column, ties broken by the id. An index must begin with both, or SQLite sorts the whole table. */
type Order = { value: SQLWrapper; id: SQLWrapper; descending: boolean };
type Cursor = { value: string | number; id: string | number };

/** Returns how to order a list, and the condition that it begins after the row at the cursor. */
export function keyset(
  { value, id, descending }: Order,
  after: Cursor | null,
): { after: SQL | undefined; order: SQL[] } {
  const direction = descending ? desc : asc;
  const than = sql.raw(descending ? "<" : ">");
  if (value === id) {
    return { after: after === null ? undefined : sql`${id} ${than} ${after.id}`, order: [direction(id)] };
  }
  const begins = after === null ? undefined : sql`(${value}, ${id}) ${than} (${after.value}, ${after.id})`;
  return { after: begins, order: [direction(value), direction(id)] };
}

/** Returns the id of the last of the first `size` rows of an index, or null if it has fewer. `where` begins as the index does. */
export async function windowEnd(
  db: Db,
  rows: { table: SQLWrapper; id: SQLWrapper; where: SQL | undefined; order: SQL[] },
  size: number,
): Promise<number | null> {
  const order = sql.join(rows.order, sql`, `);
  const [last] = await db.all<{ id: number }>(
    sql`select ${rows.id} as id from ${rows.table} where ${rows.where ?? sql`1`} order by ${order} limit 1 offset ${size - 1}`,
  );
  return last?.id ?? null;
}

/** Returns the condition that a list ordered by its id ends with the row of that id. Null: no end. */
export function upTo({ id, descending }: Pick<Order, "id" | "descending">, end: number | null): SQL | undefined {
  return end === null ? undefined : sql`${id} ${sql.raw(descending ? ">=" : "<=")} ${end}`;
}

/** Returns the condition of what happened in a time range. Null: no bound. */
export function within(time: SQLWrapper, range: { from: number | null; before: number | null }): SQL | undefined {
  const from = range.from === null ? undefined : gte(sql`${time}`, range.from);
  return and(from, range.before === null ? undefined : lt(sql`${time}`, range.before));
}
