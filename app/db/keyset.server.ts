import { and, asc, desc, gte, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";

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

/** Returns the condition of what happened in a time range. Null: no bound. */
export function within(time: SQLWrapper, range: { from: number | null; before: number | null }): SQL | undefined {
  const from = range.from === null ? undefined : gte(sql`${time}`, range.from);
  return and(from, range.before === null ? undefined : lt(sql`${time}`, range.before));
}
