import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { getTableName } from "drizzle-orm";
import { expect, test } from "vitest";
import { isoTime } from "#app/db/iso-time.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { linksIn } from "#tests/fuzz/surface/page-forms.ts";
import { routesWithLoader, SITE } from "#tests/workerd/all-routes.ts";
import { consolePages, storeConsoleExamples } from "#tests/workerd/console-examples.ts";
import {
  columnsOf,
  fillPerson,
  hasPhrase,
  isDistinctive,
  isKey,
  type Person,
  TABLES,
  type TableName,
  writeValue,
} from "#tests/workerd/personal-rows.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import written from "../docs/personal-data.md?raw";

/** Columns that docs/personal-data.md names below this heading, as `table.column`. The privacy policy has its words. */
const [, ABOUT_STAFF = ""] = written.split("\n## What our team sees\n");
const LISTED = [...(ABOUT_STAFF.split("\n## ")[0] ?? "").matchAll(/`(\w+\.\w+)`/g)].map(([, column]) => column);

const ENDED = /^(revoked|suspended|lifted|used|disabled|expires)_at$/;

test("shows staff exactly the columns of a person that docs/personal-data.md names", async () => {
  // Pages leave out what has ended, or what goes on.
  const [ended, running] = [await fillPerson(), await fillPerson()];
  await resume(running);
  // The console shows the sum of all.
  await env.DB_SUPPORT.prepare("delete from support_counts where assignee_id = ?").bind(running.userId).run();
  // The console shows no test orders.
  await env.DB.exec("update orders set is_test = 0");
  await storeConsoleExamples();
  const { cookie } = await signedIn("admin");
  const people = [ended, running];
  expect(shownColumns(await readConsole(cookie, people), people)).toEqual(LISTED.toSorted());
});

/** Makes whatever was revoked, suspended, lifted or idle run again. */
async function resume(person: Person): Promise<void> {
  const session = person.rows.get("authSessions");
  if (!session) throw new Error("no session");
  session.row.last_used_at = Date.now() - 60_000;
  await writeValue("authSessions", "lastUsedAt", person, session.row.last_used_at);
  for (const name of TABLES) {
    for (const [key, column] of columnsOf(name)) {
      if (ENDED.test(column.name) && !column.notNull) await writeValue(name, key, person, null);
    }
  }
}

/** Reads every page of the console and what these link to there: tabs, filters and exports; and its searches. */
async function readConsole(cookie: string, people: Person[]): Promise<string> {
  const pages = new Set([...(await consolePages()).values(), ...people.flatMap(pagesOf)]);
  const texts: string[] = [];
  for (const path of pages) {
    const response = await open(path, cookie);
    expect(response.status, path).toBe(200);
    texts.push(await response.text());
  }
  const links = texts.flatMap(linksIn).filter((link) => /^\/admin\b/.test(link) && !/[?&]sort=/.test(link));
  const others = routesWithLoader().filter((route) => /^\/admin\/[^:]+$/.test(route));
  const searches = people.flatMap(({ email }) => others.map((path) => `${path}?q=${email}`));
  const more = new Set([...(env.TEST_TIER === "core" ? oneOfEachKind(links) : links), ...searches]);
  for (const path of pages) more.delete(path);
  for (const path of more) texts.push(await (await open(path, cookie)).text());
  // Pages are much alike, and a phrase contains none of these characters.
  return [...new Set(texts.flatMap((text) => text.split(/[<>"]/)))].join("\n");
}

/** Returns the first of the links that differ in numbers and ids alone: `pagesOf` names the pages about the people. */
function oneOfEachKind(links: string[]): Iterable<string> {
  const kinds = links
    .toReversed()
    .map((link): [kind: string, link: string] => [link.replaceAll(/[\w-]*\d[\w-]*/g, "1"), link]);
  return new Map(kinds).values();
}

/** Returns the pages about one person alone. */
function pagesOf({ userId, rows }: Person): string[] {
  const id = (name: TableName) => encodeURIComponent(String(rows.get(name)?.row.id));
  return [
    `/admin/audit/${id("auditLog")}`,
    `/admin/customers/${userId}`,
    `/admin/orders/${id("orders")}`,
    `/admin/payments/${id("checkouts")}`,
    `/admin/support/${userSessionId(userId)}`,
  ];
}

function open(path: string, cookie: string): Promise<Response> {
  return SELF.fetch(SITE + path, { headers: { Cookie: cookie }, redirect: "manual" });
}

/** Columns whose value of one person alone is in a text, as it is stored, or a time as it is written. */
function shownColumns(text: string, people: Person[]): string[] {
  const words = new Set(text.split(/[^\w.@:-]+/).flatMap((word) => [word, word.replace(/[.:]+$/, "")]));
  const isIn = (form: string) => (/^[\w.@:-]+$/.test(form) ? words.has(form) : hasPhrase(text, form));
  return TABLES.flatMap((name) =>
    columnsOf(name)
      .filter(([, column]) => isDistinctive(column) && !isKey(name, column))
      .filter(([, column]) => people.some(({ rows }) => formsOf(rows.get(name)?.row[column.name] ?? null).some(isIn)))
      .map(([, column]) => `${getTableName(column.table)}.${column.name}`),
  ).toSorted();
}

function formsOf(value: string | number | null): string[] {
  if (typeof value === "number") return [String(value), isoTime(value)];
  if (value === null) return [];
  return /^[{[]/.test(value) ? leavesOf(JSON.parse(value)) : [value];
}

function leavesOf(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(leavesOf);
  return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
}
