import { useEffect, useState } from "react";
import { firstSeq, lastSeq } from "#app/support/client/conversation.ts";
import type { RoomState } from "#app/support/client/room-state.ts";

/** Most unread messages before the loaded ones that are loaded for the divider's sake. */
const LOADED_FOR_UNREAD_MAX = 500;

type Loaded = Pick<RoomState, "messages" | "readSeq">;

/** Returns the seq of the visitor's first message that no agent has read. Replying counts as reading. */
export function firstUnread({ messages, readSeq }: Loaded): number | null {
  const replied = messages.findLast(({ sender_type }) => sender_type === "admin")?.seq ?? 0;
  const read = Math.max(replied, readSeq.admin);
  return messages.find(({ seq, sender_type }) => sender_type === "user" && seq > read)?.seq ?? null;
}

/** Returns from which message on earlier ones are needed to know the first unread one, or null if it is known. */
export function unreadBeforeLoaded({ messages, readSeq }: Loaded): number | null {
  const first = firstSeq({ messages });
  const isKnown = readSeq.admin >= first - 1 || messages.some(({ sender_type }) => sender_type === "admin");
  return isKnown || first - readSeq.admin > LOADED_FOR_UNREAD_MAX ? null : readSeq.admin + 1;
}

/**
 * Returns the seq of the message above which the "Unread" divider stands, and from which message on earlier ones are
 * `needed` to find it. The divider stays while the conversation is open, although its messages are marked as read at
 * once. It moves when messages arrive in a hidden tab, and goes when the agent replies.
 */
export function useUnreadDivider(state: RoomState): { divider: number | null; needed: number | null } {
  const { messages } = state;
  /** What was unread when the divider was set: the read mark, and the last message. */
  const [from, setFrom] = useState<{ read: number; upTo: number } | null>(null);
  const [opened, setOpened] = useState(false);
  const unread = firstUnread(state);
  const isLoaded = messages.length > 0;
  const isReplying = state.pending.length > 0;
  const read = state.readSeq.admin;
  const upTo = lastSeq(state);
  // biome-ignore lint/correctness/useExhaustiveDependencies: set when something is unread, not when that is marked as read
  useEffect(() => {
    if (!isLoaded) return;
    if (unread !== null && (!opened || document.visibilityState === "hidden")) setFrom({ read, upTo });
    setOpened(true);
  }, [isLoaded, unread, opened]);
  useEffect(() => {
    if (isReplying) setFrom(null);
  }, [isReplying]);
  if (from === null) return { divider: null, needed: null };
  const then = { messages: messages.filter(({ seq }) => seq <= from.upTo), readSeq: { user: 0, admin: from.read } };
  const needed = unreadBeforeLoaded(then);
  return { divider: needed === null ? firstUnread(then) : null, needed };
}
