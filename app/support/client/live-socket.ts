import { CLOSE } from "#app/support/protocol/close-codes.ts";
import { PING, PONG } from "#app/support/protocol/frames.ts";
import { reconnectDelay } from "./reconnect-delay.ts";

const HEARTBEAT_MS = 25_000;
/** No reply within this time means the connection is dead in one direction, whatever else arrives. */
const REPLY_WITHIN_MS = 10_000;
const CONNECT_WITHIN_MS = 10_000;

type Options = {
  /** Returns a path on this origin. Called for each attempt. */
  path(): string;
  onText(text: string): void;
  onOpen?(): void;
  /** Called after each disconnect. `failures`: attempts since a socket last opened. */
  onDown(failures: number): void;
  /** Called when the server forbids reconnecting. */
  onEnd?(end: SocketEnd): void;
};

/**
 * `signedOut`: the signed-in session has ended. `gone`: the conversation is deleted, or another session, `movedTo`, has
 * taken it over.
 */
export type SocketEnd = { reason: "signedOut" } | { reason: "gone"; movedTo: string | null };

export type LiveSocket = {
  /** Returns false if no socket is open. `awaits`: names the reply, which the caller reports with `onReply`. */
  send(text: string, awaits: string | null): boolean;
  onReply(awaited: string): void;
  /** Returns whether the open socket owes a reply. */
  isAwaiting(): boolean;
  /** Drops the socket and connects again at once. */
  reconnect(): void;
  close(): void;
};

/** Opens a WebSocket that reconnects by itself. It knows nothing of the frames. */
export function openLiveSocket(options: Options): LiveSocket {
  let socket: WebSocket | null = null;
  let failures = 0;
  let closed = false;
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  let connectTimer: ReturnType<typeof setTimeout> | undefined;
  /** The end of waiting for each reply. */
  const awaited = new Map<string, ReturnType<typeof setTimeout>>();
  const heartbeat = setInterval(ping, HEARTBEAT_MS);
  const listening = new AbortController();
  window.addEventListener("online", wake, listening);
  window.addEventListener("offline", ping, listening);
  document.addEventListener("visibilitychange", wake, listening);
  connect();

  function connect(): void {
    clearTimeout(reconnectTimer);
    if (closed) return;
    const url = new URL(options.path(), location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const opening = new WebSocket(url);
    socket = opening;
    connectTimer = setTimeout(disconnect, CONNECT_WITHIN_MS);
    opening.addEventListener("open", () => {
      if (socket !== opening) return;
      failures = 0;
      clearTimeout(connectTimer);
      options.onOpen?.();
    });
    opening.addEventListener("message", ({ data }) => {
      if (socket !== opening) return;
      if (data === PONG) onReply(PING);
      else if (typeof data === "string") options.onText(data);
    });
    opening.addEventListener("close", ({ code, reason }) => {
      if (socket !== opening) return;
      const end = endOf(code, reason);
      if (end) options.onEnd?.(end);
      else disconnect();
    });
  }

  function disconnect(): void {
    abandon();
    if (closed) return;
    reconnectTimer = setTimeout(connect, reconnectDelay(failures, Math.random()));
    failures += 1;
    options.onDown(failures);
  }

  /** Drops the socket without waiting for its close event, which takes minutes on a dead connection. */
  function abandon(): void {
    const old = socket;
    socket = null;
    clearTimeout(connectTimer);
    for (const timer of awaited.values()) clearTimeout(timer);
    awaited.clear();
    old?.close();
  }

  function ping(): void {
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.send(PING);
    expectReply(PING);
  }

  function expectReply(name: string): void {
    if (!awaited.has(name)) awaited.set(name, setTimeout(disconnect, REPLY_WITHIN_MS));
  }

  function onReply(name: string): void {
    clearTimeout(awaited.get(name));
    awaited.delete(name);
  }

  function wake(): void {
    if (document.visibilityState === "hidden") return;
    if (socket === null) connect();
    else ping();
  }

  return {
    send(text, awaits) {
      if (socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(text);
      if (awaits !== null) expectReply(awaits);
      return true;
    },
    onReply,
    isAwaiting: () => awaited.size > 0,
    reconnect() {
      abandon();
      connect();
    },
    close() {
      closed = true;
      abandon();
      clearTimeout(reconnectTimer);
      clearInterval(heartbeat);
      listening.abort();
    },
  };
}

function endOf(code: number, reason: string): SocketEnd | null {
  switch (code) {
    case CLOSE.signedOut:
      return { reason: "signedOut" };
    case CLOSE.gone:
      return { reason: "gone", movedTo: null };
    case CLOSE.moved:
      return { reason: "gone", movedTo: reason };
    default:
      return null;
  }
}
