import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { loader, type PaletteFound } from "#app/routes/admin/support/palette-search.ts";
import { search } from "#app/support/inbox/message-search.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { fillInbox } from "#tests/workerd/inbox-fill.ts";
import { acceptOrders, placeOrders } from "#tests/workerd/place-orders.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, ORIGIN, roomOf } from "#tests/workerd/support-visitor.ts";
import { loadContext } from "#tests/workerd/test-context.ts";

type Staff = { cookie: string };

async function find(text: string, { cookie }: Staff, context = loadContext()): Promise<PaletteFound> {
  const request = new Request(`${ORIGIN}/admin/find?${new URLSearchParams({ q: text })}`, {
    headers: { Cookie: cookie },
  });
  const response = await loader({ request, context, params: {} });
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  return (await response.json()) as PaletteFound;
}

test("finds conversations and orders for all staff, and customers only for admins", async () => {
  await fillInbox(env.DB_SUPPORT, { conversations: 12, messagesEach: 1, agents: ["agent-1"] });
  const customer = await signedIn("customer", "Quincy Quill");
  const { orderIds } = await placeOrders(["https://instagram.com/growline"]);
  await acceptOrders(orderIds);
  const agent = await signedIn("agent", "Bo");
  const admin = await signedIn("admin", "Ada");
  for (const staff of [agent, admin]) {
    expect((await find("visitor11@test", staff)).conversations).toMatchObject([{ userName: "Visitor 11" }]);
    // An address may begin with the digits of an order.
    expect(await find(String(orderIds[0]), staff)).toMatchObject({ orders: [{ id: orderIds[0] }] });
    expect(await find(`there-${orderIds[0]}`, staff)).toMatchObject({ customers: [], orders: [{ id: orderIds[0] }] });
    expect(await find("nobody has this name", staff)).toEqual({ conversations: [], customers: [], orders: [] });
    expect(await find(" ", staff)).toEqual({ conversations: [], customers: [], orders: [] });
  }
  for (const text of ["quincy q", customer.email.slice(0, -3)]) {
    expect((await find(text, admin)).customers, text).toMatchObject([{ userId: customer.userId }]);
    expect((await find(text, agent)).customers, text).toEqual([]);
  }
});

test("finds a visitor by an address as its owner writes it, and as it is stored", async () => {
  const { sessionId } = await newVisitor("Jo", "jo@münchen.example");
  const staff = await signedIn("agent", "Bo");
  await runDurableObjectAlarm(roomOf(sessionId));
  for (const typed of ["jo@münchen.example", "Jo@MÜNCHEN.example ", "jo@xn--mnchen-3ya.example", "jo@xn--mn"]) {
    expect((await find(typed, staff)).conversations, typed).toMatchObject([{ sessionId }]);
    const { people } = await search(connectSupport(env.DB_SUPPORT), typed, null, 10);
    expect(people, typed).toMatchObject([{ sessionId, userEmail: "jo@xn--mnchen-3ya.example" }]);
  }
});

test("hides the search from customers and visitors", async () => {
  const customer = await signedIn("customer", "Cy");
  await expect(find("a", customer)).rejects.toMatchObject({ status: 404 });
  await expect(find("a", { cookie: "" })).rejects.toMatchObject({ status: 302 });
});

test("reads as many rows of 4,000 people and conversations as of 400", async () => {
  const admin = await signedIn("admin", "Ada");
  const main = countedDatabase(env.DB);
  const support = countedDatabase(env.DB_SUPPORT);
  const context = loadContext({ db: connect(main.database), supportDb: connectSupport(support.database) });
  const readings: Record<string, number[]>[] = [];
  let filled = 0;
  for (const upTo of [400, 4000]) {
    await fillInbox(env.DB_SUPPORT, {
      from: 10_000 + filled,
      conversations: upTo - filled,
      messagesEach: 1,
      agents: ["a"],
    });
    await fillPeople(filled, upTo);
    filled = upTo;
    const read: Record<string, number[]> = {};
    for (const text of ["v", "visitor", "pat", "pat 3", "pat@", "p", "7", "there-7"]) {
      main.counts.rowsRead = 0;
      support.counts.rowsRead = 0;
      const found = await find(text, admin, context);
      read[text] = [main.counts.rowsRead, support.counts.rowsRead];
      for (const results of Object.values(found)) expect(results.length, text).toBeLessThanOrEqual(5);
    }
    readings.push(read);
  }
  const [small, large] = readings;
  expect(large).toEqual(small);
  for (const [text, rows] of Object.entries(large ?? {})) expect(Math.max(...rows), text).toBeLessThanOrEqual(40);
});

/** Creates customers named Pat, numbered from `from` to `to`. */
async function fillPeople(from: number, to: number): Promise<void> {
  const numbers = "with recursive n(i) as (select cast(?1 as integer) union all select i + 1 from n where i < ?2 - 1)";
  await env.DB.batch([
    env.DB.prepare(
      `${numbers} insert into users (id, email, created_at) select 'pat-' || i, 'pat@' || i || '.example', 1 from n`,
    ).bind(from, to),
    env.DB.prepare(
      `${numbers} insert into profiles (user_id, email, full_name) select 'pat-' || i, 'pat@' || i || '.example', 'Pat ' || i from n`,
    ).bind(from, to),
  ]);
}
