import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { BREAKPOINT, readDatabases } from "#tools/run/migrations.ts";
import { unsafeDrops } from "./dropped-tables.ts";

const BASELINE = {
  name: "0000_baseline.sql",
  sql: `CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT) STRICT;
${BREAKPOINT}
CREATE TABLE notes (user_id TEXT REFERENCES users (id) ON DELETE CASCADE) STRICT;`,
};
const REBUILD = [
  "CREATE TABLE `__new_users` (`id` TEXT PRIMARY KEY, `name` TEXT NOT NULL) STRICT;",
  "INSERT INTO `__new_users` (`id`, `name`) SELECT `id`, `name` FROM `users`;",
  "DROP TABLE `users`;",
  "ALTER TABLE `__new_users` RENAME TO `users`;",
];
const WITH_CHILDREN = [
  ...REBUILD.slice(0, 2),
  "CREATE TABLE `__new_notes` (`user_id` TEXT REFERENCES `__new_users` (`id`) ON DELETE CASCADE) STRICT;",
  "INSERT INTO `__new_notes` SELECT `user_id` FROM `notes`;",
  "DROP TABLE `notes`;",
  ...REBUILD.slice(2),
  "ALTER TABLE `__new_notes` RENAME TO `notes`;",
];
const rebuild = (statements: string[]) => ({ name: "0001_rebuild.sql", sql: statements.join(BREAKPOINT) });

test("no migration drops a table that others refer to", () => {
  for (const { migrations } of readDatabases(join(import.meta.dirname, "..", ".."))) {
    expect(unsafeDrops(migrations)).toEqual([]);
  }
});

test("finds drizzle's rebuild of a table that others refer to", () => {
  const pragmas = ["PRAGMA foreign_keys=OFF;", ...REBUILD, "PRAGMA foreign_keys=ON;"];
  expect(unsafeDrops([BASELINE, rebuild(pragmas)])).toEqual([
    "0001_rebuild.sql: PRAGMA foreign_keys does nothing in a transaction",
    '0001_rebuild.sql: drops "users" while notes refer to it',
    "0001_rebuild.sql: PRAGMA foreign_keys does nothing in a transaction",
  ]);
  expect(unsafeDrops([BASELINE, rebuild(REBUILD)])).toHaveLength(1);
  expect(unsafeDrops([BASELINE, rebuild(WITH_CHILDREN)])).toEqual([]);
});

test("reports rebuilds that lose child rows, and advises one that keeps them", () => {
  expect(notesAfter(REBUILD)).toBe(0);
  expect(notesAfter(["PRAGMA foreign_keys=OFF;", ...REBUILD])).toBe(0);
  expect(notesAfter(["PRAGMA defer_foreign_keys=ON;", ...REBUILD])).toBe(0);
  expect(notesAfter(WITH_CHILDREN)).toBe(1);
});

/** Runs the statements in a transaction, as D1 does, and counts the notes that are left of one. */
function notesAfter(statements: string[]): number {
  const database = new DatabaseSync(":memory:");
  for (const statement of BASELINE.sql.split(BREAKPOINT)) database.exec(statement);
  database.exec("INSERT INTO users VALUES ('ada', 'Ada'); INSERT INTO notes VALUES ('ada');");
  database.exec(`BEGIN; ${statements.join("\n")} COMMIT;`);
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  return Number(database.prepare("SELECT count(*) AS n FROM notes").get()?.n);
}
