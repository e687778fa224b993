import type { Ack, History, ReadSeq, Side, SupportMessage, SupportSession } from "#app/support/protocol/frames.ts";
import type { Pending } from "./pending-messages.ts";

/** A conversation as the room has confirmed it. Every function here is pure. */
export type Conversation = {
  epoch: string;
  session: SupportSession | null;
  /** The newest ones, ordered by seq, without gaps. Earlier ones are loaded as they are needed. */
  messages: SupportMessage[];
  readSeq: ReadSeq;
};

export const EMPTY: Conversation = { epoch: "", session: null, messages: [], readSeq: { user: 0, admin: 0 } };

export function lastSeq({ messages }: Pick<Conversation, "messages">): number {
  return messages.at(-1)?.seq ?? 0;
}

/** The first message that is known, which is 1 unless there are earlier ones. */
export function firstSeq({ messages }: Pick<Conversation, "messages">): number {
  return messages[0]?.seq ?? 1;
}

/** Merges the history sent after a connect. `restart`: it is a new conversation, to be read again from the start. */
export function reconcile(
  conversation: Conversation,
  history: History,
): { conversation: Conversation; restart: boolean } {
  const isReplaced = conversation.epoch !== "" && conversation.epoch !== history.epoch;
  const base = isReplaced ? { ...conversation, messages: [], readSeq: EMPTY.readSeq } : conversation;
  const first = history.messages[0];
  // Whoever missed too much gets the newest only, which may not follow what is known.
  const merged =
    first && first.seq > lastSeq(base) + 1
      ? { ...base, messages: history.messages }
      : history.messages.reduce((into, message) => addMessage(into, message).conversation, base);
  return {
    conversation: {
      ...merged,
      epoch: history.epoch,
      session: history.session,
      readSeq: furthest(merged.readSeq, history.readSeq),
    },
    restart: isReplaced && first !== undefined && first.seq !== 1,
  };
}

/** Appends a message, unless it is known. `gap`: an earlier message is missing, so it was not added. */
export function addMessage(
  conversation: Conversation,
  message: SupportMessage,
): { conversation: Conversation; gap: boolean } {
  const last = lastSeq(conversation);
  if (message.seq > last + 1) return { conversation, gap: true };
  if (message.seq <= last) return { conversation, gap: false };
  return { conversation: { ...conversation, messages: [...conversation.messages, message] }, gap: false };
}

/** Puts messages before the known ones, unless others are missing in between. */
export function addEarlier(conversation: Conversation, { epoch, messages }: History): Conversation {
  const isNext = epoch === conversation.epoch && messages.at(-1)?.seq === firstSeq(conversation) - 1;
  return isNext ? { ...conversation, messages: [...messages, ...conversation.messages] } : conversation;
}

/** Returns the message that a pending text became. */
export function acknowledged(text: Pending, ack: Ack, sender: { side: Side; name: string }): SupportMessage {
  return {
    seq: ack.seq,
    client_id: ack.clientId,
    sender_type: sender.side,
    sender_name: sender.name,
    message: text.body,
    created_at: ack.created_at,
  };
}

/** Moves a read mark, forward only. */
export function withRead(conversation: Conversation, side: Side, seq: number): Conversation {
  const mark = { ...conversation.readSeq, [side]: seq };
  return { ...conversation, readSeq: furthest(conversation.readSeq, mark) };
}

/** Counts the other side's messages past this side's read mark. */
export function unreadCount({ messages, readSeq }: Conversation, me: Side): number {
  const other: Side = me === "user" ? "admin" : "user";
  return messages.filter(({ seq, sender_type }) => sender_type === other && seq > readSeq[me]).length;
}

function furthest(one: ReadSeq, other: ReadSeq): ReadSeq {
  return { user: Math.max(one.user, other.user), admin: Math.max(one.admin, other.admin) };
}
