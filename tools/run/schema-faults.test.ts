import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import * as supportSchema from "#app/db/schema/support-tables.server.ts";
import * as mainSchema from "#app/db/schema.server.ts";
import { applyMigrations, BREAKPOINT, readDatabases } from "./migrations.ts";
import { COLUMNS, knownColumns, schemaFaults, storedColumns } from "./schema-faults.ts";

const databases = readDatabases(join(import.meta.dirname, "..", ".."));

test("finds nothing wrong with this release's own databases, of which it knows every table", () => {
  for (const [binding, schema] of [["DB", mainSchema] as const, ["DB_SUPPORT", supportSchema] as const]) {
    const known = knownColumns(schema);
    expect(known.length, binding).toBeGreaterThan(20);
    expect(schemaFaults(migrated(binding, ""), known), binding).toEqual([]);
  }
});

test.each([
  [
    "a dropped column of a table without rows",
    "ALTER TABLE webhook_endpoints DROP COLUMN previous_secret",
    "webhook_endpoints.previous_secret is gone",
  ],
  ["a renamed column", "ALTER TABLE wallets RENAME COLUMN balance TO amount", "wallets.balance is gone"],
  ["a renamed table", "ALTER TABLE totp_secrets RENAME TO authenticators", "The table totp_secrets is gone"],
  [
    "a new column that must be given",
    "ALTER TABLE totp_secrets ADD COLUMN device text NOT NULL",
    "totp_secrets.device needs a value",
  ],
])("finds %s", (_, sql, fault) => {
  expect(schemaFaults(migrated("DB", sql), knownColumns(mainSchema)).join("\n")).toContain(fault);
});

test("accepts what a release can live with", () => {
  const sql = `ALTER TABLE users ADD COLUMN nickname text; ALTER TABLE users ADD COLUMN level integer NOT NULL DEFAULT 0;
    CREATE TABLE badges (id integer PRIMARY KEY, name text NOT NULL) STRICT;`;
  expect(schemaFaults(migrated("DB", sql), knownColumns(mainSchema))).toEqual([]);
});

test("stores no value of another type than its column's, in any table", () => {
  for (const { binding } of databases) {
    const database = migratedDatabase(binding);
    const tables = database.prepare("SELECT name, strict FROM pragma_table_list WHERE type = 'table'").all();
    expect(tables.length, binding).toBeGreaterThan(5);
    const loose = tables.filter(({ name, strict }) => !strict && !/^(sqlite|_cf)_/.test(String(name)));
    expect(loose.map(({ name }) => name)).toEqual([]);
  }
});

function migrated(binding: string, sql: string) {
  const database = migratedDatabase(binding);
  database.exec(sql);
  return storedColumns(database.prepare(COLUMNS).all());
}

function migratedDatabase(binding: string): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  const { migrations = [] } = databases.find((one) => one.binding === binding) ?? {};
  for (const migration of migrations) for (const part of migration.sql.split(BREAKPOINT)) database.exec(part);
  return database;
}

test("sends migrations over no connection that has ended while their statements were prepared", async () => {
  let isEndRead = false;
  const statement = { bind: () => statement, run: async () => {}, all: async () => ({ results: [] }) };
  const batches: boolean[] = [];
  const database = {
    prepare: () => {
      // What the network says is read in the next turn.
      setImmediate(() => setImmediate(() => (isEndRead = true)));
      isEndRead = false;
      return statement;
    },
    batch: async () => void batches.push(isEndRead),
  };
  await applyMigrations(database as unknown as D1Database, [{ name: "0000.sql", sql: "select 1" }]);
  expect(batches).toEqual([true]);
});
