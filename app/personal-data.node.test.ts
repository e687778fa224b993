import { getTableColumns, getTableName, isTable } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { PERSONAL_COLUMNS } from "#app/db/personal-data/personal-data-columns.ts";
import * as supportSchema from "#app/db/schema/support-tables.server.ts";
import * as schema from "#app/db/schema.server.ts";
import written from "../docs/personal-data.md?raw";

/** Names of columns that identify a person, or a payment of theirs at Stripe. */
const PERSON =
  /^(user_id|actor_id|agent_id|assignee_id|author_id|updated_by|changed_by|created_by|email|user_email|email_address|new_email|payment_intent)$/;

/** The rows of the table in docs/personal-data.md. */
const rows = written
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .filter((cells) => cells.length === 5 && cells[1]?.startsWith("`"))
  .map(([, table = "", exported = "", deleted = ""]) => ({ table: table.replaceAll("`", ""), exported, deleted }));

test("docs/personal-data.md lists exactly the tables that name a person, with their export and deletion", () => {
  const naming = Object.values({ ...schema, ...supportSchema })
    .filter((value) => isTable(value))
    .filter((table) => namesPerson(table))
    .map((table) => getTableName(table));
  expect(rows.map(({ table }) => table).toSorted()).toEqual(naming.toSorted());
  for (const { table, exported, deleted } of rows) {
    expect(exported, table).toMatch(/^(`\w|no: )/);
    expect(deleted, table).toMatch(/^(deleted|kept|revoked)/);
  }
});

test("classifies every column of these tables in agreement with docs/personal-data.md", () => {
  const tables = Object.entries({ ...schema, ...supportSchema }).filter(([, value]) => isTable(value));
  for (const { table, exported, deleted } of rows) {
    const [name, found] = tables.find(([, value]) => isTable(value) && getTableName(value) === table) ?? [];
    if (!isTable(found)) throw new Error(`no table ${table}`);
    const classes: Record<string, string> = PERSONAL_COLUMNS[name as keyof typeof PERSONAL_COLUMNS] ?? {};
    expect(Object.keys(classes).toSorted(), table).toEqual(Object.keys(getTableColumns(found)).toSorted());
    const all = Object.values(classes);
    expect(
      all.some((one) => one.startsWith("export")),
      table,
    ).toBe(exported.startsWith("`"));
    expect(
      all.some((one) => one.endsWith("keep")),
      table,
    ).toBe(deleted.startsWith("kept"));
  }
});

/** Returns whether a table names a person, itself or through the rows it refers to. */
function namesPerson(table: SQLiteTable): boolean {
  if (Object.values(getTableColumns(table)).some(({ name }) => PERSON.test(name))) return true;
  return getTableConfig(table).foreignKeys.some((key) => namesPerson(key.reference().foreignTable));
}
