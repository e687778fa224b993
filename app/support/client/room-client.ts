import {
  type DownFrame,
  type History,
  PAGE_MAX_CHARS,
  parseDown,
  type Side,
  type UpFrame,
} from "#app/support/protocol/frames.ts";
import { roomPath } from "#app/support/protocol/room-paths.ts";
import {
  acknowledge,
  addMessage,
  type Conversation,
  EMPTY,
  isKnown,
  lastSeq,
  reconcile,
  unreadCount,
  withRead,
} from "./conversation.ts";
import { openLiveSocket } from "./live-socket.ts";
import { openSending } from "./message-queue.ts";
import { postRead, readHistory } from "./room-http.ts";

/** How the browser talks with a room. No React in here. */

/** So many sockets could not be had one after the other: talk over HTTP meanwhile. */
const FAILURES_BEFORE_POLLING = 2;
const POLL_MS = 5000;
const TYPING_EVERY_MS = 3000;
const TYPING_SHOWN_MS = 5000;

export type RoomState = Conversation & {
  /** `gone`: this browser has no such conversation (any more). */
  connection: "connecting" | "live" | "polling" | "gone";
  /** The session that it has gone over to, when it is gone for that reason. */
  movedTo: string | null;
  presence: { user: boolean; agents: number };
  /** Who is typing on the other side. */
  typing: string | null;
  unread: number;
  /** Why the room takes nothing of this side any more. */
  refusal: string | null;
};

export type RoomClient = ReturnType<typeof openRoom>;

/** `onOther` gets what is not a frame of both sides. */
export function openRoom(sessionId: string, me: { side: Side; name: string }, onOther?: (text: string) => void) {
  const listeners = new Set<() => void>();
  let typingTimer: ReturnType<typeof setTimeout> | undefined;
  let pollTimer: ReturnType<typeof setTimeout> | undefined;
  let typingSaidAt = 0;
  let page: UpFrame | null = null;
  let state: RoomState = {
    ...EMPTY,
    connection: "connecting",
    movedTo: null,
    presence: { user: false, agents: 0 },
    typing: null,
    unread: 0,
    refusal: null,
  };
  const sending = openSending(sessionId, {
    side: me.side,
    getState: () => state,
    set,
    up,
    onAck: (ack) => receive({ type: "ack", ...ack }),
    catchUp: poll,
  });
  const socket = openLiveSocket({
    path: () => `${roomPath(sessionId)}/socket?since=${lastSeq(state)}`,
    onText(text) {
      const frame = parseDown(text);
      if (frame) receive(frame);
      else onOther?.(text);
    },
    onDown(failures) {
      if (state.connection === "live") {
        set({ connection: "connecting", typing: null });
        sending.lineLost();
      }
      if (failures >= FAILURES_BEFORE_POLLING && pollTimer === undefined) poll();
    },
    onGone: leave,
  });
  sending.restore();

  function receive(frame: DownFrame): void {
    switch (frame.type) {
      case "ready":
        stopPolling();
        takeHistory(frame);
        set({ connection: "live" });
        if (page) up(page);
        sending.resume();
        break;
      case "ack":
        take(acknowledge(state, frame, { ...me, name: ownName() }), frame.clientId);
        break;
      case "message":
        if (frame.message.sender_type !== me.side) set({ typing: null });
        take(addMessage(state, frame.message, me.side), frame.message.client_id);
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
        set({ session: frame.session });
        break;
      case "error":
        if (frame.code === "blocked") set({ refusal: frame.message });
        if (frame.clientId !== undefined) {
          sending.fail(frame.clientId, frame.code === "rate_limited" ? "failed" : "refused");
        }
        break;
      default:
        frame satisfies never;
    }
  }

  function takeHistory(history: History): void {
    const { conversation, restart } = reconcile(state, history, me.side);
    set(restart ? { ...conversation, messages: [] } : conversation);
    if (restart) socket.reconnect();
  }

  function take({ conversation, gap }: { conversation: Conversation; gap: boolean }, clientId: string): void {
    set(conversation);
    // Without a socket the next poll brings what is missing.
    if (gap && state.connection === "live") socket.reconnect();
    else if (isKnown(state, me.side, clientId)) sending.settle(clientId);
  }

  async function readOverHttp(seq: number): Promise<void> {
    if (await postRead(sessionId, seq)) set(withRead(state, me.side, seq));
  }

  async function poll(): Promise<void> {
    clearTimeout(pollTimer);
    pollTimer = setTimeout(poll, POLL_MS);
    const { status, value: history } = await readHistory(sessionId, lastSeq(state));
    if (pollTimer === undefined) return;
    if (status === 404) leave(null);
    if (!history) return;
    takeHistory(history);
    set({ connection: "polling" });
    sending.resume();
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

  function leave(movedTo: string | null): void {
    close();
    set({ connection: "gone", movedTo });
  }

  function close(): void {
    socket.close();
    stopPolling();
    clearTimeout(typingTimer);
    sending.end();
  }

  function up(frame: UpFrame): boolean {
    return state.connection === "live" && socket.send(JSON.stringify(frame), frame.type === "send");
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
    send: (text: string) => sending.say(text.toWellFormed()),
    sendFile: (file: File) => sending.say(file.name.toWellFormed(), file),
    retry: sending.retry,
    discard: sending.discard,
    /** Everything that is here has been seen. */
    markRead(): void {
      const seq = lastSeq(state);
      if (seq <= state.readSeq[me.side]) return;
      if (up({ type: "read", seq })) set(withRead(state, me.side, seq));
      else if (state.connection === "polling") readOverHttp(seq);
    },
    typing(): void {
      if (Date.now() - typingSaidAt < TYPING_EVERY_MS) return;
      if (up({ type: "typing" })) typingSaidAt = Date.now();
    },
    /** The page that this browser is on; the team sees it beside the conversation. */
    visit(path: string, title: string): void {
      page = {
        type: "page",
        path: path.slice(0, PAGE_MAX_CHARS),
        title: title.slice(0, PAGE_MAX_CHARS).toWellFormed(),
      };
      up(page);
    },
    close,
  };
}
