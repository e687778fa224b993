import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { startDeletion } from "#app/accounts/deletion/start-deletion.server.ts";
import { isoTime } from "#app/db/iso-time.ts";
import { meaningOf } from "#app/db/schema/column-types.server.ts";
import { users } from "#app/db/schema.server.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { loader } from "#app/routes/dashboard/account-export.ts";
import { DAY_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import {
  allRows,
  columnsOf,
  emptyRoom,
  fillPerson,
  isDistinctive,
  isKey,
  otherValue,
  PASSWORD,
  type Person,
  type Row,
  readRow,
  readRows,
  roomRows,
  TABLES,
  type TableName,
  writeValue,
} from "#tests/workerd/personal-rows.ts";
import { sessionCookie } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import written from "../docs/personal-data.md?raw";
import { deleteAccount } from "./delete-account.server.ts";

/** A column of the person's row, and its value. */
type Cell = { name: TableName; key: string; column: SQLiteColumn; value: string | number; isExported: boolean };

test("exports exactly the columns classed for it, in their documented form, and nothing of another person", async () => {
  const person = await fillPerson();
  const cookie = await activeCookie(person.userId);
  const before = await exportOf(cookie);
  const other = await fillPerson();
  expect(await exportOf(cookie)).toEqual(before);
  expect(JSON.stringify(before)).not.toContain(other.userId);

  const wrong: string[] = [];
  const alike: Cell[] = [];
  const leaves = leavesOf(before);
  for (const name of TABLES) {
    for (const [key, column] of columnsOf(name)) {
      if (column.generated !== undefined) continue;
      const value = person.rows.get(name)?.row[column.name] ?? null;
      if (value === null) throw new Error(`${name}.${key} was not filled`);
      const isExported = meaningOf(column).whose === "exported";
      if (isExported && !exportedForms(column, value).every((form) => leaves.has(form))) {
        wrong.push(`${name}.${key} is missing: ${value}`);
      }
      if (isKey(name, column)) continue;
      if (isDistinctive(column)) {
        if (!isExported && anyForm(value).some((form) => leaves.has(form))) wrong.push(`${name}.${key} leaks`);
        continue;
      }
      alike.push({ name, key, column, value, isExported });
    }
  }
  // Other columns have the same value: only a change shows whether the export reads these.
  const areRead = async (cells: Cell[]) => {
    for (const { name, key, column, value } of cells) await writeValue(name, key, person, otherValue(column, value));
    const isSame = JSON.stringify(await exportOf(cookie)) === JSON.stringify(before);
    for (const { name, key, value } of cells) await writeValue(name, key, person, value);
    return !isSame;
  };
  for (const cell of alike.filter(({ isExported }) => isExported)) {
    if (!(await areRead([cell]))) wrong.push(`${cell.name}.${cell.key} is missing`);
  }
  const internal = alike.filter(({ isExported }) => !isExported);
  if (await areRead(internal)) {
    for (const cell of internal) if (await areRead([cell])) wrong.push(`${cell.name}.${cell.key} leaks`);
    expect(wrong).not.toEqual([]);
  }
  expect(wrong).toEqual([]);
  expect(await exportOf(cookie)).toEqual(before);
});

test("exports every part that docs/personal-data.md lists, without raw numbers and secrets", async () => {
  const { userId } = await fillPerson();
  const exported = await exportOf(await activeCookie(userId));
  const listed = [...written.matchAll(/^\| `(\w+)` +\| (`.*?) +\|/gm)];
  expect(listed.length).toBeGreaterThan(20);
  for (const [, table, parts = ""] of listed) {
    for (const [, path = ""] of parts.matchAll(/`([a-z][\w.]*)`/gi)) {
      const value = path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], exported);
      const isEmpty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
      expect(isEmpty, `${path}, of ${table}, is empty`).toBe(false);
    }
  }
  const text = JSON.stringify(exported);
  // No number is a time in ms or an amount in micro-units.
  expect(
    text.match(
      /"\w*(At|date|balance|owed|charge|discount|refunded|amount|paid|reversed|received|spent|added)":-?\d+/gi,
    ),
  ).toBeNull();
  expect(exported).toMatchObject({ currency: "USD", balance: expect.stringMatching(/^\d+\.\d{2,}$/) });
  expect(text).not.toMatch(/scrypt|digest|secret|token/i);
});

test("the export asks for a session", async () => {
  const request = new Request("https://growline.example/dashboard/account/export");
  const refused = loader({ request, context: loadContext(), params: {} });
  await expect(refused).rejects.toMatchObject({ status: 302 });
});

test("deletes and keeps exactly the columns classed for it, and leaves another person's data untouched", async () => {
  const person = await fillPerson();
  const other = await fillPerson();
  const othersRows = await rowsOf(other);
  expect(await startDeletion(loadContext(), newVisit(), { ...person, sessionId: "any" }, PASSWORD)).toEqual({
    ok: true,
  });
  await deleteAccount(db, env, person.userId);

  for (const name of TABLES) {
    const original = person.rows.get(name)?.row ?? {};
    const columns = columnsOf(name).map(([, column]) => column);
    const kept = columns.filter((column) => meaningOf(column).isKept).map((column) => column.name);
    const deleted = columns.filter((column) => !meaningOf(column).isKept).map((column) => column.name);
    if (kept.length === 0) {
      const { rowid = 0 } = person.rows.get(name) ?? {};
      expect(await readRow(name, rowid), `the row of ${name}`).toBeNull();
      continue;
    }
    const left = mostAlike(await allRows(name), original, kept);
    expect(pick(left, kept), `kept columns of ${name}`).toEqual(pick(original, kept));
    const still = deleted.filter((column) => left[column] === original[column]);
    expect(still, `columns of ${name} that should have been emptied`).toEqual([]);
  }
  expect(await roomRows(person)).toEqual(await emptyRoom());
  const { objects } = await env.UPLOADS.list({ prefix: person.userId });
  expect(objects).toEqual([]);
  expect(await rowsOf(other)).toEqual(othersRows);
});

/** Reactivates the account, whose `suspended_at` is filled too, and logs it in. */
async function activeCookie(userId: string): Promise<string> {
  await db.update(users).set({ suspendedAt: null }).where(eq(users.id, userId));
  return sessionCookie(userId);
}

async function exportOf(cookie: string): Promise<unknown> {
  const request = new Request("https://growline.example/dashboard/account/export", { headers: { Cookie: cookie } });
  const response = await loader({ request, context: loadContext(), params: {} });
  const { exportedAt, ...rest } = await response.json<{ exportedAt: string; securityEvents?: { kind: string }[] }>();
  expect(Date.parse(exportedAt)).toBeGreaterThan(0);
  // Each export is an event itself.
  const events = (rest.securityEvents ?? []).filter(({ kind }) => kind !== "data_exported");
  return { ...rest, securityEvents: events };
}

function leavesOf(value: unknown): Set<unknown> {
  const leaves = new Set<unknown>();
  JSON.stringify(value, (_key, one: unknown) => {
    if (typeof one !== "object") leaves.add(one);
    return one;
  });
  return leaves;
}

/** Returns the values in the export that stand for a stored one. */
function exportedForms(column: SQLiteColumn, value: string | number): unknown[] {
  if (column.dataType === "boolean") return [value === 1];
  if (column.dataType === "json") return Object.entries(JSON.parse(String(value))).map(jsonForm);
  switch (meaningOf(column).kind) {
    case "money":
      return [decimal(Number(value), 2)];
    case "time":
      return [isoTime(Number(value))];
    case "day":
      return [isoTime(Number(value) * DAY_MS).slice(0, 10)];
    case "currency":
      return [String(value).toUpperCase()];
    case "minorUnits":
      return [(Number(value) / 100).toFixed(2)];
    default:
      return [value];
  }
}

/** Returns all values in which the export could show a stored one. */
function anyForm(value: string | number): unknown[] {
  return typeof value === "number" ? [value, isoTime(value), decimal(value, 2)] : [value];
}

/** Returns the form of a field of a JSON column: `amount` in micro-units, `refillUntil` as a change of a time, a network, or words. */
function jsonForm([name, value]: [string, unknown]): unknown {
  if (typeof value === "object" && value !== null && "network" in value) return value.network;
  if (name === "amount") return decimal(Number(value), 2);
  return name === "refillUntil" && Array.isArray(value) ? isoTime(value[1]) : value;
}

/** Returns the row that shares the most of these columns with the original: a kept row may have a new owner. */
function mostAlike(rows: Row[], original: Row, columns: string[]): Row {
  const score = (row: Row) => columns.filter((column) => row[column] === original[column]).length;
  return rows.reduce<Row>((best, row) => (score(row) > score(best) ? row : best), {});
}

function pick(row: Row, columns: string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}

async function rowsOf(person: Person): Promise<unknown> {
  const rows = await readRows(person);
  const { objects } = await env.UPLOADS.list({ prefix: person.userId });
  return { rows, room: await roomRows(person), files: objects.map(({ key }) => key) };
}
