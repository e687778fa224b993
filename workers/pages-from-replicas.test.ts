import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { endSession } from "#app/accounts/session/auth-sessions.server.ts";
import { connect } from "#app/db/db.server.ts";
import { Bookmark, toPrimary, toReplicas } from "#app/db/read-replicas.server.ts";
import { orders, users } from "#app/db/schema.server.ts";
import { keepBookmark } from "#app/http/bookmark-cookie.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { sessionCookie, signedIn } from "#tests/workerd/signed-in-account.ts";
import { openPage } from "../tests/open-page.ts";
import { siteCookie } from "../tests/response-cookies.ts";

const BOOKMARK = siteCookie("growline_bookmark");
/** Bookmark of a database that doesn't exist. */
const FOREIGN = "ffffffff-ffffffff-ffffffff-ffffffffffffffffffffffffffffffff";

/** Bookmark or constraint that each session was opened with. */
type Opened = string[];

/**
 * A database with a replica that stands still: it answers each statement as it first did. Sessions at a bookmark get to the
 * real database, as D1 lets them wait for what they have seen.
 */
function databaseWithOldReplica(refused = ""): { database: D1Database; opened: Opened } {
  const opened: Opened = [];
  const first = new Map<string, Promise<unknown>>();
  const kept = <T>(text: string, read: () => Promise<T>) => {
    if (!first.has(text)) first.set(text, read());
    return first.get(text) as Promise<T>;
  };
  const texts = new WeakMap<object, string>();
  const still = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
    texts.set(statement, text);
    return new Proxy(statement, {
      get: (target, name) =>
        name === "bind"
          ? (...values: unknown[]) => still(target.bind(...values), text)
          : ["all", "raw"].includes(String(name))
            ? () => kept(text, () => (Reflect.get(target, name) as () => Promise<unknown>).call(target))
            : Reflect.get(target, name),
    });
  };
  const database = {
    withSession(from: string) {
      opened.push(from);
      if (refused !== "" && from === refused) throw new Error("no such bookmark");
      const session = env.DB.withSession(from);
      if (from !== "first-unconstrained") return session;
      return {
        prepare: (text: string) => still(session.prepare(text), text),
        batch: (statements: D1PreparedStatement[]) =>
          kept(`batch of ${statements.length}`, () => session.batch(statements)),
        getBookmark: () => session.getBookmark(),
      };
    },
  } as unknown as D1Database;
  return { database, opened };
}

test("advances the bookmark with writes, and not with reads", async () => {
  const { userId } = await signedIn();
  const bookmark = new Bookmark();
  const primary = connect(toPrimary(env.DB, bookmark));
  await primary.select().from(users).limit(1);
  await primary.batch([primary.select().from(users).limit(1)]);
  expect(bookmark.hasMoved).toBe(false);
  await primary.update(users).set({ createdAt: 2 }).where(eq(users.id, userId));
  const first = bookmark.latest ?? "";
  await primary.update(users).set({ createdAt: 3 }).where(eq(users.id, userId)).returning();
  const second = bookmark.latest ?? "";
  await primary.batch([primary.update(users).set({ createdAt: 4 }).where(eq(users.id, userId))]);
  expect([first, second, bookmark.latest ?? ""]).toEqual([first, second, bookmark.latest].sort());
  expect(new Set([first, second, bookmark.latest]).size).toBe(3);
  bookmark.advance(first);
  expect(bookmark.latest).not.toBe(first);
});

test("refuses a write through the connection for reads", async () => {
  const replica = connect(toReplicas(env.DB, new Bookmark()));
  await expect(replica.delete(users).where(eq(users.id, "nobody"))).rejects.toThrow();
  await expect(replica.batch([replica.delete(users).where(eq(users.id, "nobody"))])).rejects.toThrow(
    "a write through the connection for reads",
  );
});

test("shows a page to a session that an old replica doesn't know yet, and the session's own writes", async () => {
  const { database } = databaseWithOldReplica();
  const { cookie, userId } = await signedIn();
  await credit(db, userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
  const before = await open("/dashboard/orders", cookie, database);
  expect(before.text).toContain("No orders yet");

  const form = new URLSearchParams({
    intent: "order",
    service: String(await service()),
    link: "https://instagram.com/p/seen-at-once",
    quantity: "1000",
    shownPrice: "900000 per 1000",
    idempotencyKey: crypto.randomUUID(),
  });
  const placed = await open("/dashboard.data?index", cookie, database, form);
  expect(await db.$count(orders, eq(orders.userId, userId))).toBe(1);
  expect((await open("/dashboard/orders", cookie, database)).text).toContain("No orders yet");
  const after = await open("/dashboard/orders", `${cookie}; ${placed.bookmark}`, database);
  expect(after.text).toContain("seen-at-once");
});

test("shows an order that was placed over the API, which an old replica doesn't know yet", async () => {
  const { database } = databaseWithOldReplica();
  const { orderIds, userId } = await placeOrders(["https://instagram.com/p/by-key"]);
  const cookie = await sessionCookie(userId);
  expect((await open("/dashboard/orders/999999", cookie, database)).status).toBe(404);
  expect((await open(`/dashboard/orders/${orderIds[0]}`, cookie, database)).text).toContain("by-key");
});

test("refuses a session that ended elsewhere, however old the bookmark", async () => {
  const { database } = databaseWithOldReplica();
  const { cookie, userId, sessionId } = await signedIn();
  const session = env.DB.withSession("first-primary");
  await session.prepare("select 1").run();
  const old = session.getBookmark() ?? "";
  for (const cookies of [cookie, `${cookie}; ${await bookmarkCookie(old)}`]) {
    expect((await open("/dashboard/orders", cookies, database)).status).toBe(200);
  }
  await endSession(db, userId, sessionId);
  for (const cookies of [cookie, `${cookie}; ${await bookmarkCookie(old)}`]) {
    for (const path of ["/dashboard", "/dashboard/orders", "/dashboard/orders.data", "/dashboard/orders/live?ids=1"]) {
      const { status, text } = await open(path, cookies, database);
      expect([202, 302], path).toContain(status);
      if (status === 202) expect(text, path).toContain("/auth/login");
    }
  }
});

test("keeps the bookmark of a write in a cookie that no script and no other site can use", async () => {
  const { cookie } = await signedIn();
  const form = new URLSearchParams({ intent: "name", fullName: "Grace Changed" });
  const changed = await open("/dashboard/account", cookie, env.DB, form);
  const [set = "", ...others] = changed.headers.getSetCookie().filter((header) => header.startsWith(BOOKMARK));
  expect(others).toEqual([]);
  expect(set).toMatch(/^__Host-growline_bookmark=[^;]{60,200}; Max-Age=3600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  for (const path of ["/dashboard", "/", "/services", "/dashboard/orders/live?ids=1"]) {
    const read = await open(path, `${cookie}; ${changed.bookmark}`);
    expect(read.headers.getSetCookie(), path).toEqual([]);
  }
});

test("sets no cookie for an API client", async () => {
  const { apiKey: key } = await customerWith(10 * MICRO);
  const body = new URLSearchParams({ key, action: "add", service: String(await service()) });
  body.set("link", "https://instagram.com/p/by-key");
  body.set("quantity", "1000");
  const placed = await open("/api/v2", "", env.DB, body);
  expect(placed.text).toMatch(/"order":\d+/);
  expect(placed.headers.getSetCookie()).toEqual([]);
});

test("opens pages at the bookmark that it gave, and at no other", async () => {
  const { cookie } = await signedIn();
  const forged = [
    `${BOOKMARK}=${FOREIGN}`,
    `${BOOKMARK}=${btoa(JSON.stringify(FOREIGN))}.c2lnbmVk`,
    `${BOOKMARK}=first-primary`,
    `${BOOKMARK}=%00%0d%0aX: y`,
    `${BOOKMARK}=${"x".repeat(3000)}`,
    `${BOOKMARK}=`,
    await bookmarkCookie("first-primary"),
    await bookmarkCookie(`${FOREIGN}\r\nX: y`),
  ];
  for (const cookies of forged) {
    const { database, opened } = databaseWithOldReplica();
    expect((await open("/dashboard", `${cookie}; ${cookies}`, database)).status, cookies).toBe(200);
    expect(new Set(opened), cookies).toEqual(new Set(["first-primary", "first-unconstrained"]));
  }
  const { database, opened } = databaseWithOldReplica();
  expect((await open("/dashboard", `${cookie}; ${await bookmarkCookie(FOREIGN)}`, database)).status).toBe(200);
  expect(new Set(opened)).toEqual(new Set(["first-primary", FOREIGN]));
});

test("asks the primary where D1 refuses the bookmark, and then keeps the primary's", async () => {
  const { database, opened } = databaseWithOldReplica(FOREIGN);
  const { cookie } = await signedIn();
  const shown = await open("/dashboard", `${cookie}; ${await bookmarkCookie(FOREIGN)}`, database);
  expect(shown.status).toBe(200);
  expect(opened).toContain(FOREIGN);
  expect(shown.bookmark).toMatch(/^__Host-growline_bookmark=./);
  opened.length = 0;
  expect((await open("/dashboard", `${cookie}; ${shown.bookmark}`, database)).status).toBe(200);
  expect(opened).not.toContain(FOREIGN);
});

async function bookmarkCookie(bookmark: string): Promise<string> {
  const [pair = ""] = (await keepBookmark(new Request(SITE), env.SESSION_SECRET, bookmark)).split(";");
  return pair;
}

async function open(path: string, cookie: string, database = env.DB, body?: URLSearchParams) {
  const opened = await openPage(path, { cookie, database, body });
  const set = opened.headers.getSetCookie().find((header) => header.startsWith(BOOKMARK)) ?? "";
  return { ...opened, bookmark: set.split(";")[0] ?? "" };
}
