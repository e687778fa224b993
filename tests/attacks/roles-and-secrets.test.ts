import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { getTableName } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { webSessionCookie } from "#app/accounts/session/viewer.server.ts";
import { signAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import { AGENT_ROUTES } from "#app/console/navigation/console-pages.server.ts";
import { authSessions } from "#app/db/schema.server.ts";
import { newVisitor, ZERO_USER_ID } from "#app/gmail/tokens/mailbox-owner.server.ts";
import exportSource from "#app/routes/admin/list-export.ts?raw";
import { linksIn } from "#tests/fuzz/surface/page-forms.ts";
import { allRoutes, type BuiltRoute, isPage, SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { db, newKey } from "#tests/workerd/customer.ts";
import {
  allRows,
  columnsOf,
  databaseOf,
  fillPerson,
  hasPhrase,
  isDistinctive,
  isKey,
  newValue,
  type Person,
  TABLES,
  tableOf,
} from "#tests/workerd/personal-rows.ts";
import { insertInto, readSecrets, writeSecrets } from "#tests/workerd/secret-columns.ts";
import { sessionCookie, storedSignIn, tokensOf } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

/**
 * Asks every route as every kind of caller, in a world with a row of everything. The routes, the secrets and what agents may
 * open are read from where the product states them, so a new one is covered without a line here.
 */

const CALLERS = ["visitor", "owner", "agent", "admin"] as const;
type Caller = (typeof CALLERS)[number];

/** Responds with an uploaded file, and with nothing of a row. */
const FILE = "/support/sessions/:id/files/:file";
/** Shorter texts could be part of something else. */
const SHORTEST = 6;
/** Asked at the end. */
const ENDS_THE_SESSION = "/logout";

const loaders = allRoutes().filter(({ module }) => module.loader);
const consoleRoutes = allRoutes().filter(({ id, pattern }) => isOfConsole(pattern) || id.startsWith("routes/admin/"));

let person: Person;
let cookies: Record<Caller, string>;
let apiKey: string;
let accessToken: string;
let secrets: Map<string, string>;
/** The addresses that were found of each route, and the intents of the forms there. */
const addresses = new Map<string, Set<string>>();
const intents = new Map<string, Set<string>>();
/** The statuses of each route's answers to the one who has rows there. */
const statuses = new Map<string, Set<number>>();
const leaks = new Set<string>();
const failures = new Set<string>();

beforeAll(async () => {
  person = await fillPerson();
  await revive();
  const { visitor, setCookie } = await newVisitor(new Request(SITE), env);
  await copyMailbox(visitor.ownerDigest);
  cookies = {
    visitor: setCookie.split(";")[0] ?? "",
    owner: await filledSession(),
    agent: (await storedSignIn("agent")).cookie,
    admin: (await storedSignIn("admin")).cookie,
  };
  const now = Date.now();
  await db.update(authSessions).set({ createdAt: now, lastUsedAt: now, verifiedAt: now, secondFactorAt: now });
  await writeSecrets();
  apiKey = (await newKey(person.userId, { name: "test", scopes: ["read"] })).key;
  accessToken = (await tokensOf(cookies.owner)).access_token;
  secrets = await readSecrets();
  await followLinks("owner");
  await followLinks("admin");
  await findUnlinked();
});

test("lets agents open what is stated for them and nothing else of the console, and nobody else any of it", async () => {
  const wrong: string[] = [];
  for (const route of consoleRoutes.filter(({ module }) => module.loader)) {
    const children = consoleRoutes.filter(({ parentId }) => parentId === route.id);
    const isLayout = route.path === undefined;
    const address = addressOf(isLayout ? (children.find(({ pattern }) => !/[:*]/.test(pattern)) ?? route) : route);
    const path = isPage(route) ? withQuery(dataOf(address), `_routes=${route.id}`) : address;
    const answered: Record<string, string> = {};
    for (const caller of CALLERS) answered[caller] = outcomeOf(await ask(caller, route.pattern, path));
    // The route takes no GET.
    if (CALLERS.every((caller) => answered[caller] === "405")) continue;
    const isForAgents = (isLayout ? children : [route]).some(({ pattern }) => pattern in AGENT_ROUTES);
    const found = route.pattern.endsWith("*") ? "404" : "200";
    const expected = { visitor: "log-in", owner: "404", agent: isForAgents ? found : "404", admin: found };
    if (!equals(answered, expected)) wrong.push(`${path} answers ${JSON.stringify(answered)}`);
  }
  expect(wrong).toEqual([]);
  expect(Object.keys(AGENT_ROUTES).filter((path) => !consoleRoutes.some(({ pattern }) => pattern === path))).toEqual(
    [],
  );
});

test("returns no secret from any loader, to whomever", async () => {
  for (const [pattern, paths] of addresses) {
    if (isOfConsole(pattern)) continue;
    // The owner has asked for all of them while they were found. In `npm test` who may open the least and the most ask again.
    for (const path of [...paths].slice(0, atScale(1, paths.size)))
      for (const caller of CALLERS.filter((_, at) => at % atScale(3, 1) === 0))
        await ask(caller, pattern, inDataOf(pattern, path));
  }
  for (const path of addresses.get("/admin/exports/:list") ?? []) await ask("admin", "/admin/exports/:list", path);
  for (const caller of CALLERS) await ask(caller, ENDS_THE_SESSION, ENDS_THE_SESSION);
  cookies.admin = (await storedSignIn("admin")).cookie;
  expect([...leaks]).toEqual([]);
  expect([...failures]).toEqual([]);
  // A loader without a known address, or one that refused everybody, might return anything.
  const unread = loaders.filter(({ pattern, path }) => {
    const answered = [...(statuses.get(pattern) ?? [])];
    const isOff = !pattern.includes(":") && answered.every((status) => status === 404);
    const isRead = answered.some((status) => status === 200);
    const onlyLeads = answered.length > 0 && answered.every((status) => [202, 302, 404, 405].includes(status));
    const leads = onlyLeads && answered.some((status) => status !== 404);
    return path !== undefined && !pattern.includes("*") && !isRead && !leads && !(answered.length > 0 && isOff);
  });
  expect(unread.map(({ pattern }) => pattern)).toEqual([FILE]);
});

test("lets agents change what is stated for them and nothing else of the console, and nobody else any of it", async () => {
  cookies = {
    visitor: cookies.visitor,
    owner: await sessionCookie(person.userId),
    agent: (await storedSignIn("agent")).cookie,
    admin: (await storedSignIn("admin")).cookie,
  };
  const wrong: string[] = [];
  for (const route of consoleRoutes.filter(({ module, pattern }) => module.action && !pattern.endsWith("*"))) {
    const path = isPage(route) ? dataOf(addressOf(route)) : addressOf(route);
    const forAgents = AGENT_ROUTES[route.pattern] ?? "reads";
    let isReached = false;
    const stated = typeof forAgents === "string" ? [] : forAgents;
    for (const intent of new Set(["none", ...stated, ...(intents.get(route.pattern) ?? [])])) {
      const isForAgents = forAgents === "changes" || stated.includes(intent);
      const answered: Record<string, string> = {};
      for (const caller of CALLERS) {
        if (caller === "admin" && isReached) continue;
        answered[caller] = outcomeOf(await post(caller, path, isPage(route) ? intent : null));
      }
      const { visitor, owner, agent, admin = "" } = answered;
      const isRefused =
        visitor === "log-in" && owner === "404" && (isForAgents ? isTaken(agent ?? "") : agent === "404");
      if (!isRefused) wrong.push(`${path} answers ${JSON.stringify(answered)} to "${intent}"`);
      isReached ||= isTaken(admin);
    }
    // Otherwise the others may have been refused for another reason than their role.
    if (!isReached) wrong.push(`${path} answers no form of an admin`);
  }
  expect(wrong).toEqual([]);
});

test("shows another customer nothing of a person's rows, whatever address they ask", async () => {
  const stranger = await storedSignIn();
  const { key } = await newKey(stranger.userId, { name: "theirs", scopes: ["read"] });
  const token = await signAccessToken(env.SESSION_SECRET, stranger, Date.now());
  const theirs = personalTexts();
  expect(theirs.length).toBeGreaterThan(50);
  const shown: string[] = [];
  for (const [pattern, paths] of addresses) {
    if (isOfConsole(pattern)) continue;
    const isByProgram = /^\/(auth\/v1|api)\//.test(pattern);
    const bearer = pattern.startsWith("/api/") ? key : token;
    const headers: Record<string, string> = isByProgram
      ? { Authorization: `Bearer ${bearer}` }
      : { Cookie: stranger.cookie };
    for (const path of paths) {
      const response = await SELF.fetch(SITE + inDataOf(pattern, path), { headers, redirect: "manual" });
      const words = await response.text();
      for (const [text, column] of theirs) if (hasPhrase(words, text)) shown.push(`${path} shows ${column}`);
    }
  }
  expect(shown).toEqual([]);
});

/** Returns the texts of the person's own rows, each of which no other row has, with its column. */
function personalTexts(): [text: string, column: string][] {
  const owned = TABLES.filter((name) => columnsOf(name).some(([, column]) => column.name === "user_id"));
  return owned.flatMap((name) =>
    columnsOf(name).flatMap(([, column]): [string, string][] => {
      const value = person.rows.get(name)?.row[column.name];
      const isOwn =
        typeof value === "string" && value.length >= SHORTEST && isDistinctive(column) && !isKey(name, column);
      return isOwn ? [[value, `${getTableName(tableOf(name))}.${column.name}`]] : [];
    }),
  );
}

function isOfConsole(pattern: string): boolean {
  return /^\/admin(\/|$)/.test(pattern);
}

/** Returns whether an action read the form, even if it refused what it says. */
function isTaken(outcome: string): boolean {
  const status = Number(outcome);
  return status !== 404 && status !== 405 && status < 500;
}

type Answer = { status: number; text: string; location: string };

/** Asks a route, and notes what its answer holds of the secrets. */
async function ask(caller: Caller, pattern: string, path: string): Promise<Answer> {
  const response = await SELF.fetch(SITE + path, { headers: headersOf(caller, pattern), redirect: "manual" });
  const text = await response.text();
  // Others have their own rows, or none.
  if (caller === (isOfConsole(pattern) ? "admin" : "owner")) addStatus(pattern, response.status);
  const whole = `${text}\n${[...response.headers].flat().join("\n")}`;
  for (const [secret, column] of secrets)
    if (whole.includes(secret)) leaks.add(`${path} shows the ${caller} ${column}`);
  if (response.status >= 500) failures.add(`${path} answers the ${caller} ${response.status}`);
  return { status: response.status, text, location: response.headers.get("Location") ?? "" };
}

function addStatus(pattern: string, status: number): void {
  statuses.set(pattern, (statuses.get(pattern) ?? new Set()).add(status));
}

function headersOf(caller: Caller, pattern: string): Record<string, string> {
  if (caller === "owner" && pattern.startsWith("/auth/v1/")) return { Authorization: `Bearer ${accessToken}` };
  if (caller === "owner" && pattern.startsWith("/api/")) return { Authorization: `Bearer ${apiKey}` };
  return { Cookie: cookies[caller] };
}

/** Sends the form of a page with that intent alone, or an empty object. */
async function post(caller: Caller, path: string, intent: string | null): Promise<Answer> {
  const body = intent === null ? "{}" : new URLSearchParams({ intent });
  const type: Record<string, string> = intent === null ? { "Content-Type": "application/json" } : {};
  const headers = { ...SAME_SITE, ...type, Cookie: cookies[caller] };
  const response = await SELF.fetch(SITE + path, { method: "POST", body, headers, redirect: "manual" });
  return { status: response.status, text: await response.text(), location: response.headers.get("Location") ?? "" };
}

/** Returns "log-in" for a redirect there, which is a 202 in the data of a page. Else the status. */
function outcomeOf({ status, text, location }: Answer): string {
  const to = status === 202 ? text : status === 302 ? location : "";
  return to.includes("/auth/login?redirectTo=") ? "log-in" : String(status);
}

function equals(found: Record<string, string>, expected: Record<string, string>): boolean {
  return Object.entries(expected).every(([name, value]) => found[name] === value);
}

/** Opens every page without a parameter, and what is linked there: each route, and each parameter of its query, once. */
async function followLinks(caller: "owner" | "admin"): Promise<void> {
  const seen = new Set<string>();
  const isOwn = (pattern: string) => isOfConsole(pattern) === (caller === "admin") && !pattern.endsWith("*");
  const waiting = loaders
    .filter(
      ({ pattern, path }) => path !== undefined && isOwn(pattern) && !/:/.test(pattern) && pattern !== ENDS_THE_SESSION,
    )
    .map(({ pattern }) => pattern);
  for (const pattern of waiting) seen.add(pattern);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const pattern = patternOf(next);
    const { status, text } = await ask(caller, pattern, next);
    if (status < 400) addTo(addresses, pattern, next);
    for (const [, before, after] of text.matchAll(
      /name="intent"[^>]*?value="([\w-]+)"|value="([\w-]+)"[^>]*?name="intent"/g,
    )) {
      addTo(intents, pattern, before ?? after ?? "");
    }
    for (const link of linksIn(text)) {
      const { pathname, search, searchParams } = new URL(link, SITE);
      const linked = patternOf(pathname);
      const news = [linked, ...[...searchParams.keys()].map((name) => `${linked} ${name}`)].filter(
        (key) => !seen.has(key),
      );
      if (!isOwn(linked) || linked === ENDS_THE_SESSION || news.length === 0) continue;
      for (const key of news) seen.add(key);
      waiting.push(pathname + search);
    }
  }
}

/** Finds the routes that no page links to, by trying the ids of all rows. */
async function findUnlinked(): Promise<void> {
  const query = new URLSearchParams({ customer: person.userId, batch: "1", tier: "1" });
  for (const [, name] of exportSource.matchAll(/^ {2}"?([\w-]+)"?: export\w+,$/gm)) {
    addTo(addresses, "/admin/exports/:list", `/admin/exports/${name}?${query}`);
  }
  const ids = new Set<string>();
  for (const name of TABLES) {
    const columns = columnsOf(name).filter(
      ([, column]) => column.primary || /^(session|service|provider)_id$/.test(column.name),
    );
    for (const row of (await allRows(name)).slice(-3))
      for (const [, column] of columns) ids.add(String(row[column.name]));
  }
  for (const { pattern } of loaders.filter(
    ({ pattern }) => pattern.includes(":") && !addresses.has(pattern) && pattern !== FILE,
  )) {
    for (const id of ids) {
      const path = pattern.replaceAll(/:\w+/g, encodeURIComponent(id));
      const { status } = await ask(isOfConsole(pattern) ? "admin" : "owner", pattern, inDataOf(pattern, path));
      if (status < 300 || status === 405) addTo(addresses, pattern, path);
      if (status < 300 || status === 405) break;
    }
  }
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(value));
}

/** Returns the pattern of the route that answers a path. */
function patternOf(path: string): string {
  const [pathname = ""] = path.split("?");
  const matching = loaders
    .filter(
      ({ pattern, path }) =>
        path !== undefined && new RegExp(`^${pattern.replaceAll(/:\w+/g, "[^/]+").replace("*", ".*")}$`).test(pathname),
    )
    .map(({ pattern }) => pattern);
  const weight = (pattern: string) => pattern.split(":").length + (pattern.includes("*") ? 10 : 0);
  return matching.sort((a, b) => weight(a) - weight(b))[0] ?? "/*";
}

function addressOf({ pattern }: BuiltRoute): string {
  const [first] = addresses.get(pattern) ?? [];
  return first ?? pattern.replaceAll(/:\w+/g, "1").replace("*", "nowhere");
}

/** Returns the address of a page's data. The address of any other route stays as it is. */
function inDataOf(pattern: string, path: string): string {
  return allRoutes().some((route) => route.pattern === pattern && isPage(route)) ? dataOf(path) : path;
}

function dataOf(path: string): string {
  const [pathname = "", search] = path.split("?");
  const data = pathname === "/" ? "/_root.data" : `${pathname}.data`;
  return search === undefined ? data : `${data}?${search}`;
}

function withQuery(path: string, parameter: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${parameter}`;
}

/** Undoes what `fillPerson` has ended, since it fills the times of ends too, so that pages show the rows. */
async function revive(): Promise<void> {
  const ends = /^(suspended|revoked|replaced|used|disabled|lifted|finished|closed)_at$/;
  for (const name of TABLES) {
    for (const [, column] of columnsOf(name)) {
      const value = ends.test(column.name) && !column.notNull ? "null" : column.name === "is_test" ? "0" : null;
      if (value === null) continue;
      await databaseOf(name).exec(`update "${getTableName(tableOf(name))}" set "${column.name}" = ${value}`);
    }
  }
  await env.DB.exec("update gmail_sync_status set pending = '[]'");
  const services = {
    change: "On sale",
    field: "enabled",
    count: 1,
    services: { [String(person.rows.get("orders")?.row.service_id)]: [false, true] },
  };
  await env.DB.prepare(
    `insert into audit_log (actor_id, actor_name, action, subject_type, subject_id, detail, created_at)
      values ('staff', 'Grace', 'services.change', 'service', 'several', ?, 1)`,
  )
    .bind(JSON.stringify(services))
    .run();
}

/** Returns the cookie of the session that `fillPerson` stored, to which some of its rows belong. */
async function filledSession(): Promise<string> {
  const id = String(person.rows.get("authSessions")?.row.id);
  return (await webSessionCookie(loadContext(), new Request(SITE), id)).split(";")[0] ?? "";
}

/** Gives a visitor without an account the same mailbox as the person. */
async function copyMailbox(ownerDigest: string): Promise<void> {
  for (const name of TABLES) {
    const columns = columnsOf(name).map(([, column]) => column);
    if (!columns.some((column) => column.name === "owner_digest")) continue;
    const [row] = await allRows(name);
    const own = columns.filter((column) => column.primary && column.dataType !== "number");
    const ids = Object.fromEntries(own.map((column) => [column.name, newValue(column)]));
    const numbered = columns.filter((column) => column.primary && column.dataType === "number").map(({ name }) => name);
    const copy = { ...row, ...ids, user_id: ZERO_USER_ID, owner_digest: ownerDigest };
    await insertInto(name, Object.fromEntries(Object.entries(copy).filter(([column]) => !numbered.includes(column))));
  }
}
