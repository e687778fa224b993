import { getTableColumns, getTableName, isTable } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { isPersonal, meaningOf } from "#app/db/schema/column-types.server.ts";
import * as supportSchema from "#app/db/schema/support-tables.server.ts";
import * as schema from "#app/db/schema.server.ts";
import written from "../docs/personal-data.md?raw";

/** Names of columns that identify a person, or a payment of theirs at Stripe. */
const PERSON =
  /^(user_id|actor_id|agent_id|assignee_id|author_id|updated_by|changed_by|created_by|email|user_email|email_address|new_email|payment_intent)$/;

const TABLES: SQLiteTable[] = Object.values({ ...schema, ...supportSchema }).filter((value) => isTable(value));

/** The rows of the table in docs/personal-data.md. */
const rows = written
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .filter((cells) => cells.length === 5 && cells[1]?.startsWith("`"))
  .map(([, table = "", exported = "", deleted = ""]) => ({ table: table.replaceAll("`", ""), exported, deleted }));

test("docs/personal-data.md lists exactly the tables that name a person, with their export and deletion", () => {
  const naming = TABLES.filter(namesPerson).map(getTableName);
  expect(rows.map(({ table }) => table).toSorted()).toEqual(naming.toSorted());
  for (const { table, exported, deleted } of rows) {
    expect(exported, table).toMatch(/^(`\w|no: )/);
    expect(deleted, table).toMatch(/^(deleted|kept|revoked)/);
  }
});

test("classes every column of these tables in agreement with docs/personal-data.md", () => {
  expect(TABLES.filter(isPersonal).map(getTableName).toSorted()).toEqual(rows.map(({ table }) => table).toSorted());
  for (const { table, exported, deleted } of rows) {
    const found = TABLES.find((one) => getTableName(one) === table);
    const all = found ? Object.values(getTableColumns(found)).map(meaningOf) : [];
    expect(
      all.some(({ whose }) => whose === "exported"),
      table,
    ).toBe(exported.startsWith("`"));
    expect(
      all.some(({ isKept }) => isKept),
      table,
    ).toBe(deleted.startsWith("kept"));
  }
});

/** Returns whether a table names a person, itself or through the rows it refers to. */
function namesPerson(table: SQLiteTable): boolean {
  if (Object.values(getTableColumns(table)).some(({ name }) => PERSON.test(name))) return true;
  return getTableConfig(table).foreignKeys.some((key) => namesPerson(key.reference().foreignTable));
}
