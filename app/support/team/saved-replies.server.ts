import { asc, desc, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { savedReplies } from "#app/db/schema.server.ts";
import { NO_EFFECTS, REPLIES_LOADED, type ReplyEffects } from "#app/support/protocol/reply-effects.ts";

/** Saved replies as agents use them. Staff edit them in the console, see app/console/stores/saved-reply-store.server.ts. */

export type Reply = { id: number; shortcut: string; body: string; effects: ReplyEffects; version: number };

export const REPLY_COLUMNS = {
  id: savedReplies.id,
  shortcut: savedReplies.shortcut,
  body: savedReplies.body,
  effects: savedReplies.effects,
  version: savedReplies.version,
};

export function toReply(row: Omit<Reply, "effects"> & { effects: Record<string, unknown> }): Reply {
  return { ...row, effects: { ...NO_EFFECTS, ...row.effects } };
}

/** Returns the first replies by shortcut, for a console to offer at once. */
export async function listReplies(db: Db): Promise<Reply[]> {
  const rows = await db
    .select(REPLY_COLUMNS)
    .from(savedReplies)
    .orderBy(asc(savedReplies.shortcut))
    .limit(REPLIES_LOADED);
  return rows.map(toReply);
}

/** Returns the replies that match what an agent types after a slash: first those whose shortcut starts with it. */
export async function searchReplies(db: Db, typed: string, limit: number): Promise<Reply[]> {
  const startsWith = sql`substr(lower(${savedReplies.shortcut}), 1, ${[...typed].length}) = ${typed.toLowerCase()}`;
  const rows = await db
    .select(REPLY_COLUMNS)
    .from(savedReplies)
    .where(replyContains(typed))
    .orderBy(desc(startsWith), asc(savedReplies.shortcut))
    .limit(limit);
  return rows.map(toReply);
}

/** Is true for replies with the text in their shortcut, text, tags or note. An empty text is in all. */
export function replyContains(search: string): SQL | undefined {
  if (search === "") return undefined;
  const { shortcut, body, effects } = savedReplies;
  const text = sql`(${shortcut} || ' ' || ${body} || ' ' || (${effects} ->> 'note') || ' ' || (${effects} ->> 'tags'))`;
  // SQLite's lower() knows only ASCII.
  return sql`(instr(lower(${text}), ${search.toLowerCase()}) > 0 or instr(${text}, ${search}) > 0)`;
}
