import { createExecutionContext, runDurableObjectAlarm, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq, getTableName } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { beforeAll, expect, inject, test } from "vitest";
import { webSessionCookie } from "#app/accounts/session/viewer.server.ts";
import { signAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import { seal } from "#app/crypto/seal.server.ts";
import { orders, webhookEndpoints } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { codeDigest } from "#app/orders/top-up/redeem-code.server.ts";
import { secretContext } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { startUpload } from "#app/uploads/multipart-upload.server.ts";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import { faultyDatabase } from "#tests/simulation/product/faulty-database.ts";
import { routesWithAction, SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { db, newKey, service } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import {
  databaseOf,
  fillPerson,
  type Person,
  type Row,
  roomRows,
  TABLES,
  type TableName,
  tableOf,
} from "#tests/workerd/personal-rows.ts";
import { startSession, storedSignIn } from "#tests/workerd/signed-in-account.ts";
import { withoutDispatchers } from "#tests/workerd/sleeping-dispatchers.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import worker from "#workers/app.ts";
import {
  CUSTOMER_WRITES,
  type CustomerWrite,
  type Prepared,
  type PreparedRow,
  TRIED_ELSEWHERE,
} from "./customer-writes.ts";

/**
 * Sends each write of a customer's route three times: as another customer who names the ids, and as the owner whose session
 * ends after the request was let in, which may change nothing; then as the owner, which must change something. Otherwise the
 * first two would prove nothing.
 */

type Caller = { cookie: string; token: string; apiKey: string; sessionId: string };
type Snapshot = Record<string, unknown>;

/** Tables in which even a refused request leaves a row: the owner's activity, and the session's last use. */
const NOTES: TableName[] = ["securityEvents", "authSessions"];

/** The column that names the owner of a row. */
const OWNER = "user_id";

/** Bindings without the dispatchers, so that nothing leaves the machine. */
const BINDINGS = { ...withoutDispatcher(withoutDispatchers), STRIPE_API_URL: inject("stripe").url };

let victim: Person;
let victimKey: string;
let stranger: Caller;
const preparedRows = new Map<PreparedRow, string>();

beforeAll(async () => {
  victim = await fillPerson();
  const { userId } = victim;
  // Gives each request something to change.
  const statements = [
    "update users set suspended_at = null where id = ?1",
    // Without sockets that are due: any request closes those.
    "update auth_sessions set revoked_at = null, sockets_due_at = null where user_id = ?1",
    "update api_keys set revoked_at = null, replaced_at = null, expires_at = null where user_id = ?1",
    "update webhook_endpoints set wants_orders = 1, wants_catalog = 1 where user_id = ?1",
    "update wallets set balance = 1000000000, owed = 0, tier_id = null where user_id = ?1",
    "update orders set is_test = 0 where user_id = ?1",
    "update gmail_sync_status set pending = '[]' where user_id = ?1",
  ];
  await env.DB.batch(statements.map((statement) => env.DB.prepare(statement).bind(userId)));
  await sealWebhookSecret();
  const terms = { rate: 900_000, min: 10, max: 100_000 };
  const serviceId = await service({ ...terms, cancel: true, refill: true });
  for (const name of ["canceled", "canceledByKey", "refilled"] as const)
    preparedRows.set(name, String(await placed(serviceId)));
  await db
    .update(orders)
    .set({ status: "Completed" })
    .where(eq(orders.id, Number(prepared("refilled"))));
  const started = await startUpload(db, env.UPLOADS, userId, { name: "theirs.csv", size: 10, fingerprint: "theirs" });
  if (started.ok) preparedRows.set("unfinished", started.upload.id);
  const room = roomOf(victim);
  await room.sendMessage(
    { side: "user", author: userSessionId(userId), name: "Ada" },
    { clientId: "2", body: "Again" },
  );
  await room.setStatus("closed");
  victimKey = (await newKey(userId, { name: "mine", scopes: ["read", "order"] })).key;
  await env.DB.prepare(
    "insert into redeem_batches (name, amount, count, max_uses, created_at) values ('', 5, 1, 9, 1)",
  ).run();
  await env.DB.prepare(
    "insert into redeem_codes (batch_id, digest, ending, uses_left) select max(id), ?, '', 9 from redeem_batches",
  )
    .bind(codeDigest("GIFT-CODE"))
    .run();
  const other = await storedSignIn();
  const { key } = await newKey(other.userId, { name: "theirs", scopes: ["read", "order"] });
  await env.DB.prepare("update wallets set balance = 1000000000 where user_id = ?").bind(other.userId).run();
  stranger = { ...other, token: await tokenOf(other), apiKey: key };
});

test("tries every route of customers that changes something", () => {
  const routes = routesWithAction();
  const customers = [...routes.pages, ...routes.resources].filter((path) => !path.startsWith("/admin"));
  const tried = [...CUSTOMER_WRITES.map(({ route }) => route), ...Object.keys(TRIED_ELSEWHERE)];
  expect(customers.filter((path) => !tried.includes(path))).toEqual([]);
  expect(tried.filter((path) => !customers.includes(path.split(" ")[0] ?? ""))).toEqual([]);
});

for (const write of CUSTOMER_WRITES) {
  test(`changes only what is the caller's own, in an open session: ${nameOf(write)}`, async () => {
    let before = await snapshot();
    const response = await send(write, stranger);
    // Otherwise it may have been refused, or done, for another reason than whose row it is.
    if (namesRow(write)) expect(response.status).toBe(write.refused ?? 404);
    else expect(response.status).toBeLessThan(500);
    expect(await snapshot(), "by another customer").toEqual(before);
    if (write.survives === undefined) {
      await sendInEndingSession(write, await signInVictim());
      const after = await snapshot();
      expect(without(NOTES, after), "after the session").toEqual(without(NOTES, before));
      before = after;
    }
    const owner = await signInVictim();
    const { status } = await send(write, owner);
    const after = without(["securityEvents"], await snapshot(owner));
    // Shows that what was refused before is what this route does.
    expect([status, after], "by the owner").not.toEqual([status, without(["securityEvents"], before)]);
  });
}

test("takes a sign-in for no change, since some of the above are of what was before one", async () => {
  const before = await snapshot();
  expect(await snapshot(await signInVictim())).toEqual(before);
});

/** Gives the victim's webhook endpoint a secret that can be read, so that something can be posted to it. */
async function sealWebhookSecret(): Promise<void> {
  const id = theirs("webhookEndpoints");
  const secret = await seal(env.ENCRYPTION_KEYS, secretContext(id), `whsec_${btoa("of the victim")}`);
  await db.update(webhookEndpoints).set({ secret }).where(eq(webhookEndpoints.id, id));
}

/** Sends the request, whose session ends as soon as it was let in. */
async function sendInEndingSession(write: CustomerWrite, owner: Caller): Promise<void> {
  let hasEnded = false;
  const end = async () => {
    hasEnded = true;
    await env.DB.prepare("update auth_sessions set revoked_at = 1 where id = ?").bind(owner.sessionId).run();
  };
  const isDoor = ([text = ""]: string[]) => !hasEnded && /^select .*"auth_sessions"/s.test(text);
  const faults = { refuse: 0, lose: 0, slowMs: 0, stall: { point: "answers" as const, until: end, holds: isDoor } };
  const database = faultyDatabase(env.DB, { faults, random: seededRandom(1), costs: new Map() });
  await send(write, owner, { ...BINDINGS, DB: database });
  expect(hasEnded).toBe(true);
}

function nameOf({ method = "POST", route, intent = "" }: CustomerWrite): string {
  return `${method} ${route} ${intent}`.trim();
}

/** Returns whether the request names a row of the victim. Services are everybody's. */
function namesRow({ params, form, json }: CustomerWrite): boolean {
  let hasNamed = false;
  const name = (table: TableName, column = "id") => {
    hasNamed ||= column !== "service_id";
    return theirs(table, column);
  };
  const namePrepared: Prepared = (row) => {
    hasNamed = true;
    return prepared(row);
  };
  for (const part of [params, form, json]) part?.(name, namePrepared);
  return hasNamed;
}

/** Sends the request with the victim's ids. */
async function send(write: CustomerWrite, caller: Caller, bindings: Env = BINDINGS): Promise<Response> {
  const { route, method = "POST", intent, params, query = "", form, json, byKey } = write;
  const path = Object.entries(params?.(theirs, prepared) ?? {}).reduce(
    (filled, [name, value]) => filled.replace(`:${name}`, encodeURIComponent(value)),
    route,
  );
  const fields = new URLSearchParams({ ...(intent !== undefined && { intent }), ...form?.(theirs, prepared) });
  const headers = byKey
    ? { Authorization: `Bearer ${caller.apiKey}` }
    : { ...SAME_SITE, Cookie: caller.cookie, Authorization: `Bearer ${caller.token}` };
  const request = new Request(SITE + path + query, {
    method,
    headers: { ...headers, ...(json && { "Content-Type": "application/json" }) },
    body: json ? JSON.stringify(json(theirs, prepared)) : fields,
    redirect: "manual",
  });
  const running = createExecutionContext();
  const response = await worker.fetch(request as Parameters<typeof worker.fetch>[0], bindings, running);
  await response.text();
  await waitOnExecutionContext(running);
  return response;
}

/** Returns a value of the victim's row. */
function theirs(table: TableName, column = "id"): string {
  return String(victim.rows.get(table)?.row[column]);
}

function prepared(name: PreparedRow): string {
  return preparedRows.get(name) ?? "";
}

async function placed(serviceId: number): Promise<number> {
  const fields = { link: "https://instagram.com/p/1", quantity: "100" };
  const result = await placeOrder(db, victim.userId, { serviceId, fields, idempotencyKey: null, source: "web" });
  if (!result.ok) throw new Error(JSON.stringify(result.fault));
  return result.order.id;
}

async function signInVictim(): Promise<Caller> {
  const request = new Request(SITE);
  // A second factor was used, because the account has one.
  const start = { userId: victim.userId, request, secondFactorAt: Date.now() };
  const sessionId = await startSession(db, start);
  const [cookie = ""] = (await webSessionCookie(loadContext(), request, sessionId)).split(";");
  const token = await tokenOf({ userId: victim.userId, sessionId, email: victim.email });
  return { cookie, token, apiKey: victimKey, sessionId };
}

function tokenOf(owner: { userId: string; sessionId: string; email: string }): Promise<string> {
  return signAccessToken(env.SESSION_SECRET, owner, Date.now());
}

/**
 * Reads the victim's rows, the rows that refer to one of them, the filler's rows that name nobody, the room and the files.
 * Leaves out the session of `acting`.
 */
async function snapshot(acting?: Caller): Promise<Snapshot> {
  // The room copies its rows to the database first.
  await runDurableObjectAlarm(roomOf(victim));
  const rows: Snapshot = {};
  for (const database of [env.DB, env.DB_SUPPORT]) {
    const tables = TABLES.filter((name) => databaseOf(name) === database);
    // In one trip instead of one for each table: each write reads them four times.
    const found = await database.batch<Row>(tables.map(selectRows));
    for (const [at, name] of tables.entries()) {
      const isLeftIn = ({ id }: Row) => name !== "authSessions" || id !== acting?.sessionId;
      rows[name] = found[at]?.results.filter(isLeftIn).map(({ last_used_at: _, ...row }) => row);
    }
  }
  const { objects } = await env.UPLOADS.list({ prefix: `${victim.userId}/` });
  return {
    ...rows,
    room: await roomRows(victim),
    files: objects.map(({ key, etag }) => [key, etag]),
  };
}

function without(tables: TableName[], of: Snapshot): Snapshot {
  return Object.fromEntries(Object.entries(of).filter(([name]) => !tables.some((table) => table === name)));
}

function selectRows(name: TableName): D1PreparedStatement {
  const filled = victim.rows.get(name);
  // A rowid may be given again once its row is gone, so it only stands for a row that doesn't name the victim.
  const own = filled?.row.user_id === victim.userId ? [OWNER, victim.userId] : ["rowid", filled?.rowid ?? 0];
  const references = referencesToOwned(name);
  const conditions = [`${own[0]} = ?`, ...references];
  return databaseOf(name)
    .prepare(`select * from "${getTableName(tableOf(name))}" where ${conditions.join(" or ")} order by rowid`)
    .bind(own[1], ...references.map(() => victim.userId));
}

/** Returns conditions, each with the victim's id as its parameter, that match rows which refer to a row of the victim. */
function referencesToOwned(name: TableName): string[] {
  return getTableConfig(tableOf(name)).foreignKeys.flatMap((key) => {
    const { columns, foreignTable, foreignColumns } = key.reference();
    if (!getTableConfig(foreignTable).columns.some((column) => column.name === OWNER)) return [];
    const owned = `select "${foreignColumns[0]?.name}" from "${getTableName(foreignTable)}" where ${OWNER} = ?`;
    return [`"${columns[0]?.name}" in (${owned})`];
  });
}

function roomOf({ userId }: Person) {
  return env.SUPPORT_ROOM.getByName(userSessionId(userId));
}
