import { CLOSE } from "#app/support/protocol/close-codes.ts";
import { PING, PONG } from "#app/support/protocol/frames.ts";
import { reconnectDelay } from "./reconnect-delay.ts";

const HEARTBEAT_MS = 25_000;
/** Nothing heard for so long after what has to be answered: the line is dead in one direction. */
const ANSWER_WITHIN_MS = 8000;
const CONNECT_WITHIN_MS = 10_000;

type Options = {
  /** Asked anew for each try. A path on this origin. */
  path(): string;
  onText(text: string): void;
  onOpen?(): void;
  /** After each loss. `failures`: tries since a socket last opened. */
  onDown(failures: number): void;
  /** The server said not to come back, and perhaps which session to go to. */
  onGone?(movedTo: string | null): void;
};

export type LiveSocket = {
  /** False when there is no open socket. `answered`: the other end always says something to this. */
  send(text: string, answered: boolean): boolean;
  /** Drops the socket and connects again at once. */
  reconnect(): void;
  close(): void;
};

/** A WebSocket that comes back by itself. Knows nothing of what is said on it. */
export function openLiveSocket(options: Options): LiveSocket {
  let socket: WebSocket | null = null;
  let failures = 0;
  let closed = false;
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  let deadTimer: ReturnType<typeof setTimeout> | undefined;
  const heartbeat = setInterval(ping, HEARTBEAT_MS);
  window.addEventListener("online", wake);
  window.addEventListener("offline", ping);
  document.addEventListener("visibilitychange", wake);
  connect();

  function connect(): void {
    clearTimeout(reconnectTimer);
    if (closed) return;
    const url = new URL(options.path(), location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const opening = new WebSocket(url);
    socket = opening;
    expectWithin(CONNECT_WITHIN_MS);
    opening.addEventListener("open", () => {
      if (socket !== opening) return;
      failures = 0;
      heard();
      options.onOpen?.();
    });
    opening.addEventListener("message", ({ data }) => {
      if (socket !== opening) return;
      heard();
      if (typeof data === "string" && data !== PONG) options.onText(data);
    });
    opening.addEventListener("close", ({ code, reason }) => {
      if (socket !== opening) return;
      if (code === CLOSE.gone || code === CLOSE.moved) options.onGone?.(code === CLOSE.moved ? reason : null);
      else lose();
    });
  }

  function lose(): void {
    abandon();
    if (closed) return;
    reconnectTimer = setTimeout(connect, reconnectDelay(failures, Math.random()));
    failures += 1;
    options.onDown(failures);
  }

  /** A dead line's close event may take minutes, so the socket is let go before it. */
  function abandon(): void {
    const old = socket;
    socket = null;
    heard();
    old?.close();
  }

  function ping(): void {
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.send(PING);
    expectAnswer();
  }

  function expectAnswer(): void {
    if (deadTimer === undefined) expectWithin(ANSWER_WITHIN_MS);
  }

  function heard(): void {
    clearTimeout(deadTimer);
    deadTimer = undefined;
  }

  function expectWithin(ms: number): void {
    heard();
    deadTimer = setTimeout(lose, ms);
  }

  function wake(): void {
    if (document.visibilityState === "hidden") return;
    if (socket === null) connect();
    else ping();
  }

  return {
    send(text, answered) {
      if (socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(text);
      if (answered) expectAnswer();
      return true;
    },
    reconnect() {
      abandon();
      connect();
    },
    close() {
      closed = true;
      abandon();
      clearTimeout(reconnectTimer);
      clearInterval(heartbeat);
      window.removeEventListener("online", wake);
      window.removeEventListener("offline", ping);
      document.removeEventListener("visibilitychange", wake);
    },
  };
}
