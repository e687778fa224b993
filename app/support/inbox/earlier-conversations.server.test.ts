import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { readAccountAndOrders } from "#app/console/customers/customer-admin.server.ts";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { supportCases, supportSessions } from "#app/db/schema/support-tables.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { fillInbox } from "#tests/workerd/inbox-fill.ts";
import { acceptOrders, placeOrders } from "#tests/workerd/place-orders.ts";
import { readEarlier } from "./earlier-conversations.server.ts";

const supportDb = connectSupport(env.DB_SUPPORT);
const idOf = (n: number) => `anon_${n}_${String(n.toString(16)).padStart(32, "0")}`;
const OWN = idOf(1);

test("lists conversations with the same address, whatever its case, and closed questions of this one", async () => {
  await fillInbox(env.DB_SUPPORT, { conversations: 12, messagesEach: 1, agents: ["agent-1"] });
  const write = (n: number, change: Partial<typeof supportSessions.$inferInsert>) =>
    supportDb
      .update(supportSessions)
      .set(change)
      .where(eq(supportSessions.sessionId, idOf(n)));
  await write(2, { userEmail: "visitor1@test.example", userName: "Ann" });
  await write(3, { userEmail: "Visitor1@TEST.example", userName: "Account", userId: "u3" });
  // The same words, but another address.
  await write(4, { userEmail: "visitor1@test.example.org" });
  await write(5, { userEmail: "visitor1-test@example" });
  await write(6, { userName: "visitor1@test.example", userEmail: null });
  await supportDb.insert(supportCases).values([
    { sessionId: OWN, no: 1, startedAt: 10, closedAt: 20, agentName: "Bo", rating: "good" },
    { sessionId: OWN, no: 2, startedAt: 30, closedAt: 40 },
    { sessionId: OWN, no: 3, startedAt: 50 },
    { sessionId: idOf(7), no: 1, startedAt: 60, closedAt: 70 },
  ]);
  const { questions, others } = await readEarlier(supportDb, OWN, "visitor1@test.example");
  expect(questions.map(({ no, agentName, rating }) => [no, agentName, rating])).toEqual([
    [2, null, null],
    [1, "Bo", "good"],
  ]);
  expect(others.map(({ userName, isAccount }) => [userName, isAccount])).toEqual([
    ["Account", true],
    ["Ann", false],
  ]);
  for (const email of [null, "", '"', "* OR visitor1", "@"]) {
    expect((await readEarlier(supportDb, OWN, email)).others, String(email)).toEqual([]);
  }
});

test("reads the account, its orders and earlier conversations in one batch each, and no more rows from a longer history", async () => {
  const main = countedDatabase(env.DB);
  const support = countedDatabase(env.DB_SUPPORT);
  const counts: number[][] = [];
  let filled = 20_000;
  const { userId, orderIds } = await placeOrders(Array.from({ length: 7 }, (_, at) => `https://instagram.com/${at}`));
  await acceptOrders(orderIds);
  for (const conversations of [400, 3600]) {
    await fillInbox(env.DB_SUPPORT, { from: filled, conversations, messagesEach: 1, agents: ["a"] });
    const cases = Array.from({ length: conversations / 40 }, (_, at) => ({
      sessionId: idOf(20_000),
      no: filled + at,
      startedAt: at,
      closedAt: at,
    }));
    for (let at = 0; at < cases.length; at += 20) await supportDb.insert(supportCases).values(cases.slice(at, at + 20));
    filled += conversations;
    main.counts.rowsRead = 0;
    support.counts.rowsRead = 0;
    main.counts.queries = 0;
    support.counts.queries = 0;
    const [customer, earlier] = await Promise.all([
      readAccountAndOrders(connect(main.database), userId, 5),
      readEarlier(connectSupport(support.database), idOf(20_000), "visitor20001@test.example"),
    ]);
    expect(customer?.orders).toHaveLength(5);
    expect(earlier.questions).toHaveLength(5);
    expect(earlier.others).toHaveLength(1);
    counts.push([main.counts.rowsRead, support.counts.rowsRead]);
    // Two statements in each database's one batch.
    expect([main.counts.queries, support.counts.queries]).toEqual([2, 2]);
  }
  expect(counts[1]).toEqual(counts[0]);
  // Of the support database: five questions with their index, and one conversation.
  expect(counts[0]?.[1]).toBeLessThanOrEqual(20);
});
