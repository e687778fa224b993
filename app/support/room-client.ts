import {
  acknowledge,
  addMessage,
  type Conversation,
  EMPTY,
  lastSeq,
  type Pending,
  reconcile,
  unreadCount,
  withPending,
  withRead,
  withState,
} from "./conversation.ts";
import { randomHex } from "./identity.ts";
import { openLiveSocket } from "./live-socket.ts";
import { openOutbox } from "./outbox.ts";
import { type DownFrame, type History, PAGE_MAX_CHARS, parseDown, type Side, type UpFrame } from "./protocol.ts";
import { pathOf, postFile, postMessage, postRead, readHistory } from "./room-http.ts";

/** How the browser talks with a room. No React in here. */

/** Not acknowledged for so long: shown as failed, though it is still sent again at the next connect. */
const ACK_WITHIN_MS = 15_000;
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
  const outbox = openOutbox(localStorage, sessionId);
  const listeners = new Set<() => void>();
  const ackTimers = new Map<string, ReturnType<typeof setTimeout>>();
  let uploads = Promise.resolve();
  /** Refused by the room: sent again only by hand. */
  const refused = new Set<string>();
  let typingTimer: ReturnType<typeof setTimeout> | undefined;
  let pollTimer: ReturnType<typeof setTimeout> | undefined;
  let posting = false;
  let typingSaidAt = 0;
  let page: UpFrame | null = null;
  let state: RoomState = {
    ...EMPTY,
    pending: outbox.read(),
    connection: "connecting",
    movedTo: null,
    presence: { user: false, agents: 0 },
    typing: null,
    unread: 0,
    refusal: null,
  };
  const socket = openLiveSocket({
    path: () => `${pathOf(sessionId)}/socket?since=${lastSeq(state)}`,
    onText(text) {
      const frame = parseDown(text);
      if (frame) receive(frame);
      else onOther?.(text);
    },
    onDown(failures) {
      if (state.connection === "live") set({ connection: "connecting", typing: null });
      if (failures >= FAILURES_BEFORE_POLLING && pollTimer === undefined) poll();
    },
    onGone: leave,
  });

  function receive(frame: DownFrame): void {
    switch (frame.type) {
      case "ready":
        stopPolling();
        takeHistory(frame);
        set({ connection: "live" });
        if (page) up(page);
        sendPending();
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
        if (frame.clientId !== undefined) fail(frame.clientId, true);
        break;
      default:
        frame satisfies never;
    }
  }

  function takeHistory(history: History): void {
    const { conversation, restart } = reconcile(state, history, me.side);
    set(restart ? { ...conversation, messages: [] } : conversation);
    if (restart) socket.reconnect();
    // Another tab may have left something unsent, or sent what this one still holds.
    for (const message of outbox.read()) {
      if (isKnown(message.clientId)) settle(message.clientId);
      else if (!state.pending.some(({ clientId }) => clientId === message.clientId)) set(withPending(state, message));
    }
  }

  function take({ conversation, gap }: { conversation: Conversation; gap: boolean }, clientId: string): void {
    set(conversation);
    if (gap) socket.reconnect();
    else if (isKnown(clientId)) settle(clientId);
  }

  function settle(clientId: string): void {
    outbox.remove(clientId);
    clearTimeout(ackTimers.get(clientId));
    ackTimers.delete(clientId);
  }

  function isKnown(clientId: string): boolean {
    return state.messages.some((message) => message.sender_type === me.side && message.client_id === clientId);
  }

  function sendPending(): void {
    for (const message of state.pending) if (!refused.has(message.clientId)) transmit(message);
  }

  function transmit(message: Pending): void {
    const { clientId, body, file } = message;
    set(withState(state, clientId, "sending"));
    if (file) {
      // One after the other, as they were chosen.
      uploads = uploads.then(() => upload(clientId, file));
      return;
    }
    clearTimeout(ackTimers.get(clientId));
    ackTimers.set(
      clientId,
      setTimeout(() => fail(clientId, false), ACK_WITHIN_MS),
    );
    if (!up({ type: "send", clientId, body }) && state.connection === "polling") postPending();
  }

  /** One after the other, and none past one that did not get through: they must arrive as they were written. */
  async function postPending(): Promise<void> {
    if (posting) return;
    posting = true;
    for (let next = firstUnsent(); next && state.connection === "polling"; next = firstUnsent()) {
      if (!(await post(next))) break;
    }
    posting = false;
  }

  function firstUnsent(): Pending | undefined {
    return state.pending.find(({ clientId, file }) => !file && !refused.has(clientId));
  }

  function fail(clientId: string, byRoom: boolean): void {
    if (byRoom) refused.add(clientId);
    clearTimeout(ackTimers.get(clientId));
    set(withState(state, clientId, "failed"));
  }

  /** False when nobody answered. */
  async function post(message: Pending): Promise<boolean> {
    const { status, value: ack } = await postMessage(sessionId, message);
    const answered = status !== 0 && status < 500;
    if (ack) receive({ type: "ack", ...ack });
    else fail(message.clientId, answered);
    return answered;
  }

  /** The message itself comes as a frame, or with the next poll. */
  async function upload(clientId: string, file: File): Promise<void> {
    // Sent meanwhile, by another connect.
    if (!state.pending.some((one) => one.clientId === clientId)) return;
    const { status, value: ack } = await postFile(sessionId, clientId, file);
    if (!ack) fail(clientId, status !== 0 && status < 500);
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
    postPending();
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
    for (const timer of ackTimers.values()) clearTimeout(timer);
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
    send(text: string): void {
      const message: Pending = {
        clientId: randomHex(),
        body: text.toWellFormed(),
        createdAt: Date.now(),
        state: "sending",
      };
      outbox.add(message);
      set(withPending(state, message));
      transmit(message);
    },
    /** Not kept over a reload: storage takes no files. */
    sendFile(file: File): void {
      const sent = { clientId: randomHex(), body: file.name, createdAt: Date.now() };
      const message: Pending = { ...sent, state: "sending", file };
      set(withPending(state, message));
      transmit(message);
    },
    retry(clientId: string): void {
      refused.delete(clientId);
      const message = state.pending.find((one) => one.clientId === clientId);
      if (message) transmit(message);
    },
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
