import { asc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { savedReplies } from "#app/db/schema.server.ts";
import { BODY_MAX_CHARS } from "#app/support/protocol/frames.ts";

const REPLIES_MAX = 300;

export type Reply = { id: number; shortcut: string; body: string };

export const replyInput = z.object({
  shortcut: z
    .string()
    .trim()
    .transform((text) => text.replace(/^\//, ""))
    .pipe(z.string().regex(/^[\p{L}\p{N}_-]{1,30}$/u, "Use 1 to 30 letters, digits, - or _, without spaces.")),
  body: z
    .string()
    .transform((text) => text.replaceAll("\r\n", "\n").trim())
    .pipe(z.string().min(1, "Enter the reply.").max(BODY_MAX_CHARS, "Use at most 4,000 characters.")),
});
export type ReplyInput = z.output<typeof replyInput>;

export function listReplies(db: Db): Promise<Reply[]> {
  return db
    .select({ id: savedReplies.id, shortcut: savedReplies.shortcut, body: savedReplies.body })
    .from(savedReplies)
    .orderBy(asc(savedReplies.shortcut))
    .limit(REPLIES_MAX);
}

/** Saves a reply and its audit entry in one batch. `id`: null for a new one. */
export async function saveReply(
  db: Db,
  id: number | null,
  input: ReplyInput,
  by: Actor,
): Promise<{ ok: true } | { ok: false; reason: "taken" | "not_found" | "changed" }> {
  const row = { ...input, updatedBy: by.userId, updatedAt: Date.now() };
  try {
    if (id === null) {
      const idOfNewReply = sql<string>`(select id from saved_replies where shortcut = ${input.shortcut})`;
      await db.batch([
        db.insert(savedReplies).values(row),
        audit(db, by, {
          action: "reply.create",
          subject: "reply",
          subjectId: idOfNewReply,
          detail: { shortcut: [null, input.shortcut], body: [null, input.body] },
        }),
      ]);
      return { ok: true };
    }
    const before = await readReply(db, id);
    if (!before) return { ok: false, reason: "not_found" };
    const detail = {
      ...(before.shortcut !== input.shortcut && { shortcut: [before.shortcut, input.shortcut] }),
      ...(before.body !== input.body && { body: [before.body, input.body] }),
    };
    if (Object.keys(detail).length === 0) return { ok: true };
    await db.batch([
      audit(db, by, { action: "reply.change", subject: "reply", subjectId: idIfUnchanged(before), detail }),
      db.update(savedReplies).set(row).where(eq(savedReplies.id, id)),
    ]);
    return { ok: true };
  } catch (error) {
    if (violates(error, "saved_replies.shortcut")) return { ok: false, reason: "taken" };
    if (violates(error, "audit_log.subject_id")) return { ok: false, reason: "changed" };
    throw error;
  }
}

/** Deletes a reply and adds the audit entry; does nothing if it is gone. Returns false if it changed meanwhile. */
export async function deleteReply(db: Db, id: number, by: Actor): Promise<boolean> {
  const before = await readReply(db, id);
  if (!before) return true;
  const detail = { shortcut: [before.shortcut, null], body: [before.body, null] };
  try {
    await db.batch([
      audit(db, by, { action: "reply.delete", subject: "reply", subjectId: idIfUnchanged(before), detail }),
      db.delete(savedReplies).where(eq(savedReplies.id, id)),
    ]);
    return true;
  } catch (error) {
    if (violates(error, "audit_log.subject_id")) return false;
    throw error;
  }
}

async function readReply(db: Db, id: number): Promise<Reply | undefined> {
  const { shortcut, body } = savedReplies;
  const [reply] = await db
    .select({ id: savedReplies.id, shortcut, body })
    .from(savedReplies)
    .where(eq(savedReplies.id, id));
  return reply;
}

/** Selects its id if it is unchanged, else NULL, which the audit log refuses. */
function idIfUnchanged({ id, shortcut, body }: Reply) {
  return sql<string>`(select id from saved_replies where id = ${id} and shortcut = ${shortcut} and body = ${body})`;
}
