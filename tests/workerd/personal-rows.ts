import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { getTableColumns, getTableName, isTable, sql } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { hashPassword } from "#app/accounts/password/password-hash.server.ts";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { isPersonal, meaningOf } from "#app/db/schema/column-types.server.ts";
import * as supportSchema from "#app/db/schema/support-tables.server.ts";
import * as mainSchema from "#app/db/schema.server.ts";
import { addressDigest } from "#app/email/suppressions.server.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { service } from "./customer.ts";

/** Fills every column of every table that names a person, generically through the schema, and reads it back. */

export const PASSWORD = "correct horse battery";

const SCHEMA = { ...mainSchema, ...supportSchema };
export type TableName = {
  [Name in keyof typeof SCHEMA]: (typeof SCHEMA)[Name] extends SQLiteTable ? Name : never;
}[keyof typeof SCHEMA];
type Value = string | number | null;
/** A row as SQLite stores it: column name in the database → value. */
export type Row = Record<string, Value>;
export type Person = { userId: string; email: string; rows: Map<TableName, { rowid: number; row: Row }> };

const main = connect(env.DB);
const support = connectSupport(env.DB_SUPPORT);

/** The two tables that a room copies to D1, and its own copy. The export reads the room's. */
const ROOM_COPIES: Partial<Record<TableName, string>> = { supportSessions: "session", supportMessages: "messages" };
/** Rows that the room writes to D1; the filler then overwrites their columns. */
const FROM_ROOM = new Set<TableName>([
  "supportSessions",
  "supportMessages",
  "supportNotes",
  "supportMentions",
  "supportCases",
]);

/** Tables that name a person, a table after those it refers to. */
export const TABLES = (Object.keys(SCHEMA) as (keyof typeof SCHEMA)[])
  .filter((name): name is TableName => isTable(SCHEMA[name]) && isPersonal(SCHEMA[name]))
  .sort((a, b) => depth(tableOf(a)) - depth(tableOf(b)));

export function tableOf(name: string): SQLiteTable {
  const table: unknown = SCHEMA[name as TableName];
  if (!isTable(table)) throw new Error(`no table ${name}`);
  return table as SQLiteTable;
}

export function columnsOf(name: TableName): [key: string, column: SQLiteColumn][] {
  return Object.entries(getTableColumns(tableOf(name)) as Record<string, SQLiteColumn>);
}

/** Returns whether the column says whose row it is or refers to another row, and so can't take any value. */
export function isKey(name: TableName, column: SQLiteColumn): boolean {
  const { foreignKeys, primaryKeys } = getTableConfig(tableOf(name));
  const isForeign = foreignKeys.some((key) => key.reference().columns.some((one) => one.name === column.name));
  const isPrimary = column.primary || primaryKeys.some((key) => key.columns.some((one) => one.name === column.name));
  return (
    isForeign ||
    isPrimary ||
    column.generated !== undefined ||
    KEYS.has(`${getTableName(tableOf(name))}.${column.name}`)
  );
}

const KEYS = new Set([
  ...["user_id", "owner_digest"].flatMap((column) => TABLES.map((name) => `${getTableName(tableOf(name))}.${column}`)),
  "audit_log.actor_id",
  "audit_log.subject_type",
  "audit_log.subject_id",
  // Stripe's id of a payment connects these two.
  "checkouts.payment_intent",
  "card_reversals.payment_intent",
  "support_sessions.session_id",
  "saved_replies.updated_by",
  "settings.changed_by",
  "announcements.changed_by",
  "percent_codes.created_by",
  "audit_subjects.subject_type",
  // Only a held order has a reason.
  "orders.fulfillment",
  "push_subscriptions.owner",
]);

/** What ends by itself still lives: an expired row might be gone without the deletion that a test is about. */
const ENDS_FROM = Date.now() + 30 * 24 * 60 * 60_000;

let counter = 0;

/** Returns a value that no other column has, unless the column allows only a few values. */
export function newValue(column: SQLiteColumn): Value {
  counter += 1;
  if (column.enumValues) return column.enumValues[0] ?? null;
  if (column.dataType === "boolean" || isCount(column)) return 1;
  if (column.dataType === "json") return JSON.stringify({ reason: `words ${counter}` });
  if (column.dataType !== "number") return `${column.name} ${counter}`;
  // The remainders make it unlikely that the difference of two values, as a page may show, equals a third value.
  if (meaningOf(column).kind !== "time") return 1_000_000 + counter * 1000 + (counter ** 2 % 997);
  // Minutes apart, so that every time is written out differently.
  return (isEnd(column) ? ENDS_FROM : 1_700_000_000_000) + counter * 60_000;
}

/** Returns whether `newValue` gives the column a value that no other column has. */
export function isDistinctive(column: SQLiteColumn): boolean {
  const hasFewValues = column.enumValues !== undefined || column.dataType === "boolean" || isCount(column);
  return !hasFewValues && meaningOf(column).kind !== "currency";
}

/** Returns whether a text has a phrase that no letter or digit follows. */
export function hasPhrase(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    if (!/\w/.test(text[at + phrase.length] ?? "")) return true;
  }
  return false;
}

/** Returns another value that a column that isn't distinctive allows. */
export function otherValue(column: SQLiteColumn, value: Value): Value {
  if (meaningOf(column).kind === "currency") return "gbp";
  if (column.enumValues) return column.enumValues.find((one) => one !== value) ?? null;
  return value === 1 ? 0 : 1;
}

/** Whether a column counts one order more or less. */
function isCount(column: SQLiteColumn): boolean {
  return column.name === "costed" && getTableName(column.table) === "order_costs";
}

function isEnd({ name }: SQLiteColumn): boolean {
  return /(^|_)(expires_at|until)$/.test(name);
}

/** Creates a person with a row in every classified table, a conversation in its room and files in the bucket. */
export async function fillPerson(): Promise<Person> {
  const userId = crypto.randomUUID();
  const person: Person = { userId, email: `${userId}@test.example`, rows: new Map() };
  await fillRoom(person);
  for (const name of TABLES) {
    const given = await givenValues(name, person);
    const row: Row = {};
    for (const [, column] of columnsOf(name)) {
      if (column.generated !== undefined) continue;
      row[column.name] = column.name in given ? (given[column.name] ?? null) : newValue(column);
    }
    if (FROM_ROOM.has(name)) await overwrite(name, person, row);
    else person.rows.set(name, { rowid: 0, row });
  }
  await insertAll(person);
  for (const [name, row] of await readRows(person)) {
    const filled = person.rows.get(name);
    if (filled) filled.row = row ?? {};
  }
  return person;
}

/** Values that a constraint or another store decides. */
async function givenValues(name: TableName, { userId, email, rows }: Person): Promise<Row> {
  const of = (table: TableName, column: string): Value => rows.get(table)?.row[column] ?? null;
  const owner: Row = { user_id: userId, owner_digest: "" };
  const sessionId = userSessionId(userId);
  const conversation: Row = { session_id: sessionId, user_id: userId };
  switch (name) {
    case "users":
      return { id: userId, email, password_hash: await hashPassword(PASSWORD, unlimitedCaller()) };
    case "emailSuppressions":
      return { address_digest: addressDigest(email), email_address: email };
    case "apiKeys":
      return {
        ...owner,
        addresses: JSON.stringify(["203.0.113.7"]),
        networks: JSON.stringify([{ network: "198.51.100.0/24", at: 1_700_000_000_000 }]),
      };
    case "webhookDeliveries":
      return { endpoint_id: of("webhookEndpoints", "id") };
    case "pushSubscriptions":
      return { owner: sessionId, session_id: of("authSessions", "id") };
    case "pushDeliveries":
      return { subscription_id: of("pushSubscriptions", "id") };
    case "favorites":
      return { ...owner, service_id: await service({ id: nextId() }) };
    case "orders":
      // In progress at its provider, so that the deletion doesn't cancel it.
      return {
        ...owner,
        service_id: await service({ id: nextId() }),
        provider_id: await provider(),
        provider_fields: JSON.stringify({ comments: newWords() }),
        charge: nextId() * 2,
        price_rule: JSON.stringify({ name: newWords() }),
        status: "In progress",
        fulfillment: "held",
      };
    case "refills":
    case "cancellations":
      return { ...owner, order_id: of("orders", "id"), provider_id: of("orders", "provider_id") };
    case "orderCosts":
      return { order_id: of("orders", "id") };
    case "providerLog":
    case "unreadAnswers":
      return { provider_id: of("orders", "provider_id"), order_id: of("orders", "id") };
    case "providerWords":
      return { provider_id: of("orders", "provider_id"), only_order_id: of("orders", "id") };
    case "ledger":
      // A credit would settle what the wallet owes.
      return { ...owner, order_id: of("orders", "id"), amount: -nextId() };
    case "wallets":
      return { ...owner, tier_id: await tier() };
    case "percentCodes":
      return { basis_points: 1234, created_by: userId };
    case "percentCodeUses":
      return { ...owner, order_id: of("orders", "id"), code_id: of("percentCodes", "id") };
    case "redeemUses":
      return { ...owner, code_id: await redeemCode() };
    case "checkouts":
      return { ...owner, paid: nextId() * 2, received_currency: "eur", payment_intent: `of ${userId}` };
    case "cardReversals":
      return { payment_intent: `of ${userId}` };
    case "auditLog":
      // A member of the team who changed their own account is both actor and subject.
      return { actor_id: userId, subject_type: "customer", subject_id: userId, detail: detail() };
    case "auditSubjects":
      return { entry_id: of("auditLog", "id"), subject_type: "service" };
    case "uploads":
      await env.UPLOADS.put(`${userId}/kept`, "kept");
      return { ...owner, key: `${userId}/kept` };
    case "pendingUploads": {
      const { key, uploadId } = await env.UPLOADS.createMultipartUpload(`${userId}/pending`);
      return { ...owner, key, r2_upload_id: uploadId };
    }
    case "uploadParts":
      return { upload_id: of("pendingUploads", "id") };
    case "supportSessions":
      return { ...conversation, status: "closed", tags: JSON.stringify([newWords()]) };
    case "supportMessages":
    case "supportNotes":
    case "supportMentions":
    case "supportCases":
      return { session_id: sessionId };
    case "supportCounts":
      return { assignee_id: userId };
    case "savedReplies":
      return { updated_by: userId };
    case "settings":
    case "announcements":
      return { changed_by: userId };
    default:
      return owner;
  }
}

function detail(): string {
  return JSON.stringify({ amount: nextId(), refillUntil: [null, nextId()], reason: newWords() });
}

function newWords(): string {
  counter += 1;
  return `words ${counter}`;
}

function nextId(): number {
  counter += 1;
  return 1_000_000 + counter * 1000;
}

async function provider(): Promise<number> {
  const [row] = await main
    .insert(mainSchema.providers)
    .values({ id: nextId(), name: newWords(), apiUrl: "https://p.example", encryptedKey: "", createdAt: 1 })
    .returning();
  return row?.id ?? 0;
}

async function tier(): Promise<number> {
  const gold = {
    id: 1,
    slot: 1,
    name: "Gold",
    kind: "percent",
    basisPoints: 1000,
    createdAt: 1,
    updatedAt: 1,
  } as const;
  await main.insert(mainSchema.tiers).values(gold).onConflictDoNothing();
  return gold.id;
}

async function redeemCode(): Promise<number> {
  const [batch] = await main
    .insert(mainSchema.redeemBatches)
    .values({ name: "", amount: 1, count: 1, maxUses: 9, createdAt: 1 })
    .returning();
  const [code] = await main
    .insert(mainSchema.redeemCodes)
    .values({ id: nextId(), batchId: batch?.id ?? 0, digest: newWords(), ending: "", usesLeft: 9 })
    .returning();
  return code?.id ?? 0;
}

/** Leaves one message, one note and one rated case in the room and, through it, in D1. */
async function fillRoom({ userId, email }: Person): Promise<void> {
  const sessionId = userSessionId(userId);
  const room = env.SUPPORT_ROOM.getByName(sessionId);
  const agent = { id: "agent-1", name: "Bo" };
  await room.open({ sessionId, userId, name: "Ada", email });
  await room.sendMessage({ side: "user", author: sessionId, name: "Ada" }, { clientId: "1", body: "Hello" });
  await room.setStatus("closed");
  await room.rate("good");
  await room.applyAction(agent, {
    action: "note",
    clientId: "1",
    body: "A note",
    mentions: [{ id: "agent-2", name: "Al" }],
  });
  await runDurableObjectAlarm(room);
  // Keeps only the visitor's message, so that each table has one row.
  await runInDurableObject(room, (_room, { storage }) => {
    storage.sql.exec("DELETE FROM messages WHERE sender_type <> 'user'");
  });
  await evictDurableObject(room);
  await support.run(sql`delete from support_messages where session_id = ${sessionId} and sender_type <> 'user'`);
}

async function overwrite(name: TableName, person: Person, row: Row): Promise<void> {
  const table = getTableName(tableOf(name));
  const found = await support.get<{ rowid: number }>(
    sql`select rowid as rowid from ${sql.raw(table)} where session_id = ${userSessionId(person.userId)}`,
  );
  if (!found) throw new Error(`the room stored no row of ${table}`);
  person.rows.set(name, { rowid: found.rowid, row });
  const columns = columnsOf(name).filter(
    ([, column]) => !isKey(name, column) && column.name !== "seq" && column.name !== "no",
  );
  await writeValues(name, person, new Map(columns.map(([, column]) => [column, row[column.name] ?? null])));
}

/** Writes one column of a person's row, in the room too if it has a copy. */
export async function writeValue(name: TableName, key: string, person: Person, value: Value): Promise<void> {
  const column = getTableColumns(tableOf(name))[key];
  if (!column) throw new Error(`no column ${name}.${key}`);
  await writeValues(name, person, new Map([[column, value]]));
}

/** Writes columns of a person's row, in the room too where it has a copy. */
export async function writeValues(name: TableName, person: Person, values: Map<SQLiteColumn, Value>): Promise<void> {
  const filled = person.rows.get(name);
  if (!filled) throw new Error(`no row of ${name}`);
  const sets = [...values.keys()].map((column) => `"${column.name}" = ?`).join(", ");
  const statement = `update "${getTableName(tableOf(name))}" set ${sets} where rowid = ?`;
  await databaseOf(name)
    .prepare(statement)
    .bind(...values.values(), filled.rowid)
    .run();
  const copy = ROOM_COPIES[name];
  if (!copy) return;
  const room = env.SUPPORT_ROOM.getByName(userSessionId(person.userId));
  const isCopied = await runInDurableObject(room, (_room, { storage }) => {
    const columns = storage.sql.exec<{ name: string }>(`select name from pragma_table_info('${copy}')`).toArray();
    const copied = [...values].filter(([column]) => columns.some((one) => one.name === column.name));
    for (const [column, value] of copied) storage.sql.exec(`update ${copy} set ${column.name} = ?`, value);
    return copied.length > 0;
  });
  if (isCopied) await evictDurableObject(room);
}

export function databaseOf(name: string): D1Database {
  return name in supportSchema ? env.DB_SUPPORT : env.DB;
}

/** Stores the rows of the person that have no row ID yet, and notes what it is. */
async function insertAll({ rows }: Person): Promise<void> {
  for (const database of [env.DB, env.DB_SUPPORT]) {
    const filled = [...rows].filter(([name, { rowid }]) => rowid === 0 && databaseOf(name) === database);
    const inserts = filled.map(([name, { row }]) => {
      const columns = Object.keys(row);
      const marks = columns.map(() => "?").join(", ");
      const statement = `insert into "${getTableName(tableOf(name))}" ("${columns.join('", "')}") values (${marks}) returning rowid as rowid`;
      return database.prepare(statement).bind(...Object.values(row));
    });
    if (inserts.length === 0) continue;
    const inserted = await database.batch<{ rowid: number }>(inserts);
    for (const [at, [, one]] of filled.entries()) one.rowid = inserted[at]?.results[0]?.rowid ?? 0;
  }
}

/** Reads all rows of a person. A row that is gone is null. */
export async function readRows({ rows }: Person): Promise<[TableName, Row | null][]> {
  const read = new Map<TableName, Row | null>();
  for (const database of [env.DB, env.DB_SUPPORT]) {
    const names = [...rows.keys()].filter((name) => databaseOf(name) === database);
    const found = await database.batch<Row>(names.map((name) => selectRow(name, rows.get(name)?.rowid ?? 0)));
    for (const [at, name] of names.entries()) read.set(name, found[at]?.results[0] ?? null);
  }
  return [...rows.keys()].map((name) => [name, read.get(name) ?? null]);
}

export function readRow(name: TableName, rowid: number): Promise<Row | null> {
  return selectRow(name, rowid).first<Row>();
}

function selectRow(name: TableName, rowid: number): D1PreparedStatement {
  return databaseOf(name)
    .prepare(`select * from "${getTableName(tableOf(name))}" where rowid = ?`)
    .bind(rowid);
}

export async function allRows(name: TableName): Promise<Row[]> {
  const { results } = await databaseOf(name)
    .prepare(`select * from "${getTableName(tableOf(name))}"`)
    .run<Row>();
  return results;
}

/** Returns everything in a person's room, by table. */
export function roomRows({ userId }: Person): Promise<Record<string, unknown[]>> {
  return runInDurableObject(env.SUPPORT_ROOM.getByName(userSessionId(userId)), (_room, { storage }) => {
    const tables = storage.sql.exec<{ name: string }>(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite%' and name not like '_cf%'",
    );
    return Object.fromEntries(
      tables.toArray().map(({ name }) => [name, storage.sql.exec(`select * from ${name}`).toArray()]),
    );
  });
}

/** Returns everything in the room of a person without a conversation, by table. */
export function emptyRoom(): Promise<Record<string, unknown[]>> {
  const userId = crypto.randomUUID();
  return roomRows({ userId, email: "", rows: new Map() });
}

function depth(table: SQLiteTable): number {
  const parents = getTableConfig(table).foreignKeys.map((key) => key.reference().foreignTable);
  return parents.reduce((deepest, parent) => Math.max(deepest, parent === table ? 0 : depth(parent) + 1), 0);
}
