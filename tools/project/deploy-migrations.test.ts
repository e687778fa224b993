import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { unstable_splitSqlQuery } from "wrangler";
import { BREAKPOINT, type Migration, readDatabases } from "#tools/run/migrations.ts";
import { appliedNames, importArgs, importFile, ledgerArgs, pendingMigrations } from "./deploy-migrations.ts";

const databases = readDatabases(join(import.meta.dirname, "..", ".."));

test("finds both databases and their migrations", () => {
  expect(databases.map(({ binding }) => binding)).toEqual(["DB", "DB_SUPPORT"]);
  for (const { migrations } of databases) expect(migrations[0]?.name).toBe("0000_baseline.sql");
});

for (const { binding, migrations } of databases) {
  test(`importing ${binding} through wrangler's splitter yields the same schema as the tests use`, () => {
    const split = new DatabaseSync(":memory:");
    for (const migration of migrations) importInto(split, migration);
    const direct = new DatabaseSync(":memory:");
    for (const { sql } of migrations) for (const statement of sql.split(BREAKPOINT)) direct.exec(statement);
    expect(schemaOf(split)).toEqual(schemaOf(direct));
    expect(schemaOf(direct).length).toBeGreaterThan(10);
    expect(split.prepare("select name from d1_migrations").all()).toEqual(migrations.map(({ name }) => ({ name })));
  });

  test(`a second import into ${binding} fails before it changes anything`, () => {
    const [baseline] = migrations;
    if (!baseline) throw new Error("no baseline");
    const database = new DatabaseSync(":memory:");
    importInto(database, baseline);
    expect(() => importInto(database, baseline)).toThrow(/UNIQUE constraint failed: d1_migrations.name/);
  });
}

test("imports by file without a confirmation prompt", () => {
  expect(importArgs("DB", ["--remote"], "/tmp/0000_baseline.sql")).toEqual([
    "d1",
    "execute",
    "DB",
    "--remote",
    "--yes",
    "--file",
    "/tmp/0000_baseline.sql",
  ]);
});

test("queries the applied migrations as JSON and reads the last result", () => {
  expect(ledgerArgs("DB", ["--remote"]).slice(0, -1)).toEqual([
    "d1",
    "execute",
    "DB",
    "--remote",
    "--yes",
    "--json",
    "--command",
  ]);
  const output = JSON.stringify([{ results: [] }, { results: [{ name: "0000_baseline.sql" }] }]);
  expect(appliedNames(output)).toEqual(["0000_baseline.sql"]);
});

test("deploys what is pending, and refuses a database that a newer commit has migrated", () => {
  const migrations = ["0000_a.sql", "0001_b.sql"].map((name) => ({ name, sql: "" }));
  expect(pendingMigrations("DB", migrations, ["0000_a.sql"])).toEqual([{ name: "0001_b.sql", sql: "" }]);
  expect(() => pendingMigrations("DB", migrations, ["0000_a.sql", "0002_c.sql"])).toThrow(
    "DB was migrated by 0002_c.sql, which this commit does not have.",
  );
});

test("puts the ledger entry before the statements, with its name quoted", () => {
  const file = importFile({ name: "0001_owner's.sql", sql: "CREATE TABLE a (b) STRICT;" });
  expect(file.split("\n").slice(1)).toEqual([
    "INSERT INTO d1_migrations (name) VALUES ('0001_owner''s.sql');",
    "CREATE TABLE a (b) STRICT;",
    "",
  ]);
});

function importInto(database: DatabaseSync, migration: Migration): void {
  for (const statement of unstable_splitSqlQuery(importFile(migration))) database.exec(statement);
}

function schemaOf(database: DatabaseSync) {
  return database
    .prepare(
      "select type, name, sql from sqlite_master where name <> 'd1_migrations' and tbl_name <> 'd1_migrations' order by name",
    )
    .all()
    .map(({ type, name, sql }) => ({ type, name, sql: String(sql).replaceAll(/\s+/g, " ") }));
}
