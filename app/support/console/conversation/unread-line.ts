import { useEffect, useState } from "react";
import type { RoomState } from "#app/support/client/room-client.ts";

/** The first of the visitor's messages that nobody of the team has seen; whoever answers has seen what came before. */
export function firstUnread({ messages, readSeq }: Pick<RoomState, "messages" | "readSeq">): number | null {
  const answered = messages.findLast(({ sender_type }) => sender_type === "admin")?.seq ?? 0;
  const seen = Math.max(answered, readSeq.admin);
  return messages.find(({ seq, sender_type }) => sender_type === "user" && seq > seen)?.seq ?? null;
}

/**
 * Above which message the line stands that says where the unread begins. It stays while the conversation is open, though
 * it is marked as read at once; it moves when more came while nobody looked, and goes when this side answers.
 */
export function useUnreadLine(conversation: RoomState): number | null {
  const [line, setLine] = useState<number | null>(null);
  const [opened, setOpened] = useState(false);
  const unread = firstUnread(conversation);
  const isThere = conversation.messages.length > 0;
  const isAnswering = conversation.pending.length > 0;
  useEffect(() => {
    if (!isThere) return;
    if (unread !== null && (!opened || document.visibilityState === "hidden")) setLine(unread);
    setOpened(true);
  }, [isThere, unread, opened]);
  useEffect(() => {
    if (isAnswering) setLine(null);
  }, [isAnswering]);
  return line;
}
