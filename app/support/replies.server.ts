import { asc, eq } from "drizzle-orm";
import { z } from "zod";
import { type Db, violates } from "#app/db/db.server.ts";
import { supportReplies } from "#app/db/schema.server.ts";
import { BODY_MAX_CHARS } from "./protocol.ts";

const REPLIES_MOST = 300;

export type Reply = { id: number; shortcut: string; body: string };

export const replyInput = z.object({
  shortcut: z
    .string()
    .trim()
    .transform((text) => text.replace(/^\//, ""))
    .pipe(z.string().regex(/^[\p{L}\p{N}_-]{1,30}$/u, "Use 1 to 30 letters, digits, - or _, without spaces")),
  body: z
    .string()
    .transform((text) => text.replaceAll("\r\n", "\n").trim())
    .pipe(z.string().min(1, "Write the answer").max(BODY_MAX_CHARS, "Use at most 4,000 characters")),
});
export type ReplyInput = z.output<typeof replyInput>;

export function listReplies(db: Db): Promise<Reply[]> {
  return db
    .select({ id: supportReplies.id, shortcut: supportReplies.shortcut, body: supportReplies.body })
    .from(supportReplies)
    .orderBy(asc(supportReplies.shortcut))
    .limit(REPLIES_MOST);
}

/** `id`: null for a new one. */
export async function saveReply(
  db: Db,
  id: number | null,
  input: ReplyInput,
  by: string,
): Promise<{ ok: true } | { ok: false; reason: "taken" | "not_found" }> {
  const row = { ...input, updatedBy: by, updatedAt: Date.now() };
  try {
    if (id === null) {
      await db.insert(supportReplies).values(row);
      return { ok: true };
    }
    const saved = await db
      .update(supportReplies)
      .set(row)
      .where(eq(supportReplies.id, id))
      .returning({ id: supportReplies.id });
    return saved.length > 0 ? { ok: true } : { ok: false, reason: "not_found" };
  } catch (error) {
    if (violates(error, "support_replies.shortcut")) return { ok: false, reason: "taken" };
    throw error;
  }
}

export async function deleteReply(db: Db, id: number): Promise<void> {
  await db.delete(supportReplies).where(eq(supportReplies.id, id));
}
