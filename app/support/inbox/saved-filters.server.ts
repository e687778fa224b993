import { and, asc, eq, sql } from "drizzle-orm";
import * as z from "zod/mini";
import { type Db, violates } from "#app/db/db.server.ts";
import { savedFilters } from "#app/db/schema.server.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { TAG, TAG_MAX_CHARS } from "#app/support/protocol/console-frames.ts";
import { FILTER_NAME_MAX_CHARS, FILTERS_MAX, INBOX_VIEWS, parseView, type SavedFilter } from "./inbox-view.ts";

const id = z.int().check(z.positive());
const name = z.pipe(
  z.pipe(z.string(), z.transform(cleanName)),
  z.string().check(z.minLength(1), z.maxLength(FILTER_NAME_MAX_CHARS)),
);
const tag = z.string().check(z.trim(), z.maxLength(TAG_MAX_CHARS));

/** What the console posts about the caller's own filters. */
export const filterChangeSchema = z.discriminatedUnion("action", [
  z.strictObject({
    action: z.literal("save"),
    name,
    view: z.enum(INBOX_VIEWS),
    tag: tag.check(z.refine((text) => text === "" || TAG.test(text))),
    assigneeId: z.string().check(z.maxLength(64)),
    words: z.string().check(z.trim(), z.maxLength(200)),
  }),
  z.strictObject({ action: z.literal("rename"), id, name }),
  z.strictObject({ action: z.literal("delete"), id }),
]);
export type FilterChange = z.infer<typeof filterChangeSchema>;
export type FilterRefusal = "taken" | "full";

export async function listFilters(db: Db, userId: string): Promise<SavedFilter[]> {
  const rows = await db
    .select({
      id: savedFilters.id,
      name: savedFilters.name,
      view: savedFilters.view,
      tag: savedFilters.tag,
      assigneeId: savedFilters.assigneeId,
      words: savedFilters.words,
    })
    .from(savedFilters)
    .where(eq(savedFilters.userId, userId))
    .orderBy(asc(savedFilters.name))
    .limit(FILTERS_MAX);
  return rows.map((row) => ({ ...row, view: parseView(row.view) }));
}

/** Changes a user's own filters. Another's is left alone, as one that is gone. Returns why nothing was changed, or null. */
export async function changeFilters(db: Db, userId: string, change: FilterChange): Promise<FilterRefusal | null> {
  const isOwn = (of: number) => and(eq(savedFilters.id, of), eq(savedFilters.userId, userId));
  try {
    switch (change.action) {
      case "save": {
        const { name: called, view, tag: tagged, assigneeId, words } = change;
        // One statement, so that two at a time do not pass the limit.
        const added = await db.run(
          sql`insert into saved_filters (user_id, name, view, tag, assignee_id, words, created_at)
            select ${userId}, ${called}, ${view}, ${tagged}, ${assigneeId}, ${words}, cast(${Date.now()} as integer)
            where (select count(*) from saved_filters where user_id = ${userId}) < ${FILTERS_MAX}`,
        );
        return added.meta.changes > 0 ? null : "full";
      }
      case "rename":
        await db.update(savedFilters).set({ name: change.name }).where(isOwn(change.id));
        return null;
      case "delete":
        await db.delete(savedFilters).where(isOwn(change.id));
        return null;
      default:
        return change satisfies never;
    }
  } catch (error) {
    if (violates(error, "saved_filters.name")) return "taken";
    throw error;
  }
}
