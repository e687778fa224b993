import { userSessionId } from "./identity.ts";

type Rooms = Env["SUPPORT_ROOM"];

/** The person's own conversation as its room keeps it, or null. Times in ms. */
export async function exportConversation(rooms: Rooms, userId: string) {
  const history = await rooms.getByName(userSessionId(userId)).read(0);
  if (!history) return null;
  const { session, messages } = history;
  return {
    name: session.user_name,
    email: session.user_email,
    status: session.status,
    messages: messages.map(({ sender_type, sender_name, message, created_at }) => ({
      sender: sender_type,
      senderName: sender_name,
      message,
      createdAt: created_at,
    })),
  };
}

/** Forgets a conversation in its room and in D1. May be repeated. */
export async function eraseConversation(rooms: Rooms, sessionId: string): Promise<void> {
  await rooms.getByName(sessionId).erase(sessionId);
}
