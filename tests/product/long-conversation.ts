import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Time between two messages. Several days pass in ten thousand. */
const EVERY_MS = 60_000;
const LINE = "I ordered followers for my page on Monday, and the counter has not moved since. ";

/**
 * Adds messages to the conversation of a stopped copy until it has `messages`, the last one just now. Visitor and agent
 * take turns, and one in ten is long. Both sides have read them all, and the room has nothing to copy to D1.
 */
export function fillConversation(stateDir: string, sessionId: string, messages: number): void {
  const room = openRoomDatabase(stateDir, sessionId);
  room
    .prepare(
      `with recursive n (i) as (select (select max(seq) + 1 from messages) union all select i + 1 from n where i < ?1)
       insert into messages select i, iif(i % 2 = 0, session_id, 'filled'), 'filled-' || i, iif(i % 2 = 0, 'user', 'admin'),
         iif(i % 2 = 0, user_name, 'Bo'), 'message ' || i || ': ' || replace(printf('%.*c', iif(i % 10 = 0, 12, 1), 'x'), 'x', ?2),
         cast(?3 - (?1 - i) * ?4 as integer)
       from n, session`,
    )
    .run(messages, LINE, Date.now(), EVERY_MS);
  room
    .prepare(
      `update session set version = version + 1, stored_version = version + 1, stored_seq = ?1, agent_read_seq = ?1,
         user_read_seq = ?1`,
    )
    .run(messages);
  room.prepare("update away_check set seq = ?").run(messages);
  room.close();
}

function openRoomDatabase(stateDir: string, sessionId: string): DatabaseSync {
  const rooms = join(stateDir, "v3", "do");
  for (const folder of readdirSync(rooms).filter((name) => name.endsWith("SupportRoom"))) {
    for (const name of readdirSync(join(rooms, folder)).filter((one) => one.endsWith(".sqlite"))) {
      const database = new DatabaseSync(join(rooms, folder, name));
      const hasSession = database.prepare("select 1 from sqlite_master where name = 'session'").get();
      if (hasSession && database.prepare("select 1 from session where session_id = ?").get(sessionId)) return database;
      database.close();
    }
  }
  throw new Error(`no room of ${sessionId} below ${rooms}`);
}
