import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { cutText } from "#app/cut-text.ts";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { keyset } from "#app/db/keyset.server.ts";
import { isStale, nextVersion } from "#app/db/row-version.server.ts";
import { savedReplies } from "#app/db/schema.server.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { type ListCursor, type ListPage, listPage, readSort, type Sort } from "#app/http/lists/list-query.ts";
import { type CsvColumns, streamListCsv } from "#app/http/responses/stream-csv.ts";
import { ownValue } from "#app/own-value.ts";
import { NOTE_MAX_CHARS, TAG, TAG_MAX_CHARS } from "#app/support/protocol/console-frames.ts";
import { BODY_MAX_CHARS } from "#app/support/protocol/frames.ts";
import {
  EFFECT_TAGS_MAX,
  hasEffects,
  NEXT_STEPS,
  NO_EFFECTS,
  REPLIES_LOADED,
  type ReplyEffects,
} from "#app/support/protocol/reply-effects.ts";

/** A search reads all of them. */
export const REPLIES_MAX = 5000;

export type Reply = { id: number; shortcut: string; body: string; effects: ReplyEffects; version: number };
/** The parts of a reply that staff edit. */
type ReplyContent = Omit<Reply, "id" | "version">;

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
  note: plainText.pipe(z.string().max(NOTE_MAX_CHARS, "Use at most 4,000 characters.")).default(""),
  next: z.enum(NEXT_STEPS).default(""),
});

/** The form of a saved reply. Without a text it must do something else. */
export const replyInput = replyFields.refine((input) => input.body !== "" || hasEffects(input), {
  path: ["body"],
  error: "Enter the reply, or choose what it does.",
});
export type ReplyInput = z.output<typeof replyInput>;

/** Returns what is stored of a form. */
export function replyOf({ shortcut, body, tags, assignTo, note, next }: ReplyInput): ReplyContent {
  return { shortcut, body, effects: { tags, assignTo, note, next } };
}

const COLUMNS = {
  id: savedReplies.id,
  shortcut: savedReplies.shortcut,
  body: savedReplies.body,
  effects: savedReplies.effects,
  version: savedReplies.version,
};

function toReply(row: Omit<Reply, "effects"> & { effects: Record<string, unknown> }): Reply {
  return { ...row, effects: { ...NO_EFFECTS, ...row.effects } };
}

/** Returns the first replies by shortcut, for a console to offer at once. */
export async function listReplies(db: Db): Promise<Reply[]> {
  const rows = await db.select(COLUMNS).from(savedReplies).orderBy(asc(savedReplies.shortcut)).limit(REPLIES_LOADED);
  return rows.map(toReply);
}

const SORTS = ["shortcut"] as const;
const SEARCH_MAX_CHARS = 100;

/** Reads what the URL of the list of replies asks for. */
export function readReplyQuery(searchParams: URLSearchParams) {
  const search = cutText((searchParams.get("q") ?? "").trim(), SEARCH_MAX_CHARS);
  return { search, sort: readSort(searchParams, SORTS, "shortcut"), sorts: SORTS };
}

/** Lists the replies that contain `search`, by shortcut, after the cursor. */
export async function pageReplies(
  db: Db,
  { search, sort }: { search: string; sort: Sort<"shortcut"> },
  cursor: ListCursor | null,
  limit: number,
): Promise<ListPage<Reply>> {
  const { shortcut } = savedReplies;
  const { after, order } = keyset({ value: shortcut, id: shortcut, descending: sort.descending }, cursor);
  const rows = await db
    .select(COLUMNS)
    .from(savedReplies)
    .where(and(contains(search), after))
    .orderBy(...order)
    .limit(limit + 1);
  return listPage(rows.map(toReply), limit, (reply) => ({ value: reply.shortcut, id: reply.shortcut }));
}

const CELLS: CsvColumns<Reply> = {
  shortcut: ({ shortcut }) => `/${shortcut}`,
  text: ({ body }) => body,
  tags: ({ effects }) => effects.tags.join(", "),
  assigns_to: ({ effects }) => effects.assignTo,
  note: ({ effects }) => effects.note,
  next_step: ({ effects }) => effects.next,
};

/** Exports the replies that the page lists. */
export function exportReplies(db: Db, searchParams: URLSearchParams): ReadableStream<Uint8Array> {
  const query = readReplyQuery(searchParams);
  return streamListCsv(CELLS, (after, limit) => pageReplies(db, query, after, limit));
}

/** Returns the replies that match what an agent types after a slash: first those whose shortcut starts with it. */
export async function searchReplies(db: Db, typed: string, limit: number): Promise<Reply[]> {
  const startsWith = sql`substr(lower(${savedReplies.shortcut}), 1, ${[...typed].length}) = ${typed.toLowerCase()}`;
  const rows = await db
    .select(COLUMNS)
    .from(savedReplies)
    .where(contains(typed))
    .orderBy(desc(startsWith), asc(savedReplies.shortcut))
    .limit(limit);
  return rows.map(toReply);
}

function contains(search: string): SQL | undefined {
  if (search === "") return undefined;
  const { shortcut, body, effects } = savedReplies;
  const text = sql`(${shortcut} || ' ' || ${body} || ' ' || (${effects} ->> 'note') || ' ' || (${effects} ->> 'tags'))`;
  // SQLite's lower() knows only ASCII.
  return sql`(instr(lower(${text}), ${search.toLowerCase()}) > 0 or instr(${text}, ${search}) > 0)`;
}

/**
 * Saves a reply and its audit entry in one batch. `edited`: null for a new one, else its id and the version that the form
 * began from.
 */
export async function saveReply(
  db: Db,
  edited: { id: number; version: number } | null,
  input: ReplyInput,
  by: Actor,
): Promise<{ ok: true } | { ok: false; reason: "taken" | "not_found" | "stale" | "full" }> {
  const reply = replyOf(input);
  const row = { ...reply, updatedBy: by.userId, updatedAt: Date.now() };
  try {
    if (edited === null) {
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
    const { id, version } = edited;
    const before = await readReply(db, id);
    if (!before) return { ok: false, reason: "not_found" };
    const detail = changes(before, reply);
    if (Object.keys(detail).length === 0) return { ok: true };
    await db.batch([
      // NULL, which the audit log refuses, if it was deleted.
      audit(db, by, {
        action: "reply.change",
        subject: "reply",
        subjectId: sql<string>`(select id from saved_replies where id = ${id})`,
        detail,
      }),
      db
        .update(savedReplies)
        .set({ ...row, version: nextVersion(savedReplies.version, version) })
        .where(eq(savedReplies.id, id)),
    ]);
    return { ok: true };
  } catch (error) {
    if (violates(error, "saved_replies.shortcut")) return { ok: false, reason: "taken" };
    if (isStale(error, "saved_replies")) return { ok: false, reason: "stale" };
    if (violates(error, "audit_log.subject_id")) return { ok: false, reason: edited === null ? "full" : "not_found" };
    throw error;
  }
}

/**
 * Deletes a reply and adds the audit entry; does nothing if it is gone. Returns false if it was changed since the version
 * that the person saw.
 */
export async function deleteReply(
  db: Db,
  { id, version }: { id: number; version: number },
  by: Actor,
): Promise<boolean> {
  const before = await readReply(db, id);
  if (!before) return true;
  const detail = changes(before, null);
  // NULL, which the audit log refuses, if it was changed.
  const subjectId = sql<string>`(select id from saved_replies where id = ${id} and version = ${version})`;
  try {
    await db.batch([
      audit(db, by, { action: "reply.delete", subject: "reply", subjectId, detail }),
      db.delete(savedReplies).where(eq(savedReplies.id, id)),
    ]);
    return true;
  } catch (error) {
    if (violates(error, "audit_log.subject_id")) return false;
    throw error;
  }
}

export async function readReply(db: Db, id: number): Promise<Reply | undefined> {
  const [row] = await db.select(COLUMNS).from(savedReplies).where(eq(savedReplies.id, id));
  return row && toReply(row);
}

/** Returns what differs, from what to what, for the audit log. */
function changes(before: ReplyContent | null, after: ReplyContent | null): Record<string, unknown> {
  const [old, changed] = [before && replyAuditTexts(before), after && replyAuditTexts(after)];
  const names = Object.keys(old ?? changed ?? {});
  const detail = names.map((name) => [name, [ownValue(old, name) ?? null, ownValue(changed, name) ?? null]] as const);
  // An effect that there never was says nothing.
  return Object.fromEntries(detail.filter(([, [from, to]]) => from !== to && (from || to)));
}

/** Returns a reply as the audit log has it. */
export function replyAuditTexts({ shortcut, body, effects }: ReplyContent): Record<string, string> {
  const { tags, assignTo, note, next } = effects;
  return { shortcut, body, addsTags: tags.join(", "), assignsTo: assignTo, addsNote: note, next };
}
