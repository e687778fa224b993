import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { listStaff } from "#app/accounts/profile/team-members.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { keyset } from "#app/db/keyset.server.ts";
import { savedReplies } from "#app/db/schema.server.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { type ListCursor, listPage } from "#app/http/lists/list-query.ts";
import { TAG, TAG_MAX_CHARS } from "#app/support/protocol/console-frames.ts";
import { EFFECT_TAGS_MAX, hasEffects, NEXT_STEP_WORDS, type NextStep } from "#app/support/protocol/reply-effects.ts";
import { REPLY_COLUMNS, type Reply, replyContains, toReply } from "#app/support/team/saved-replies.server.ts";
import { fieldSchemas } from "../resource/field-schemas.server.ts";
import { loggedOf } from "../resource/resource-undo.server.ts";
import type { ListQuery, SeenRow, Store, Stored } from "../resource/store.server.ts";
import { deleteRow, saveRow } from "../resource/versioned-rows.server.ts";
import SAVED_REPLIES, { SAVED_REPLY_FIELDS } from "../resources/saved-replies.tsx";

/** A search reads all of them. */
export const REPLIES_MAX = 5000;

const replyInput = fieldSchemas(SAVED_REPLY_FIELDS, {
  shortcut: z
    .string()
    .trim()
    .transform((text) => text.replace(/^\//, ""))
    .pipe(z.string().regex(/^[\p{L}\p{N}_-]{1,30}$/u, "Use 1 to 30 letters, digits, - or _, without spaces.")),
  tags: z
    .string()
    .default("")
    .transform((text) => [...new Set(text.split(",").map(cleanName))].filter((tag) => tag !== ""))
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
  next: z.enum(Object.keys(NEXT_STEP_WORDS) as NextStep[]).default(""),
});
export type ReplyInput = z.output<typeof replyInput>;

const savedReplyStore: Store<Reply, ReplyInput> = {
  resource: SAVED_REPLIES,
  named: { table: savedReplies, name: sql`'/' || ${savedReplies.shortcut}` },
  // Without a text it must do something else.
  input: replyInput.refine((input) => input.body !== "" || hasEffects(input), {
    path: ["body"],
    error: "Enter the reply, or choose what it does.",
  }),
  sorts: ["shortcut"],
  sortedBy: "shortcut",
  list,
  csv: {
    shortcut: ({ shortcut }) => `/${shortcut}`,
    text: ({ body }) => body,
    tags: ({ effects }) => effects.tags.join(", "),
    assigns_to: ({ effects }) => effects.assignTo,
    note: ({ effects }) => effects.note,
    next_step: ({ effects }) => effects.next,
  },
  options: async (db) => ({ assignTo: Object.fromEntries((await listStaff(db)).map(({ id, name }) => [id, name])) }),
  async read(db, id) {
    const reply = await readReply(db, id);
    return reply && { id, version: reply.version, name: `/${reply.shortcut}`, texts: textsOf(reply) };
  },
  save: saveReply,
  actions: { delete: deleteReply },
  refusals: {
    taken: { field: "shortcut", message: "Another reply uses this shortcut." },
    not_found: { field: "shortcut", message: "This reply was deleted. Save it as a new one." },
    full: { field: "shortcut", message: "There are 5,000 saved replies, the most there can be. Delete one first." },
    stale: { message: "Someone else changed this reply since you saw it, so it wasn't deleted. Check it first." },
  },
};
export default savedReplyStore;

export async function saveReply(db: Db, by: Actor, edited: SeenRow | null, input: ReplyInput): Promise<Stored> {
  const { shortcut, body, tags, assignTo, note, next } = input;
  const reply = { shortcut, body, effects: { tags, assignTo, note, next } };
  const before = edited && (await readReply(db, edited.id));
  const stored = await saveRow(db, by, "reply", {
    table: savedReplies,
    unique: "saved_replies.shortcut",
    edited,
    row: { ...reply, updatedBy: by.userId, updatedAt: Date.now() },
    was: before ? logged(before) : null,
    is: logged(reply),
    // NULL if there are too many.
    newId: sql`(select id from saved_replies where shortcut = ${shortcut}
      and (select count(*) from saved_replies) <= ${REPLIES_MAX})`,
  });
  return stored.ok ? { ok: true, message: `Reply saved. Type /${shortcut} to use it.` } : stored;
}

export async function deleteReply(db: Db, by: Actor, seen: SeenRow): Promise<Stored> {
  const before = await readReply(db, seen.id);
  const deleted = await deleteRow(db, by, "reply", {
    table: savedReplies,
    seen,
    was: before ? logged(before) : null,
  });
  return deleted.ok ? { ok: true, message: "Reply deleted." } : deleted;
}

/** Lists the replies that contain `search`, by shortcut, after the cursor. */
async function list(db: Db, { search, sort }: ListQuery, cursor: ListCursor | null, limit: number) {
  const { shortcut } = savedReplies;
  const { after, order } = keyset({ value: shortcut, id: shortcut, descending: sort.descending }, cursor);
  const rows = await db
    .select(REPLY_COLUMNS)
    .from(savedReplies)
    .where(and(replyContains(search), after))
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows.map(toReply), limit, (reply) => ({ value: reply.shortcut, id: reply.shortcut }));
}

async function readReply(db: Db, id: number): Promise<Reply | undefined> {
  const [row] = await db.select(REPLY_COLUMNS).from(savedReplies).where(eq(savedReplies.id, id));
  return row && toReply(row);
}

/** Returns a reply as its form shows it. */
function textsOf({ shortcut, body, effects }: Pick<Reply, "shortcut" | "body" | "effects">): Record<string, string> {
  return { shortcut, body, ...effects, tags: effects.tags.join(", ") };
}

function logged(reply: Pick<Reply, "shortcut" | "body" | "effects">): Record<string, string> {
  return loggedOf(SAVED_REPLIES, textsOf(reply));
}
