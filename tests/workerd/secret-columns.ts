import { env } from "cloudflare:workers";
import { getTableColumns, getTableName, isTable, sql } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { seal } from "#app/crypto/seal.server.ts";
import { connect } from "#app/db/db.server.ts";
import { meaningOf } from "#app/db/schema/column-types.server.ts";
import * as supportSchema from "#app/db/schema/support-tables.server.ts";
import * as mainSchema from "#app/db/schema.server.ts";
import { SEALED_COLUMNS } from "#tools/data/reseal.ts";
import { databaseOf, newValue, type Row, tableOf } from "./personal-rows.ts";

/** Values that are easy to recognize in every column that is a secret. */

type SecretColumn = { name: string; table: SQLiteTable; column: SQLiteColumn };

const SECRET_COLUMNS: SecretColumn[] = Object.entries({ ...mainSchema, ...supportSchema }).flatMap(([name, table]) =>
  isTable(table)
    ? Object.values<SQLiteColumn>(getTableColumns(table))
        .filter((column) => meaningOf(column).whose === "secret")
        .map((column) => ({ name, table, column }))
    : [],
);

/** Shorter ones could be part of something else. */
const MIN_CHARS = 16;

/**
 * Writes a value of its own into every secret column, of all rows that there are and of one more where there is none. What is
 * encrypted can be decrypted. Digests of a mailbox's owner stay: they say whose it is.
 */
export async function writeSecrets(): Promise<void> {
  for (const { name, table, column } of SECRET_COLUMNS) {
    if (column.name === "owner_digest") continue;
    const [tableName, { count }] = [
      getTableName(table),
      await one<{ count: number }>(name, `select count(*) as count`, table),
    ];
    if (count === 0) await insertRow(name, table);
    const value = `canary.${tableName}.${column.name}.`;
    await databaseOf(name).prepare(`update "${tableName}" set "${column.name}" = ? || rowid`).bind(value).run();
  }
  const db = connect(env.DB);
  for (const { name, table, column, parts, context } of SEALED_COLUMNS) {
    const rows = await db.all<{ at: number; context: string }>(
      sql`select rowid as at, ${parts} as context from ${table}`,
    );
    for (const { at, context: bound } of rows) {
      const sealed = await seal(env.ENCRYPTION_KEYS, context(JSON.parse(bound) as string[]), plainOf(name));
      await db.run(sql`update ${table} set ${sql.identifier(column.name)} = ${sealed} where rowid = ${at}`);
    }
  }
}

/** Returns what must not be shown: every value of every secret column, and what is encrypted in it, with the column's name. */
export async function readSecrets(): Promise<Map<string, string>> {
  const secrets = new Map(SEALED_COLUMNS.map(({ name }) => [plainOf(name), `${name}, decrypted`]));
  for (const { name, table, column } of SECRET_COLUMNS) {
    const path = `${getTableName(table)}.${column.name}`;
    const { results } = await databaseOf(name)
      .prepare(`select distinct "${column.name}" as value from "${getTableName(table)}" where "${column.name}" <> ''`)
      .all<{ value: string }>();
    if (results.length === 0) throw new Error(`no row has a value of ${path}`);
    for (const { value } of results) {
      if (value.length < MIN_CHARS) throw new Error(`a value of ${path} is too short to be recognized`);
      secrets.set(value, path);
    }
  }
  return secrets;
}

/**
 * Returns the secret of that column in base32, which a loader may take for the key of an authenticator app. It has whole
 * bytes, or the same key would be written with another last letter.
 */
function plainOf(name: string): string {
  const canary = `CANARYOF${name.toUpperCase().replaceAll(/[^A-Z]/g, "")}`;
  return canary.padEnd(Math.ceil(canary.length / 8) * 8, "A");
}

async function insertRow(name: string, table: SQLiteTable): Promise<void> {
  const row: Row = {};
  for (const column of Object.values(getTableColumns(table)) as SQLiteColumn[]) row[column.name] = newValue(column);
  for (const key of getTableConfig(table).foreignKeys) {
    const { columns, foreignColumns, foreignTable } = key.reference();
    const found = await one<Row>(name, `select "${foreignColumns[0]?.name}" as value`, foreignTable);
    row[columns[0]?.name ?? ""] = found.value ?? null;
  }
  await insertInto(name, row);
}

export async function insertInto(name: string, row: Row): Promise<void> {
  const columns = Object.keys(row).map((column) => `"${column}"`);
  await databaseOf(name)
    .prepare(`insert into "${getTableName(tableOf(name))}" (${columns}) values (${columns.map(() => "?")})`)
    .bind(...Object.values(row))
    .run();
}

async function one<Found>(name: string, select: string, table: SQLiteTable): Promise<Found> {
  const found = await databaseOf(name)
    .prepare(`${select} from "${getTableName(table)}" limit 1`)
    .first<Found>();
  if (!found) throw new Error(`no row of ${getTableName(table)}`);
  return found;
}
