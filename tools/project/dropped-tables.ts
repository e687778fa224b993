import { DatabaseSync } from "node:sqlite";
import { BREAKPOINT, type Migration } from "#tools/run/migrations.ts";

/**
 * Finds migrations that drop a table while others refer to it. SQLite deletes the rows of a table that it drops, and
 * their children by ON DELETE CASCADE. Drizzle's rebuild of a table therefore turns foreign keys off, which does
 * nothing here, because D1 runs a migration in a transaction (https://www.sqlite.org/pragma.html#pragma_foreign_keys).
 * Returns "file: what is wrong".
 */
export function unsafeDrops(migrations: Migration[]): string[] {
  const database = new DatabaseSync(":memory:");
  return migrations.flatMap(({ name, sql }) =>
    sql.split(BREAKPOINT).flatMap((statement) => {
      const found = faultsOf(database, statement).map((fault) => `${name}: ${fault}`);
      database.exec(statement);
      return found;
    }),
  );
}

/** Explains how to rewrite a migration that `unsafeDrops` reports. */
export const REBUILD_ADVICE = `
Dropping a table deletes its rows, and with them the rows of other tables that refer to it by ON DELETE CASCADE.
PRAGMA foreign_keys does nothing inside a migration, and PRAGMA defer_foreign_keys does not stop a cascade. Instead:
- Avoid the rebuild: ALTER TABLE ... ADD COLUMN, RENAME COLUMN and DROP COLUMN keep the table.
- Or rebuild the tables that refer to it as well. Create and fill the new parent, then new children that refer to the
  new parent. Drop the old children, then the old parent, then rename the new ones. Create their indexes and triggers
  again.
- If nothing refers to the table, delete the PRAGMA lines.`;

function faultsOf(database: DatabaseSync, statement: string): string[] {
  if (/^\s*PRAGMA\s+foreign_keys\b/im.test(statement)) return ["PRAGMA foreign_keys does nothing in a transaction"];
  const table = /^\s*DROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?[`"[]?(\w+)/im.exec(statement)?.[1];
  if (!table) return [];
  const children = database
    .prepare(
      `select distinct child.name from sqlite_master as child, pragma_foreign_key_list(child.name) as key
       where child.type = 'table' and lower(key."table") = lower(?1) and lower(child.name) <> lower(?1) order by 1`,
    )
    .all(table)
    .map(({ name }) => String(name));
  return children.length > 0 ? [`drops "${table}" while ${children.join(", ")} refer to it`] : [];
}
