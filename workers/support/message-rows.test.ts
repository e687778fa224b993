import { evictDurableObject, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectSupport } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import type { History } from "#app/support/protocol/frames.ts";
import { OPENING_MESSAGES } from "#app/support/protocol/history-query.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, ORIGIN, openConnection, roomOf, until, type Visitor } from "#tests/workerd/support-visitor.ts";
import type { SupportRoom } from "./support-room.ts";

/** The session, its case, triage, notes and the like, when a conversation is opened. */
const OTHER_ROWS = 20;
/** The conversation with its index by assignee, the message with its index by number, and its entry in the search index. */
const MAX_D1_ROWS = 5;
/** The count of unread conversations changes at the first message that the team has not read. */
const ROWS_OF_FIRST_UNREAD = 1;
/** The message with its index by client id; when it is copied to D1, the session and the check for an away message. */
const MAX_ROOM_ROWS = 4;
/** The agent's reply before them is pushed to the visitor, if the messages take as long as a push waits. */
const ROWS_OF_PUSH = 1;
const MESSAGES = 10;

test("writes at most 5 rows to D1 for a message, and a few in its room", async () => {
  const { sessionId, cookie } = await newVisitor();
  const { cookie: agentCookie } = await signedIn("agent", "Bo");
  const visitor = await openConnection(sessionId, cookie);
  const agent = await openConnection(sessionId, agentCookie);
  // The first messages open the case and assign the conversation.
  visitor.sendMessage("first", "Where is my order?");
  await agent.next("message");
  agent.sendMessage("first", "Let me look");
  await visitor.next("message");
  await storedUpTo(3);
  const room = new Map<string, number>();
  const main = countedDatabase(env.DB);
  const support = countedDatabase(env.DB_SUPPORT);
  await runInDurableObject(roomOf(sessionId), (instance: SupportRoom, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    vi.spyOn(sql, "exec").mockImplementation((query, ...values) => {
      const cursor = exec(query, ...values);
      room.set(query, (room.get(query) ?? 0) + cursor.rowsWritten);
      return cursor;
    });
    const bindings = (instance as unknown as { env: Env }).env;
    const { DB, DB_SUPPORT } = bindings;
    Object.assign(bindings, { DB: main.database, DB_SUPPORT: support.database });
    onTestFinished(() => void Object.assign(bindings, { DB, DB_SUPPORT }));
  });
  for (let n = 0; n < MESSAGES; n++) {
    visitor.sendMessage(`m${n}`, "Is it there yet?");
    await visitor.next("ack");
    // Copies each message by itself, which costs most: messages within two seconds share the conversation's rows.
    await runInDurableObject(roomOf(sessionId), (instance: SupportRoom) => instance.alarm());
  }
  const inD1 = [...main.byStatement, ...support.byStatement].map(([query, rows]) => [query, rows.rowsWritten] as const);
  console.log(`rows written per message\nin D1:\n${listed(inD1)}\nin the room:\n${listed([...room])}`);
  expect(sum(inD1), listed(inD1)).toBeLessThanOrEqual(MESSAGES * MAX_D1_ROWS + ROWS_OF_FIRST_UNREAD);
  expect(sum([...room]), listed([...room])).toBeLessThanOrEqual(MESSAGES * MAX_ROOM_ROWS + ROWS_OF_PUSH);

  async function storedUpTo(seq: number): Promise<void> {
    await runDurableObjectAlarm(roomOf(sessionId));
    await until(async () => {
      const [row] = await connectSupport(env.DB_SUPPORT)
        .select()
        .from(supportSessions)
        .where(eq(supportSessions.sessionId, sessionId));
      return row !== undefined && row.lastSeq >= seq;
    });
  }
});

test("reads no more rows to open a conversation of 10,000 messages than one of 200, nor for a page before them", async () => {
  const { cookie: agentCookie } = await signedIn("agent", "Bo");
  const [short, long] = await Promise.all([filled(200), filled(10_000)]);
  const rows = await Promise.all([short, long].map((one) => rowsReadToOpen(one, agentCookie)));
  expect(rows[1]).toEqual(rows[0]);
  expect(rows[0]?.opened).toBeGreaterThanOrEqual(OPENING_MESSAGES);
  // Each message and its file, if it has one.
  expect(rows[0]?.opened).toBeLessThanOrEqual(2 * OPENING_MESSAGES + OTHER_ROWS);
  expect(rows[0]?.paged).toBeLessThanOrEqual(2 * OPENING_MESSAGES + OTHER_ROWS);
  expect(rows[0]?.page).toBeLessThanOrEqual(OTHER_ROWS);
});

/** Starts a conversation and fills its room up to so many messages. */
async function filled(messages: number): Promise<Visitor & { messages: number }> {
  const visitor = await newVisitor();
  await runInDurableObject(roomOf(visitor.sessionId), (_, { storage: { sql } }) => {
    sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
       INSERT INTO messages SELECT i, 'user', 'c' || i, 'user', 'Ada', 'message ' || i, i FROM n`,
      messages,
    );
    // The outbox would copy them to D1 meanwhile.
    sql.exec("UPDATE session SET stored_seq = ?1, stored_version = version", messages);
    sql.exec("UPDATE away_check SET seq = ?1", messages);
  });
  // The room has the number of its last message in memory.
  await evictDurableObject(roomOf(visitor.sessionId));
  return { ...visitor, messages };
}

async function rowsReadToOpen({ sessionId, cookie, messages }: Visitor & { messages: number }, agentCookie: string) {
  let read = 0;
  await runInDurableObject(roomOf(sessionId), async (_, { storage }) => {
    // On a busy machine, the alarm that the opening sets would read rows of its own while the page is read.
    vi.spyOn(storage, "setAlarm").mockResolvedValue();
    await storage.deleteAlarm();
    const { sql } = storage;
    const exec = sql.exec.bind(sql);
    vi.spyOn(sql, "exec").mockImplementation((query, ...values) => {
      const cursor = exec(query, ...values);
      const toArray = cursor.toArray.bind(cursor);
      vi.spyOn(cursor, "toArray").mockImplementation(() => {
        const rows = toArray();
        read += cursor.rowsRead;
        return rows;
      });
      return cursor;
    });
  });
  const opened = await openConnection(sessionId, agentCookie, 0, `&last=${OPENING_MESSAGES}`);
  const ready = await opened.next("ready");
  expect(ready.messages.map(({ seq }) => seq)).toEqual(range(messages - OPENING_MESSAGES + 1, messages));
  expect(ready.lastSeq).toBe(messages);
  const atOpening = read;
  read = 0;
  const first = ready.messages[0]?.seq ?? 0;
  const pageOf = (who: string) =>
    SELF.fetch(`${ORIGIN}/support/sessions/${sessionId}/messages?before=${first}&last=${OPENING_MESSAGES}`, {
      headers: { Cookie: who },
    });
  const paged = await (await pageOf(cookie)).json<History>();
  expect(paged.messages.map(({ seq }) => seq)).toEqual(range(first - OPENING_MESSAGES, first - 1));
  const stranger = await newVisitor("Eve");
  expect((await pageOf(stranger.cookie)).status).toBe(404);
  const [pageRows] = [read];
  read = 0;
  await SELF.fetch(`${ORIGIN}/admin/support/${sessionId}`, { headers: { Cookie: agentCookie } });
  return { opened: atOpening, paged: pageRows, page: read };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

type Written = readonly (readonly [query: string, rowsWritten: number])[];

function sum(statements: Written): number {
  return statements.reduce((total, [, rowsWritten]) => total + rowsWritten, 0);
}

function listed(statements: Written): string {
  return statements
    .filter(([, rowsWritten]) => rowsWritten > 0)
    .map(
      ([query, rowsWritten]) => `${(rowsWritten / MESSAGES).toFixed(1)}  ${query.replaceAll(/\s+/g, " ").slice(0, 80)}`,
    )
    .join("\n");
}
