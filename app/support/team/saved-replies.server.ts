import { asc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { savedReplies } from "#app/db/schema.server.ts";
import { NOTE_MAX_CHARS, TAG, TAG_MAX_CHARS } from "#app/support/protocol/console-frames.ts";
import { BODY_MAX_CHARS } from "#app/support/protocol/frames.ts";
import {
  EFFECT_TAGS_MAX,
  hasEffects,
  NEXT_STEPS,
  NO_EFFECTS,
  type ReplyEffects,
} from "#app/support/protocol/reply-effects.ts";

/** A console loads all of them, so no more can be saved. */
export const REPLIES_MAX = 300;

export type Reply = { id: number; shortcut: string; body: string; effects: ReplyEffects };

const plainText = z.string().transform((text) => text.replaceAll("\r\n", "\n").trim());
const replyFields = z.object({
  shortcut: z
    .string()
    .trim()
    .transform((text) => text.replace(/^\//, ""))
    .pipe(z.string().regex(/^[\p{L}\p{N}_-]{1,30}$/u, "Use 1 to 30 letters, digits, - or _, without spaces.")),
  body: plainText.pipe(z.string().max(BODY_MAX_CHARS, "Use at most 4,000 characters.")),
  tags: z
    .string()
    .default("")
    .transform((text) => [...new Set(text.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== ""))
    .pipe(
      z
        .array(
          z
            .string()
            .max(TAG_MAX_CHARS, `Use at most ${TAG_MAX_CHARS} characters per tag.`)
            .regex(TAG, "Start each tag with a letter or a digit. Spaces, - and _ can follow."),
        )
        .max(EFFECT_TAGS_MAX, `Use at most ${EFFECT_TAGS_MAX} tags.`),
    ),
  assignTo: z.string().max(64).default(""),
  note: plainText.pipe(z.string().max(NOTE_MAX_CHARS, "Use at most 4,000 characters.")).default(""),
  next: z.enum(NEXT_STEPS).default(""),
});

/** The form of a saved reply. Without a text it must do something else. */
export const replyInput = replyFields.refine((input) => input.body !== "" || hasEffects(input), {
  path: ["body"],
  error: "Enter the reply, or choose what it does.",
});
export type ReplyInput = z.output<typeof replyInput>;

/** What is stored. The keys keep this order, by which an unchanged row is recognized. */
function stored({ shortcut, body, tags, assignTo, note, next }: ReplyInput): Omit<Reply, "id"> {
  return { shortcut, body, effects: { tags, assignTo, note, next } };
}

const COLUMNS = {
  id: savedReplies.id,
  shortcut: savedReplies.shortcut,
  body: savedReplies.body,
  effects: savedReplies.effects,
};

function toReply(row: Omit<Reply, "effects"> & { effects: Record<string, unknown> }): Reply {
  return { ...row, effects: { ...NO_EFFECTS, ...row.effects } };
}

export async function listReplies(db: Db): Promise<Reply[]> {
  const rows = await db.select(COLUMNS).from(savedReplies).orderBy(asc(savedReplies.shortcut)).limit(REPLIES_MAX);
  return rows.map(toReply);
}

/** Saves a reply and its audit entry in one batch. `id`: null for a new one. */
export async function saveReply(
  db: Db,
  id: number | null,
  input: ReplyInput,
  by: Actor,
): Promise<{ ok: true } | { ok: false; reason: "taken" | "not_found" | "changed" | "full" }> {
  const reply = stored(input);
  const row = { ...reply, updatedBy: by.userId, updatedAt: Date.now() };
  try {
    if (id === null) {
      // NULL, which the audit log refuses, if there are too many.
      const idOfNewReply = sql<string>`(select id from saved_replies where shortcut = ${input.shortcut}
        and (select count(*) from saved_replies) <= ${REPLIES_MAX})`;
      await db.batch([
        db.insert(savedReplies).values(row),
        audit(db, by, {
          action: "reply.create",
          subject: "reply",
          subjectId: idOfNewReply,
          detail: changes(null, reply),
        }),
      ]);
      return { ok: true };
    }
    const before = await readReply(db, id);
    if (!before) return { ok: false, reason: "not_found" };
    const detail = changes(before, reply);
    if (Object.keys(detail).length === 0) return { ok: true };
    await db.batch([
      audit(db, by, { action: "reply.change", subject: "reply", subjectId: idIfUnchanged(before), detail }),
      db.update(savedReplies).set(row).where(eq(savedReplies.id, id)),
    ]);
    return { ok: true };
  } catch (error) {
    if (violates(error, "saved_replies.shortcut")) return { ok: false, reason: "taken" };
    if (violates(error, "audit_log.subject_id")) return { ok: false, reason: id === null ? "full" : "changed" };
    throw error;
  }
}

/** Deletes a reply and adds the audit entry; does nothing if it is gone. Returns false if it changed meanwhile. */
export async function deleteReply(db: Db, id: number, by: Actor): Promise<boolean> {
  const before = await readReply(db, id);
  if (!before) return true;
  const detail = changes(before, null);
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
  const [row] = await db.select(COLUMNS).from(savedReplies).where(eq(savedReplies.id, id));
  return row && toReply(row);
}

/** Returns what differs, from what to what, for the audit log. */
function changes(before: Omit<Reply, "id"> | null, after: Omit<Reply, "id"> | null): Record<string, unknown> {
  const [old, changed] = [before && auditTexts(before), after && auditTexts(after)];
  const names = Object.keys(old ?? changed ?? {});
  const detail = names.map((name) => [name, [old?.[name] ?? null, changed?.[name] ?? null]] as const);
  // An effect that there never was says nothing.
  return Object.fromEntries(detail.filter(([, [from, to]]) => from !== to && (from || to)));
}

function auditTexts({ shortcut, body, effects }: Omit<Reply, "id">): Record<string, string> {
  const { tags, assignTo, note, next } = effects;
  return { shortcut, body, addsTags: tags.join(", "), assignsTo: assignTo, addsNote: note, next };
}

/** Selects its id if it is unchanged, else NULL, which the audit log refuses. */
function idIfUnchanged({ id, shortcut, body, effects }: Reply) {
  return sql<string>`(select id from saved_replies
    where id = ${id} and shortcut = ${shortcut} and body = ${body} and effects = ${JSON.stringify(effects)})`;
}
