import { and, desc, eq, lt, sql } from "drizzle-orm";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { customerNotes, users } from "#app/db/schema.server.ts";

/**
 * What the team notes about a customer, for itself. The customer gets the texts with the export of their data, without the
 * authors, and they are deleted with the account. The audit log names a note by its number, so that its words are nowhere else.
 */

/** Selects a customer's notes below the note `before`, newest first: one more than `limit` if more exist. */
export function selectNotes(db: Db, userId: string, before: number | null, limit: number) {
  const { id, body, authorId, authorName, createdAt } = customerNotes;
  return db
    .select({ id, body, authorId, authorName, createdAt })
    .from(customerNotes)
    .where(and(eq(customerNotes.userId, userId), before === null ? undefined : lt(id, before)))
    .orderBy(desc(id))
    .limit(limit + 1);
}

/** Adds a note. `body` has 1 to 2,000 characters. */
export async function addNote(
  db: Db,
  actor: Actor,
  userId: string,
  body: string,
  onceKey: string,
): Promise<{ ok: true } | { ok: false; reason: "not_found" | "repeated" }> {
  try {
    await db.batch([
      db.insert(customerNotes).values({
        // NULL, which the column refuses, for an account that doesn't exist.
        userId: sql<string>`(select ${users.id} from ${users} where ${users.id} = ${userId})`,
        body,
        authorId: actor.userId,
        authorName: actor.name,
        createdAt: Date.now(),
      }),
      audit(db, actor, {
        action: "customer.note",
        subject: "customer",
        subjectId: userId,
        onceKey,
      }),
    ]);
    return { ok: true };
  } catch (error) {
    if (isRepeat(error)) return { ok: false, reason: "repeated" };
    if (violates(error, "customer_notes.user_id")) return { ok: false, reason: "not_found" };
    throw error;
  }
}

/** Deletes a note of one's own, or of anybody for an admin. Returns false if there is no such note, or it is another's. */
export async function deleteNote(
  db: Db,
  { actor, isAdmin }: { actor: Actor; isAdmin: boolean },
  userId: string,
  noteId: number,
): Promise<boolean> {
  const own = isAdmin ? undefined : eq(customerNotes.authorId, actor.userId);
  const mayDelete = and(eq(customerNotes.id, noteId), eq(customerNotes.userId, userId), own);
  try {
    await db.batch([
      audit(db, actor, {
        action: "customer.note_delete",
        subject: "customer",
        // NULL, which the audit log refuses, if it is gone or somebody else's.
        subjectId: sql<string>`(select ${customerNotes.userId} from ${customerNotes} where ${mayDelete})`,
        detail: { note: noteId },
      }),
      db.delete(customerNotes).where(mayDelete),
    ]);
    return true;
  } catch (error) {
    if (violates(error, "audit_log.subject_id")) return false;
    throw error;
  }
}
