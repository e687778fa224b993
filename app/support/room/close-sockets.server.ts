import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";

/**
 * Closes the sockets of a user's signed-in sessions, all of them for null: in the user's own conversation, in the
 * consoles, and in the conversations that the user views as an agent, which the desk knows. Repeatable.
 */
export async function closeSockets(
  { SUPPORT_DESK, SUPPORT_ROOM }: Pick<Env, "SUPPORT_DESK" | "SUPPORT_ROOM">,
  userId: string,
  sessionIds: string[] | null,
): Promise<void> {
  await Promise.all([
    SUPPORT_DESK.getByName(DESK_NAME).closeSessions(userId, sessionIds),
    SUPPORT_ROOM.getByName(userSessionId(userId)).closeSessions(userId, sessionIds),
  ]);
}
