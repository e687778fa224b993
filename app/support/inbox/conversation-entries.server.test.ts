import { env } from "cloudflare:workers";
import { asc } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { auditLog, rollups } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { CONVERSATION_ENTRY_DAYS, deleteOldConversationEntries } from "./conversation-entries.server.ts";

const db = connect(env.DB);

test("deletes old entries about conversations but those of blocks, and no others", async () => {
  await db.delete(auditLog);
  await db.delete(rollups);
  const now = Date.now();
  const old = now - (CONVERSATION_ENTRY_DAYS + 1) * DAY_MS;
  await db
    .insert(auditLog)
    .values([
      entry("conversation.assign", old),
      entry("order.refund", old),
      entry("conversation.block", old),
      entry("conversation.close", old),
      entry("conversation.assign", now),
    ]);
  await deleteOldConversationEntries(db, now);
  const left = await db.select({ action: auditLog.action }).from(auditLog).orderBy(asc(auditLog.id));
  expect(left.map(({ action }) => action)).toEqual(["order.refund", "conversation.block", "conversation.assign"]);
  await deleteOldConversationEntries(db, now + (CONVERSATION_ENTRY_DAYS + 1) * DAY_MS);
  expect(await db.$count(auditLog)).toBe(2);
});

test("reads no entry again that stays, however many there are", async () => {
  await db.delete(auditLog);
  await db.delete(rollups);
  const now = Date.now();
  const old = now - (CONVERSATION_ENTRY_DAYS + 1) * DAY_MS;
  const rows = (count: number, action: string, at: number) =>
    env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
       insert into audit_log (actor_id, actor_name, action, subject_type, subject_id, created_at)
       select 'agent', 'Bo', ?2, substr(?2, 1, instr(?2, '.') - 1), i, ?3 from n`,
    )
      .bind(count, action, at)
      .run();
  await rows(12_000, "order.refund", old);
  await deleteOldConversationEntries(db, now);
  const night = async () => {
    const { database, counts } = countedDatabase(env.DB);
    await deleteOldConversationEntries(connect(database), now);
    return counts.rowsRead;
  };
  expect(await night()).toBeLessThanOrEqual(2);
  await rows(100, "conversation.close", old);
  await rows(10_000, "order.refund", now);
  // What became old, a page of what did not, and the index entries of each deleted row.
  expect(await night()).toBeLessThanOrEqual(100 * 8 + 1000);
  expect(await db.$count(auditLog)).toBe(22_000);
  expect(await night()).toBeLessThanOrEqual(2);
});

function entry(action: string, createdAt: number) {
  const [subjectType] = action.split(".") as ["conversation" | "order"];
  return { actorId: "agent", actorName: "Bo", action, subjectType, subjectId: "1", createdAt };
}
