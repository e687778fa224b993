import { sql } from "drizzle-orm";
import { customType, integer } from "drizzle-orm/sqlite-core";
import { MAX_INT32 } from "#app/product.ts";

/** The bound as a literal, because a CHECK cannot have parameters. */
export const MAX_INT32_SQL = sql.raw(String(MAX_INT32));

/** Text that compares ignoring ASCII case, so an email is unique in any spelling. */
export const caselessText = customType<{ data: string }>({ dataType: () => "text COLLATE NOCASE" });

export const flag = (name: string) => integer(name, { mode: "boolean" });

export function oneOf(column: string, values: readonly string[]) {
  const list = values.map((value) => `'${value}'`).join(", ");
  return sql.raw(`"${column}" in (${list})`);
}
