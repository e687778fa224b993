import { and, asc, eq, isNotNull } from "drizzle-orm";
import type { Db, SupportDb } from "#app/db/db.server.ts";
import { exportedColumns, exportedRows } from "#app/db/exported-columns.server.ts";
import { isoTime } from "#app/db/iso-time.ts";
import { supportCases } from "#app/db/schema/support-tables.server.ts";
import { savedFilters } from "#app/db/schema.server.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";

type Rooms = Env["SUPPORT_ROOM"];

/** Returns a user's conversation from its room, with its ratings from D1 (seconds behind), or null. Times are ISO 8601. */
export async function exportConversation(supportDb: SupportDb, rooms: Rooms, userId: string) {
  const sessionId = userSessionId(userId);
  const [history, visitor, ratings] = await Promise.all([
    rooms.getByName(sessionId).read(0),
    rooms.getByName(sessionId).visitor(),
    supportDb
      .select(exportedColumns(supportCases))
      .from(supportCases)
      .where(and(eq(supportCases.sessionId, sessionId), isNotNull(supportCases.rating)))
      .orderBy(asc(supportCases.no)),
  ]);
  if (!history) return null;
  const { session, messages } = history;
  return {
    name: session.user_name,
    email: session.user_email,
    status: session.status,
    browserLanguage: visitor?.language ?? null,
    pagesSeen: (visitor?.pages ?? []).map(({ path, title, at }) => ({ path, title, seenAt: isoTime(at) })),
    messages: messages.map(({ sender_type, sender_name, message, created_at }) => ({
      sender: sender_type,
      senderName: sender_name,
      message,
      createdAt: isoTime(created_at),
    })),
    ratings,
  };
}

/** Returns the filters that a member of the team has saved. */
export function exportFilters(db: Db, userId: string) {
  return exportedRows(db, savedFilters, userId).orderBy(asc(savedFilters.name));
}

/** Deletes a conversation in its room and in D1. Safe to repeat. Throws if a database could not be reached. */
export async function deleteSupportConversation(rooms: Rooms, sessionId: string): Promise<void> {
  const isDeleted = await rooms.getByName(sessionId).deleteConversation(sessionId);
  if (!isDeleted) throw new Error("the conversation is not deleted yet");
}
