import { cutText } from "#app/cut-text.ts";
import { cleanMessage } from "#app/http/clean-text.ts";
import {
  type DownFrame,
  type History,
  PAGE_MAX_CHARS,
  parseDown,
  type Side,
  type SupportMessage,
  type UpFrame,
} from "#app/support/protocol/frames.ts";
import { OPENING_MESSAGES } from "#app/support/protocol/history-query.ts";
import { roomPath } from "#app/support/protocol/room-paths.ts";
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
import { openLiveSocket, type SocketEnd } from "./live-socket.ts";
import { openQueue } from "./message-queue.ts";
import type { Pending } from "./pending-messages.ts";
import { postMessage, postRead, readHistory } from "./room-http.ts";

/** After this many failed sockets in a row, the client polls over HTTP until one opens. */
const FAILURES_BEFORE_POLLING = 2;
const POLL_MS = 5000;
const TYPING_EVERY_MS = 3000;
const TYPING_SHOWN_MS = 5000;

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

export type RoomClient = ReturnType<typeof openRoom>;

/**
 * Opens a browser's connection to a room, without React. The room's frames go into the state, and this side's messages
 * go through the queue. `onOtherFrame` gets the text of frames that are not for both sides.
 */
export function openRoom(sessionId: string, me: { side: Side; name: string }, onOtherFrame?: (text: string) => void) {
  const listeners = new Set<() => void>();
  let typingTimer: ReturnType<typeof setTimeout> | undefined;
  let pollTimer: ReturnType<typeof setTimeout> | undefined;
  let typingSentAt = 0;
  let page: UpFrame | null = null;
  let state = CONNECTING;
  const transport = { send: sendFrame, isStuck: () => socket.isAwaiting(), reconnect: () => socket.reconnect(), post };
  const queue = openQueue(sessionId, transport, (pending) => set({ pending }));
  const socket = openLiveSocket({
    path: () => `${roomPath(sessionId)}/socket?${news()}`,
    onText(text) {
      const frame = parseDown(text);
      if (frame) receive(frame);
      else onOtherFrame?.(text);
    },
    onDown(failures) {
      if (state.connection === "live") {
        set({ connection: "connecting", typing: null });
        queue.onDisconnect();
      }
      if (failures >= FAILURES_BEFORE_POLLING && pollTimer === undefined) poll();
    },
    onEnd: leave,
  });
  queue.restore();

  function receive(frame: DownFrame): void {
    switch (frame.type) {
      case "ready":
        stopPolling();
        addHistory(frame);
        set({ connection: "live" });
        if (page) sendFrame(page);
        if (isMarkMissing(frame)) sendMark();
        queue.resume();
        break;
      case "ack": {
        socket.onReply(frame.clientId);
        const text = queue.find(frame.clientId);
        if (text) add(acknowledged(text, frame, { side: me.side, name: ownName() }));
        break;
      }
      case "message":
        if (frame.message.sender_type !== me.side) set({ typing: null });
        add(frame.message);
        break;
      case "read":
        set(withRead(state, frame.side, frame.seq));
        break;
      case "typing":
        if (frame.side !== me.side) showTyping(frame.name);
        break;
      case "presence":
        set({ presence: { user: frame.user, agents: frame.agents } });
        break;
      case "session":
        set({ session: frame.session, refusal: frame.session.blocked ? state.refusal : null });
        break;
      case "error":
        if (frame.code === "blocked") set({ refusal: frame.message });
        refuse(frame.clientId ?? (frame.code === "bad_frame" ? queue.inFlight() : null), frame.code);
        break;
      default:
        frame satisfies never;
    }
  }

  function refuse(clientId: string | null, code: "bad_frame" | "rate_limited" | "blocked"): void {
    if (clientId === null) return;
    socket.onReply(clientId);
    if (code === "rate_limited") queue.hold(clientId);
    else queue.fail(clientId, "refused", code);
  }

  function addHistory(history: History): void {
    const { conversation, restart } = reconcile(state, history);
    set(restart ? { ...conversation, messages: [] } : conversation);
    for (const message of history.messages) settle(message);
    if (restart) socket.reconnect();
  }

  function add(message: SupportMessage): void {
    const { conversation, gap } = addMessage(state, message);
    if (!gap) {
      set(conversation);
      settle(message);
    } else if (state.connection === "live") socket.reconnect();
    // While polling, the next poll brings what is missing.
  }

  function settle({ sender_type, client_id }: SupportMessage): void {
    if (sender_type === me.side) queue.settle(client_id);
  }

  async function post(text: Pending) {
    if (state.connection !== "polling") return null;
    const result = await postMessage(sessionId, text);
    if (result.value) receive({ type: "ack", ...result.value });
    // Stored, but an earlier message has not arrived here.
    if (result.value && queue.find(text.clientId) && state.connection === "polling") await poll();
    return result;
  }

  /** A read mark from before this connection, or lost with the last one. */
  function isMarkMissing({ readSeq }: History): boolean {
    return readSeq[me.side] < state.readSeq[me.side];
  }

  function sendMark(): void {
    const seq = state.readSeq[me.side];
    if (!sendFrame({ type: "read", seq }) && state.connection === "polling") postRead(sessionId, seq);
  }

  async function poll(): Promise<void> {
    clearTimeout(pollTimer);
    pollTimer = setTimeout(poll, POLL_MS);
    const { status, value: history } = await readHistory(sessionId, news());
    if (pollTimer === undefined) return;
    if (status === 404) leave({ reason: "gone", movedTo: null });
    if (!history) return;
    addHistory(history);
    set({ connection: "polling" });
    if (isMarkMissing(history)) sendMark();
    queue.resume();
  }

  /** Asks for what comes after the known messages, or for the newest ones. */
  function news(): string {
    return `since=${lastSeq(state)}&last=${OPENING_MESSAGES}`;
  }

  function stopPolling(): void {
    clearTimeout(pollTimer);
    pollTimer = undefined;
  }

  function showTyping(name: string): void {
    clearTimeout(typingTimer);
    typingTimer = setTimeout(() => set({ typing: null }), TYPING_SHOWN_MS);
    set({ typing: name });
  }

  function leave(end: SocketEnd): void {
    close();
    set({ connection: end.reason, movedTo: end.reason === "gone" ? end.movedTo : null });
  }

  function close(): void {
    socket.close();
    stopPolling();
    clearTimeout(typingTimer);
    queue.close();
  }

  function sendFrame(frame: UpFrame): boolean {
    return (
      state.connection === "live" && socket.send(JSON.stringify(frame), frame.type === "send" ? frame.clientId : null)
    );
  }

  function ownName(): string {
    return me.side === "user" ? (state.session?.user_name ?? me.name) : me.name;
  }

  function set(change: Partial<RoomState>): void {
    const next = { ...state, ...change };
    state = { ...next, unread: unreadCount(next, me.side) };
    for (const listener of listeners) listener();
  }

  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getState: () => state,
    send: (text: string) => queue.send(cleanMessage(text.toWellFormed())),
    sendFile: (file: File) => queue.send(file.name.toWellFormed(), file),
    retry: queue.retry,
    discard: queue.discard,
    addEarlier: (earlier: History) => set(addEarlier(state, earlier)),
    /** Marks every message received so far as read. Without a connection, the room hears of it with the next one. */
    markRead(): void {
      const seq = lastSeq(state);
      if (seq <= state.readSeq[me.side]) return;
      set(withRead(state, me.side, seq));
      sendMark();
    },
    typing(): void {
      if (Date.now() - typingSentAt < TYPING_EVERY_MS) return;
      if (sendFrame({ type: "typing" })) typingSentAt = Date.now();
    },
    /** Reports the page this browser is on, which agents see beside the conversation. */
    visit(path: string, title: string): void {
      page = {
        type: "page",
        path: cutText(path, PAGE_MAX_CHARS),
        title: cutText(title, PAGE_MAX_CHARS).toWellFormed(),
      };
      sendFrame(page);
    },
    close,
  };
}
