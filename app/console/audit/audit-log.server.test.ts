import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { auditLog } from "#app/db/schema.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { listAuditChoices } from "./audit-log.server.ts";

test("lists each person once by their newest name, and each action, without those of deleted people", async () => {
  await db.delete(auditLog);
  expect(await listAuditChoices(db)).toEqual({ actors: [], actions: [] });
  const entry = (actorId: string, actorName: string, action: string) => {
    return { actorId, actorName, action, subjectType: "order" as const, subjectId: "1", createdAt: 1 };
  };
  await db
    .insert(auditLog)
    .values([
      entry("b", "Bo", "order.refund"),
      entry("b", "Bo Miller", "order.cancel"),
      entry("a", "Ada", "order.refund"),
      entry("", "", "order.hold"),
    ]);
  expect(await listAuditChoices(db)).toEqual({
    actors: [
      { id: "a", name: "Ada" },
      { id: "b", name: "Bo Miller" },
    ],
    actions: ["order.cancel", "order.hold", "order.refund"],
  });
});

test("reads the same few rows for the log's filter, however long the log is", async () => {
  await db.delete(auditLog);
  const reads: number[] = [];
  for (let filled = 1; filled <= 2; filled++) {
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
       insert into audit_log (actor_id, actor_name, action, subject_type, subject_id, created_at)
       select 'agent' || (i % 5), 'Bo', 'order.' || (i % 7), 'order', i, 1 from n`,
    ).run();
    const { database, counts } = countedDatabase(env.DB);
    const { actors, actions } = await listAuditChoices(connect(database));
    expect([actors.length, actions.length]).toEqual([5, 7]);
    reads.push(counts.rowsRead);
  }
  expect(reads[1]).toBe(reads[0]);
  expect(reads[0]).toBeLessThanOrEqual(100);
});
