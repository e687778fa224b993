import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { getTableName } from "drizzle-orm";
import { expect, test } from "vitest";
import { isoTime } from "#app/db/iso-time.ts";
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
  writeValue,
} from "#tests/workerd/personal-rows.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import written from "../docs/personal-data.md?raw";

/** Columns that docs/personal-data.md names below this heading, as `table.column`. The privacy policy has its words. */
const [, ABOUT_STAFF = ""] = written.split("\n## What our team sees\n");
const LISTED = [...(ABOUT_STAFF.split("\n## ")[0] ?? "").matchAll(/`(\w+\.\w+)`/g)].map(([, column]) => column);

const ENDED = /^(revoked|suspended|lifted|used|disabled|expires)_at$/;

test("shows staff exactly the columns of a person that docs/personal-data.md names", async () => {
  const person = await fillPerson();
  // The console shows no test orders.
  await env.DB.exec("update orders set is_test = 0");
  await storeConsoleExamples();
  const { cookie } = await signedIn("admin");
  const ended = await readConsole(cookie, person);
  await resume(person);
  const text = `${ended}\n${await readConsole(cookie, person)}`;
  expect(shownColumns(text, person)).toEqual(LISTED.toSorted());
});

/** Makes whatever was revoked, suspended, lifted or idle run again: pages leave out what has ended, or what goes on. */
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
async function readConsole(cookie: string, person: Person): Promise<string> {
  const pages = [...(await consolePages()).values(), `/admin/audit/${person.rows.get("auditLog")?.row.id}`];
  const texts: string[] = [];
  for (const path of pages) {
    const response = await open(path, cookie);
    expect(response.status, path).toBe(200);
    texts.push(await response.text());
  }
  const links = texts.flatMap(linksIn).filter((link) => /^\/admin\b/.test(link) && !/[?&]sort=/.test(link));
  const others = routesWithLoader().filter((route) => /^\/admin\/[^:]+$/.test(route));
  const more = new Set([...links, ...others.map((path) => `${path}?q=${person.email}`)]);
  for (const path of pages) more.delete(path);
  for (const path of more) texts.push(await (await open(path, cookie)).text());
  return texts.join("\n");
}

function open(path: string, cookie: string): Promise<Response> {
  return SELF.fetch(SITE + path, { headers: { Cookie: cookie }, redirect: "manual" });
}

/** Columns whose value of this person alone is in a text, as it is stored, or a time as it is written. */
function shownColumns(text: string, person: Person): string[] {
  const words = new Set(text.split(/[^\w.@:-]+/).flatMap((word) => [word, word.replace(/[.:]+$/, "")]));
  const isIn = (form: string) => (/^[\w.@:-]+$/.test(form) ? words.has(form) : hasPhrase(text, form));
  return TABLES.flatMap((name) =>
    columnsOf(name)
      .filter(([, column]) => isDistinctive(column) && !isKey(name, column))
      .filter(([, column]) => formsOf(person.rows.get(name)?.row[column.name] ?? null).some(isIn))
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
