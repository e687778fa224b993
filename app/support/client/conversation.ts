import type { Ack, History, ReadSeq, Side, SupportMessage, SupportSession } from "#app/support/protocol/frames.ts";

/** A message of this browser that its room has not acknowledged. A file's body is its name. */
export type Pending = {
  clientId: string;
  body: string;
  createdAt: number;
  /** `failed` is sent again at the next connect, `refused` by hand only: the room does not take it. */
  state: "sending" | "failed" | "refused";
  file?: File;
  /** The browser could not keep it: it lasts as long as the page does. */
  unkept?: true;
};

/** What one end knows of a conversation. Every function here is pure. */
export type Conversation = {
  epoch: string;
  session: SupportSession | null;
  /** By seq, without gaps. */
  messages: SupportMessage[];
  pending: Pending[];
  readSeq: ReadSeq;
};

export const EMPTY: Conversation = {
  epoch: "",
  session: null,
  messages: [],
  pending: [],
  readSeq: { user: 0, admin: 0 },
};

export function lastSeq(conversation: Conversation): number {
  return conversation.messages.at(-1)?.seq ?? 0;
}

/** Takes in what the room says after a connect. `restart`: it is another conversation, so ask from the start. */
export function reconcile(
  conversation: Conversation,
  history: History,
  me: Side,
): { conversation: Conversation; restart: boolean } {
  const anew = conversation.epoch !== "" && conversation.epoch !== history.epoch;
  const base = anew ? { ...conversation, messages: [], readSeq: EMPTY.readSeq } : conversation;
  const merged = history.messages.reduce((into, message) => addMessage(into, message, me).conversation, base);
  const first = history.messages[0];
  return {
    conversation: {
      ...merged,
      epoch: history.epoch,
      session: history.session,
      readSeq: furthest(merged.readSeq, history.readSeq),
    },
    restart: anew && first !== undefined && first.seq !== 1,
  };
}

/** `gap`: a message before this one is missing, so it was not taken. */
export function addMessage(
  conversation: Conversation,
  message: SupportMessage,
  me: Side,
): { conversation: Conversation; gap: boolean } {
  const last = lastSeq(conversation);
  if (message.seq > last + 1) return { conversation, gap: true };
  const pending =
    message.sender_type === me
      ? conversation.pending.filter(({ clientId }) => clientId !== message.client_id)
      : conversation.pending;
  const messages = message.seq <= last ? conversation.messages : [...conversation.messages, message];
  return { conversation: { ...conversation, messages, pending }, gap: false };
}

/** Turns the pending message into a sent one. */
export function acknowledge(
  conversation: Conversation,
  ack: Ack,
  sender: { side: Side; name: string },
): { conversation: Conversation; gap: boolean } {
  const acked = conversation.pending.find(({ clientId }) => clientId === ack.clientId);
  if (!acked) return { conversation, gap: false };
  const message: SupportMessage = {
    seq: ack.seq,
    client_id: ack.clientId,
    sender_type: sender.side,
    sender_name: sender.name,
    message: acked.body,
    created_at: ack.created_at,
  };
  return addMessage(conversation, message, sender.side);
}

export function withPending(conversation: Conversation, added: Pending): Conversation {
  const others = conversation.pending.filter(({ clientId }) => clientId !== added.clientId);
  return { ...conversation, pending: [...others, added].sort((one, other) => one.createdAt - other.createdAt) };
}

export function withChange(conversation: Conversation, clientId: string, change: Partial<Pending>): Conversation {
  return {
    ...conversation,
    pending: conversation.pending.map((one) => (one.clientId === clientId ? { ...one, ...change } : one)),
  };
}

export function withoutPending(conversation: Conversation, clientId: string): Conversation {
  return { ...conversation, pending: conversation.pending.filter((one) => one.clientId !== clientId) };
}

export function isKnown({ messages }: Conversation, side: Side, clientId: string): boolean {
  return messages.some((message) => message.sender_type === side && message.client_id === clientId);
}

/** A mark only moves forward. */
export function withRead(conversation: Conversation, side: Side, seq: number): Conversation {
  const mark = { ...conversation.readSeq, [side]: seq };
  return { ...conversation, readSeq: furthest(conversation.readSeq, mark) };
}

/** Messages of the other side that this one has not read. */
export function unreadCount(conversation: Conversation, me: Side): number {
  const other: Side = me === "user" ? "admin" : "user";
  const read = conversation.readSeq[me];
  return conversation.messages.filter(({ seq, sender_type }) => sender_type === other && seq > read).length;
}

function furthest(one: ReadSeq, other: ReadSeq): ReadSeq {
  return { user: Math.max(one.user, other.user), admin: Math.max(one.admin, other.admin) };
}
