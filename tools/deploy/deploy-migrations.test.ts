import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { unstable_splitSqlQuery } from "wrangler";
import { BREAKPOINT, type Migration, readDatabases } from "#tools/run/migrations.ts";
import {
  appliedNames,
  importArgs,
  importFile,
  migrateNew,
  pendingMigrations,
  readApplied,
  unknownMigrationFault,
} from "./deploy-migrations.ts";

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
  const args = ["d1", "execute", "DB", "--remote", "--yes", "--file", "/tmp/0000_baseline.sql"];
  expect(importArgs("DB", "/tmp/0000_baseline.sql")).toEqual(args);
});

test("reads the applied migrations from the last result", () => {
  const output = JSON.stringify([{ results: [] }, { results: [{ name: "0000_baseline.sql" }] }]);
  expect(appliedNames(output)).toEqual(["0000_baseline.sql"]);
});

test("takes a database without a ledger for a new one, and no other failure", async () => {
  const failing = (stderr: string) => async () => {
    throw new Error("wrangler failed", { cause: { stderr } });
  };
  expect(await readApplied(failing("no such table: d1_migrations: SQLITE_ERROR"), "DB")).toEqual([]);
  await expect(readApplied(failing("Authentication error"), "DB")).rejects.toThrow("wrangler failed");
});

test("deploys what is pending, and refuses a database that a newer commit has migrated", () => {
  const migrations = ["0000_a.sql", "0001_b.sql"].map((name) => ({ name, sql: "" }));
  expect(pendingMigrations(migrations, ["0000_a.sql"])).toEqual([{ name: "0001_b.sql", sql: "" }]);
  expect(unknownMigrationFault("DB", migrations, ["0000_a.sql"])).toBeNull();
  expect(unknownMigrationFault("DB", migrations, ["0000_a.sql", "0002_c.sql"])).toContain(
    "DB was migrated by 0002_c.sql, which this commit does not have.",
  );
});

test("migrates only a new database for a restore, never one that an older release has migrated", async () => {
  const migrations = ["0000_a.sql", "0001_b.sql"].map((name) => ({ name, sql: "" }));
  const imported: string[] = [];
  const over = (applied: string[]) => {
    const wrangler = async (args: string[]) => {
      if (args.includes("--file")) imported.push(basename(args.at(-1) ?? ""));
      return JSON.stringify([{ results: applied.map((name) => ({ name })) }]);
    };
    return migrateNew(wrangler, { binding: "DB", migrations }, () => {});
  };
  await expect(over(["0000_a.sql"])).rejects.toThrow("DB isn't new: 0000_a.sql was applied, 0001_b.sql not.");
  expect(imported).toEqual([]);
  // A restore that broke off before the first row goes on.
  await over(["0000_a.sql", "0001_b.sql"]);
  expect(imported).toEqual([]);
  await over([]);
  expect(imported).toEqual(["0000_a.sql", "0001_b.sql"]);
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
