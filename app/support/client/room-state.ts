import type { DownFrame, History, Side, SupportMessage, UpFrame } from "#app/support/protocol/frames.ts";
import {
  acknowledged,
  addEarlier,
  addMessage,
  type Conversation,
  EMPTY,
  lastSeq,
  reconcile,
  unreadCount,
  withRead,
} from "./conversation.ts";
import type { SocketEnd } from "./live-socket.ts";
import { EMPTY_QUEUE, type Queue, type QueueEffect, type QueueEvent, reduceQueue } from "./message-queue.ts";
import { findPending, type Pending } from "./pending-messages.ts";
import type { HttpResult } from "./room-http.ts";

/** After this many failed sockets in a row, the client polls over HTTP until one opens. */
const FAILURES_BEFORE_POLLING = 2;
const TYPING_EVERY_MS = 3000;

/** A room as its browser shows it. */
export type RoomState = Conversation & {
  /** Ordered by time. */
  pending: Pending[];
  /** `gone`: this browser has no access to the conversation, or it was deleted. `signedOut`: its session has ended. */
  connection: "connecting" | "live" | "polling" | "gone" | "signedOut";
  /** The session that took over the conversation, if it is gone for that reason. */
  movedTo: string | null;
  presence: { user: boolean; agents: number };
  /** Name of the person typing on the other side. */
  typing: string | null;
  unread: number;
  /** The room's reason for refusing messages from this side. */
  refusal: string | null;
};

/** The state before the first connection. */
export const CONNECTING: RoomState = {
  ...EMPTY,
  pending: [],
  connection: "connecting",
  movedTo: null,
  presence: { user: false, agents: 0 },
  typing: null,
  unread: 0,
  refusal: null,
};

/** A browser's side of a room. */
export type Room = {
  readonly me: { side: Side; name: string };
  readonly state: RoomState;
  readonly queue: Queue;
  readonly isPolling: boolean;
  /** The page this browser is on, which each new socket reports. */
  readonly page: UpFrame | null;
  readonly typedAt: number;
};

export function newRoom(me: Room["me"]): Room {
  return { me, state: CONNECTING, queue: EMPTY_QUEUE, isPolling: false, page: null, typedAt: 0 };
}

export type RoomEffect =
  | QueueEffect
  | { type: "sendFrame"; frame: UpFrame }
  /** Tells the socket that a text has its reply. */
  | { type: "noteReply"; clientId: string }
  | { type: "reconnect" }
  /** Calls `hideTyping` a while later. */
  | { type: "hideTypingLater" }
  /** Polls over HTTP, then calls `finishPoll`, and `duePoll` a while later. */
  | { type: "poll" }
  | { type: "postRead"; seq: number }
  | { type: "close" };

/** A copy of the room, which the functions below change, with what the client has to do. */
type Draft = { -readonly [Key in keyof Room]: Room[Key] } & { effects: RoomEffect[] };
type FrameHandlers = {
  [Type in DownFrame["type"]]: (draft: Draft, frame: Extract<DownFrame, { type: Type }>) => void;
};

export type RoomStep = { room: Room; effects: RoomEffect[] };

/** Makes a function that returns the room after a change, and the effects that the client must run in this order. */
function step<Told extends unknown[]>(change: (draft: Draft, ...told: Told) => void) {
  return (before: Room, ...told: Told): RoomStep => {
    const draft: Draft = { ...before, effects: [] };
    change(draft, ...told);
    const { effects, ...room } = draft;
    return { room, effects };
  };
}

export const receive = step((draft, frame: DownFrame) => FRAME_HANDLERS[frame.type](draft, frame as never));

/** The socket is lost. `failures`: attempts since one last opened. */
export const loseSocket = step((draft, failures: number) => {
  if (draft.state.connection === "live") {
    set(draft, { connection: "connecting", typing: null });
    tellQueue(draft, { type: "disconnected" });
  }
  if (failures < FAILURES_BEFORE_POLLING || draft.isPolling) return;
  draft.isPolling = true;
  draft.effects.push({ type: "poll" });
});

export const duePoll = step((draft) => {
  if (draft.isPolling) draft.effects.push({ type: "poll" });
});

export const finishPoll = step((draft, { status, value: history }: HttpResult<History>) => {
  // A socket has opened, or the room was closed.
  if (!draft.isPolling) return;
  if (status === 404) end(draft, { reason: "gone", movedTo: null });
  else if (history) connect(draft, history, "polling");
});

export const leave = step(end);

export const close = step(stop);

export const showEarlier = step((draft, earlier: History) => set(draft, addEarlier(draft.state, earlier)));

/** Marks every message received so far as read. */
export const markRead = step((draft) => {
  const { me, state } = draft;
  const seq = lastSeq(state);
  if (seq <= state.readSeq[me.side]) return;
  set(draft, withRead(state, me.side, seq));
  sendMark(draft);
});

/** `now`: in ms since 1970. */
export const reportTyping = step((draft, now: number) => {
  if (draft.state.connection !== "live" || now - draft.typedAt < TYPING_EVERY_MS) return;
  draft.typedAt = now;
  sendFrame(draft, { type: "typing" });
});

export const hideTyping = step((draft) => set(draft, { typing: null }));

export const visit = step((draft, page: UpFrame) => {
  draft.page = page;
  sendFrame(draft, page);
});

export const changeQueue = step(tellQueue);

const FRAME_HANDLERS: FrameHandlers = {
  ready(draft, frame) {
    draft.isPolling = false;
    connect(draft, frame, "live");
  },
  ack(draft, frame) {
    const { me, state } = draft;
    draft.effects.push({ type: "noteReply", clientId: frame.clientId });
    const text = findPending(state.pending, frame.clientId);
    const name = me.side === "user" ? (state.session?.user_name ?? me.name) : me.name;
    if (text) add(draft, acknowledged(text, frame, { side: me.side, name }));
  },
  message(draft, { message }) {
    if (message.sender_type !== draft.me.side) set(draft, { typing: null });
    add(draft, message);
  },
  read(draft, { side, seq }) {
    set(draft, withRead(draft.state, side, seq));
  },
  typing(draft, { side, name }) {
    if (side === draft.me.side) return;
    set(draft, { typing: name });
    draft.effects.push({ type: "hideTypingLater" });
  },
  presence(draft, { user, agents }) {
    set(draft, { presence: { user, agents } });
  },
  session(draft, { session }) {
    set(draft, { session, refusal: session.blocked ? draft.state.refusal : null });
  },
  error(draft, { code, message, clientId }) {
    if (code === "blocked") set(draft, { refusal: message });
    // The room can't name a frame that it can't read.
    const refused = clientId ?? (code === "bad_frame" ? draft.queue.inFlight : null);
    if (refused === null) return;
    draft.effects.push({ type: "noteReply", clientId: refused });
    if (code === "rate_limited") tellQueue(draft, { type: "held", clientId: refused });
    else tellQueue(draft, { type: "refused", clientId: refused, reason: code });
  },
};

/** Goes on from the history that a new connection or a poll has brought. */
function connect(draft: Draft, history: History, connection: "live" | "polling"): void {
  const { side } = draft.me;
  const { conversation, restart } = reconcile(draft.state, history);
  set(draft, { ...conversation, ...(restart && { messages: [] }), connection });
  if (restart) draft.effects.push({ type: "reconnect" });
  if (draft.page) sendFrame(draft, draft.page);
  // One from before this connection, or lost with the last one.
  if (history.readSeq[side] < draft.state.readSeq[side]) sendMark(draft);
  const own = history.messages.filter(({ sender_type }) => sender_type === side);
  tellQueue(draft, { type: "connected", connection, settled: own.map(({ client_id }) => client_id) });
}

function end(draft: Draft, { reason, ...more }: SocketEnd): void {
  stop(draft);
  set(draft, { connection: reason, movedTo: null, ...more });
}

function stop(draft: Draft): void {
  draft.isPolling = false;
  tellQueue(draft, { type: "closed" });
  draft.effects.push({ type: "close" });
}

function add(draft: Draft, message: SupportMessage): void {
  const { me, state, effects } = draft;
  const { conversation, gap } = addMessage(state, message);
  if (!gap) {
    set(draft, conversation);
    if (message.sender_type === me.side) tellQueue(draft, { type: "settled", clientId: message.client_id });
  } else if (state.connection === "live") effects.push({ type: "reconnect" });
  // While polling, the next poll brings what is missing.
}

/** Without a connection, the room hears of the mark with the next one. */
function sendMark(draft: Draft): void {
  const { me, state, effects } = draft;
  const seq = state.readSeq[me.side];
  if (state.connection === "polling") effects.push({ type: "postRead", seq });
  else sendFrame(draft, { type: "read", seq });
}

function sendFrame({ state, effects }: Draft, frame: UpFrame): void {
  if (state.connection === "live") effects.push({ type: "sendFrame", frame });
}

function tellQueue(draft: Draft, event: QueueEvent): void {
  const { queue, effects } = reduceQueue(draft.queue, event);
  draft.queue = queue;
  if (queue.pending !== draft.state.pending) draft.state = { ...draft.state, pending: queue.pending };
  draft.effects.push(...effects);
}

function set(draft: Draft, change: Partial<RoomState>): void {
  const state = { ...draft.state, ...change };
  draft.state = { ...state, unread: unreadCount(state, draft.me.side) };
}
