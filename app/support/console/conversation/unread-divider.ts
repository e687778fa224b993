import { useEffect, useState } from "react";
import type { RoomState } from "#app/support/client/room-client.ts";

/** Returns the seq of the visitor's first message that no agent has read. Replying counts as reading. */
export function firstUnread({ messages, readSeq }: Pick<RoomState, "messages" | "readSeq">): number | null {
  const replied = messages.findLast(({ sender_type }) => sender_type === "admin")?.seq ?? 0;
  const read = Math.max(replied, readSeq.admin);
  return messages.find(({ seq, sender_type }) => sender_type === "user" && seq > read)?.seq ?? null;
}

/**
 * Returns the seq of the message above which the "Unread" divider stands. The divider stays while the conversation is
 * open, although its messages are marked as read at once. It moves when messages arrive in a hidden tab, and goes when
 * the agent replies.
 */
export function useUnreadDivider(state: RoomState): number | null {
  const [divider, setDivider] = useState<number | null>(null);
  const [opened, setOpened] = useState(false);
  const unread = firstUnread(state);
  const isLoaded = state.messages.length > 0;
  const isReplying = state.pending.length > 0;
  useEffect(() => {
    if (!isLoaded) return;
    if (unread !== null && (!opened || document.visibilityState === "hidden")) setDivider(unread);
    setOpened(true);
  }, [isLoaded, unread, opened]);
  useEffect(() => {
    if (isReplying) setDivider(null);
  }, [isReplying]);
  return divider;
}
