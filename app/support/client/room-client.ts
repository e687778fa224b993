import { cutText } from "#app/cut-text.ts";
import { cleanMessage } from "#app/http/clean-text.ts";
import { type History, PAGE_MAX_CHARS, parseDown } from "#app/support/protocol/frames.ts";
import { OPENING_MESSAGES } from "#app/support/protocol/history-query.ts";
import { randomHex } from "#app/support/protocol/random-hex.ts";
import { roomPath } from "#app/support/protocol/room-paths.ts";
import { lastSeq } from "./conversation.ts";
import { openLiveSocket } from "./live-socket.ts";
import type { QueueEvent } from "./message-queue.ts";
import { findPending, type Pending } from "./pending-messages.ts";
import { postMessage, postRead, readHistory } from "./room-http.ts";
import {
  changeQueue,
  close,
  duePoll,
  finishPoll,
  hideTyping,
  leave,
  loseSocket,
  markRead,
  newRoom,
  type Room,
  type RoomEffect,
  type RoomStep,
  receive,
  reportTyping,
  showEarlier,
  visit,
} from "./room-state.ts";
import { openUnsentEffects } from "./unsent-effects.ts";

const POLL_MS = 5000;
const TYPING_SHOWN_MS = 5000;

type Effects = { [Type in RoomEffect["type"]]: (effect: Extract<RoomEffect, { type: Type }>) => unknown };

export type RoomClient = ReturnType<typeof openRoom>;

/**
 * Opens a browser's connection to a room, without React. `room-state.ts` decides what follows from what happens; this client
 * does it. `onOtherFrame` gets the text of frames that are not for both sides.
 */
export function openRoom(sessionId: string, me: Room["me"], onOtherFrame?: (text: string) => void) {
  let room = newRoom(me);
  const listeners = new Set<() => void>();
  const timers = openTimers();
  const unsent = openUnsentEffects(sessionId, tell, isPending);
  const socket = openLiveSocket({
    path: () => `${roomPath(sessionId)}/socket?${news()}`,
    onText(text) {
      const frame = parseDown(text);
      if (frame) go(receive(room, frame));
      else onOtherFrame?.(text);
    },
    onDown: (failures) => go(loseSocket(room, failures)),
    onEnd: (end) => go(leave(room, end)),
  });
  const effects: Effects = {
    ...unsent.effects,
    sendFrame: ({ frame }) => socket.send(JSON.stringify(frame), null),
    send: ({ text: { clientId, body } }) => socket.send(JSON.stringify({ type: "send", clientId, body }), clientId),
    noteReply: ({ clientId }) => socket.onReply(clientId),
    reconnect: () => socket.reconnect(),
    leaveStuckSocket: () => socket.isAwaiting() && socket.reconnect(),
    post: ({ text }) => post(text),
    poll,
    postRead: ({ seq }) => postRead(sessionId, seq),
    wait: ({ name, ms, event }) => timers.start(name, ms, () => tell(event)),
    hideTypingLater: () => timers.start("typing", TYPING_SHOWN_MS, () => go(hideTyping(room))),
    close() {
      socket.close();
      timers.stop();
      unsent.close();
    },
  };
  void unsent.effects.restore();

  function go(step: RoomStep): void {
    const isChanged = step.room.state !== room.state;
    room = step.room;
    if (isChanged) for (const listener of listeners) listener();
    for (const effect of step.effects) effects[effect.type](effect as never);
  }

  function tell(event: QueueEvent): void {
    go(changeQueue(room, event));
  }

  function isPending(clientId: string): boolean {
    return findPending(room.queue.pending, clientId) !== undefined;
  }

  async function post(text: Pending): Promise<void> {
    const { clientId } = text;
    const result = await postMessage(sessionId, text);
    if (result.value) go(receive(room, { type: "ack", ...result.value }));
    // Stored, but an earlier message has not arrived here.
    if (result.value && room.isPolling && isPending(clientId)) await poll();
    tell({ type: "posted", clientId, result });
  }

  async function poll(): Promise<void> {
    timers.start("poll", POLL_MS, () => go(duePoll(room)));
    const result = await readHistory(sessionId, news());
    go(finishPoll(room, result));
  }

  /** Asks for what comes after the known messages, or for the newest ones. */
  function news(): string {
    return `since=${lastSeq(room.state)}&last=${OPENING_MESSAGES}`;
  }

  function write(body: string, file?: File): void {
    tell({ type: "written", clientId: randomHex(), body, now: Date.now(), ...(file && { file }) });
  }

  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getState: () => room.state,
    send: (text: string) => write(cleanMessage(text.toWellFormed())),
    sendFile: (file: File) => write(file.name.toWellFormed(), file),
    retry: (clientId: string) => tell({ type: "retried", clientId }),
    /** Forgets a message, and cancels its upload, in every tab. */
    discard: (clientId: string) => tell({ type: "discarded", clientId }),
    addEarlier: (earlier: History) => go(showEarlier(room, earlier)),
    /** Marks every message received so far as read. */
    markRead: () => go(markRead(room)),
    typing: () => go(reportTyping(room, Date.now())),
    /** Reports the page this browser is on, which agents see beside the conversation. */
    visit(path: string, title: string): void {
      const shortTitle = cutText(title, PAGE_MAX_CHARS).toWellFormed();
      go(visit(room, { type: "page", path: cutText(path, PAGE_MAX_CHARS), title: shortTitle }));
    },
    close: () => go(close(room)),
  };
}

/** Timers by name. One that is started again replaces the earlier one. */
function openTimers() {
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  return {
    start(name: string, ms: number, run: () => void): void {
      clearTimeout(timers.get(name));
      timers.set(name, setTimeout(run, ms));
    },
    stop(): void {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
