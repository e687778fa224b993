import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectSupport } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, openConnection, roomOf, until } from "#tests/workerd/support-visitor.ts";
import type { SupportRoom } from "./support-room.ts";

/** The conversation with its index by assignee, the message with its index by number, and its entry in the search index. */
const MAX_D1_ROWS = 5;
/** The count of unread conversations changes at the first message that the team has not read. */
const ROWS_OF_FIRST_UNREAD = 1;
/** The message with its index by client id; when it is copied to D1, the session and the check for an away message. */
const MAX_ROOM_ROWS = 4;
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
  expect(sum([...room]), listed([...room])).toBeLessThanOrEqual(MESSAGES * MAX_ROOM_ROWS);

  async function storedUpTo(seq: number): Promise<void> {
    await until(async () => {
      const [row] = await connectSupport(env.DB_SUPPORT)
        .select()
        .from(supportSessions)
        .where(eq(supportSessions.sessionId, sessionId));
      return row !== undefined && row.lastSeq >= seq;
    });
  }
});

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
