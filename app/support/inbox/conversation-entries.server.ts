import { and, asc, eq, gt, lt, lte, notInArray, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import type { AuditAction } from "#app/db/schema/audit-vocabulary.ts";
import { auditLog, rollups } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";

/** For a question about who answered whom. What staff did to money, orders, accounts and settings stays. */
export const CONVERSATION_ENTRY_DAYS = 400;
/** A block applies until it is lifted, so who set it stays known. */
const KEPT_ACTIONS: AuditAction[] = ["conversation.block", "conversation.unblock"];
const ROLLUP = "old audit entries";
/** Steps start with one entry and grow tenfold up to this, because on most nights few are old. */
const ENTRIES_PER_STEP = 5000;
const MAX_STEPS = 20;

/**
 * Deletes old entries about the handling of conversations, of which each conversation adds a few. Remembers how far it
 * came, so that a night reads what has become old since the last one and never again what stays.
 */
export async function deleteOldConversationEntries(db: Db, now = Date.now()): Promise<void> {
  const isOld = lt(auditLog.createdAt, now - CONVERSATION_ENTRY_DAYS * DAY_MS);
  for (let step = 0; step < MAX_STEPS; step++) {
    const from = await readPosition(db);
    const page = await db
      .select({ id: auditLog.id, isOld: sql<number>`${isOld}` })
      .from(auditLog)
      .where(gt(auditLog.id, from))
      .orderBy(asc(auditLog.id))
      .limit(Math.min(10 ** step, ENTRIES_PER_STEP));
    const firstToKeep = page.findIndex((entry) => entry.isOld === 0);
    const to = page.at(firstToKeep === -1 ? -1 : firstToKeep - 1)?.id;
    if (to === undefined || firstToKeep === 0) return;
    await db.batch([
      db
        .delete(auditLog)
        .where(
          and(
            gt(auditLog.id, from),
            lte(auditLog.id, to),
            eq(auditLog.subjectType, "conversation"),
            notInArray(auditLog.action, KEPT_ACTIONS),
          ),
        ),
      db
        .insert(rollups)
        .values({ name: ROLLUP, upToId: to })
        .onConflictDoUpdate({ target: rollups.name, set: { upToId: sql`max(${rollups.upToId}, ${to})` } }),
    ]);
    if (firstToKeep !== -1) return;
  }
}

async function readPosition(db: Db): Promise<number> {
  const [at] = await db.select({ upToId: rollups.upToId }).from(rollups).where(eq(rollups.name, ROLLUP)).limit(1);
  return at?.upToId ?? 0;
}
