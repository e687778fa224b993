import { sql } from "drizzle-orm";
import { customType, integer } from "drizzle-orm/sqlite-core";

export const MAX_INT32 = sql.raw("2147483647");

/** Text that compares ignoring ASCII case, so an email is unique in any spelling. */
export const caselessText = customType<{ data: string }>({ dataType: () => "text COLLATE NOCASE" });

export const flag = (name: string) => integer(name, { mode: "boolean" });

export function oneOf(column: string, values: readonly string[]) {
  const list = values.map((value) => `'${value}'`).join(", ");
  return sql.raw(`"${column}" in (${list})`);
}
