import type { Ack } from "#app/support/protocol/frames.ts";
import {
  filesBeforeTexts,
  findPending,
  firstText,
  isFile,
  type Pending,
  type PendingFile,
  withChange,
  withPending,
} from "./pending-messages.ts";
import type { HttpResult } from "./room-http.ts";

/** A message without an acknowledgement for this long is shown as failed. It is sent again at the next connect. */
const ACK_WITHIN_MS = 15_000;
/** The room takes ten messages a second. */
export const HOLD_MS = 1000;

/** One side's messages that the room has not acknowledged, and what is being done about them. */
export type Queue = {
  /** Ordered by time. */
  readonly pending: Pending[];
  /** Texts go over the socket while it is `live`, and over HTTP while `polling`. */
  readonly connection: "connecting" | "live" | "polling" | "closed";
  /** Client ids the room has, including those that another tab sent. */
  readonly settled: string[];
  /** The text on its way. The next one waits for its reply: after a refusal it would overtake it. */
  readonly inFlight: string | null;
  /** The room was too busy for a text. */
  readonly isHeld: boolean;
  /** Client ids of the files to upload. */
  readonly toUpload: string[];
  readonly uploading: string | null;
};

export const EMPTY_QUEUE: Queue = {
  pending: [],
  connection: "connecting",
  settled: [],
  inFlight: null,
  isHeld: false,
  toUpload: [],
  uploading: null,
};

export type QueueEvent =
  /** `now`: in ms since 1970. */
  | { type: "written"; clientId: string; body: string; file?: File; now: number }
  /** An earlier page or another tab left these unsent. */
  | { type: "restored"; messages: Pending[] }
  /** The browser could not store the message. */
  | { type: "unkept"; clientId: string }
  /** There is a new socket, or a poll has succeeded. `settled`: messages that the room is known to have. */
  | { type: "connected"; connection: "live" | "polling"; settled: string[] }
  | { type: "disconnected" }
  | { type: "settled"; clientId: string }
  | { type: "refused"; clientId: string; reason: string }
  /** The room is too busy for this text: it is sent again a little later, over the same connection. */
  | { type: "held"; clientId: string }
  | { type: "released" }
  /** No reply has come for this text. */
  | { type: "expired"; clientId: string }
  | { type: "posted"; clientId: string; result: HttpResult<Ack> }
  | { type: "progressed"; clientId: string; progress: number }
  /** `result`: null if the browser did not let this tab upload. */
  | { type: "uploaded"; clientId: string; result: HttpResult<Ack> | null }
  /** The next upload may start. `again`: after this file, for which the room was too busy. */
  | { type: "uploadEnded"; clientId: string; again: boolean }
  | { type: "retried"; clientId: string }
  | { type: "discarded"; clientId: string }
  /** Another tab has sent or discarded it. */
  | { type: "removed"; clientId: string }
  | { type: "closed" };

export type QueueEffect =
  /** Sends a text over the socket. What is lost with it is sent again at the next connect. */
  | { type: "send"; text: Pending }
  /** Posts a text over HTTP, then `posted`. */
  | { type: "post"; text: Pending }
  /** Uploads a file when no other tab does, then `uploaded` and `uploadEnded`. */
  | { type: "upload"; message: PendingFile }
  | { type: "abortUpload" }
  /** Stores a message for a later page. If the browser can't: `unkept`. */
  | { type: "keep"; message: Pending }
  | { type: "forget"; clientId: string }
  /** Forgets a message in every tab. */
  | { type: "discard"; clientId: string }
  /** Reads what is stored, then `restored`. */
  | { type: "restore" }
  /** Connects again if the socket owes a reply, because it may be dead. */
  | { type: "leaveStuckSocket" }
  /** Starts a timer, in place of one with the same name. `event`: what happens then. */
  | { type: "wait"; name: string; ms: number; event: QueueEvent };

/** A copy of the queue, which the functions below change, with what the client has to do. */
type Draft = { -readonly [Key in keyof Queue]: Queue[Key] } & { effects: QueueEffect[] };
type Handlers = { [Type in QueueEvent["type"]]: (draft: Draft, event: Extract<QueueEvent, { type: Type }>) => void };

/** Returns the queue after an event, and the effects that the client must run in this order. */
export function reduceQueue(before: Queue, event: QueueEvent): { queue: Queue; effects: QueueEffect[] } {
  const draft: Draft = { ...before, effects: [] };
  HANDLERS[event.type](draft, event as never);
  const { effects, ...queue } = draft;
  return { queue, effects };
}

const HANDLERS: Handlers = {
  written(draft, { clientId, body, file, now }) {
    // Files chosen together must not share a time: their order is restored by it.
    const createdAt = Math.max(now, (draft.pending.at(-1)?.createdAt ?? 0) + 1);
    const message: Pending = { clientId, body, createdAt, state: "sending", ...(file && { file }) };
    draft.pending = withPending(draft.pending, message);
    draft.effects.push({ type: "keep", message });
    transmit(draft, message);
  },
  restored(draft, { messages }) {
    if (draft.connection !== "closed") for (const message of messages) restore(draft, message);
  },
  unkept(draft, { clientId }) {
    change(draft, clientId, { unkept: true });
  },
  connected(draft, { connection, settled }) {
    draft.connection = connection;
    for (const clientId of settled) settle(draft, clientId);
    // A poll ends no request.
    if (connection === "live") draft.inFlight = null;
    for (const message of draft.pending) if (message.state !== "refused") transmit(draft, message);
    draft.effects.push({ type: "restore" });
  },
  disconnected(draft) {
    draft.connection = "connecting";
    draft.inFlight = null;
    // Its response may be lost. It is sent again at the next connect.
    draft.effects.push({ type: "abortUpload" });
  },
  settled(draft, { clientId }) {
    settle(draft, clientId);
    goOn(draft);
  },
  refused(draft, { clientId, reason }) {
    fail(draft, clientId, "refused", reason);
  },
  held(draft, { clientId }) {
    land(draft, clientId);
    draft.isHeld = true;
    draft.effects.push({ type: "wait", name: "hold", ms: HOLD_MS, event: { type: "released" } });
  },
  released(draft) {
    draft.isHeld = false;
    sendNext(draft);
  },
  expired(draft, { clientId }) {
    if (findPending(draft.pending, clientId)?.state !== "sending") return;
    // It only waits for its turn.
    if (draft.inFlight !== null && draft.inFlight !== clientId) awaitReply(draft, clientId);
    else fail(draft, clientId, "failed");
  },
  posted(draft, { clientId, result }) {
    // Sent again over a socket since.
    if (draft.connection !== "polling") return;
    if (!result.value) failAs(draft, clientId, result);
    land(draft, clientId);
    if (isRefusal(result.status) || !findPending(draft.pending, clientId)) sendNext(draft);
  },
  progressed(draft, { clientId, progress }) {
    change(draft, clientId, { progress });
  },
  // The message of an uploaded file arrives as a frame, or with the next poll.
  uploaded(draft, { clientId, result }) {
    if (!result) fail(draft, clientId, "failed");
    else if (result.status === 429) change(draft, clientId, { progress: undefined });
    else if (!result.value) failAs(draft, clientId, result);
  },
  uploadEnded(draft, { clientId, again }) {
    draft.uploading = null;
    if (again && draft.connection !== "closed") draft.toUpload = [...draft.toUpload, clientId];
    uploadNext(draft);
  },
  retried(draft, { clientId }) {
    const message = findPending(draft.pending, clientId);
    if (!message) return;
    transmit(draft, message);
    // The next connection gets every message again.
    if (!isFile(message) && draft.inFlight !== clientId) draft.effects.push({ type: "leaveStuckSocket" });
  },
  discarded(draft, { clientId }) {
    draft.effects.push({ type: "discard", clientId });
    cancel(draft, clientId);
  },
  removed(draft, { clientId }) {
    const message = findPending(draft.pending, clientId);
    // A text on its way is settled by its acknowledgement.
    if (message && (isFile(message) || message.state !== "sending")) cancel(draft, clientId);
  },
  closed(draft) {
    draft.connection = "closed";
  },
};

function restore(draft: Draft, message: Pending): void {
  const { clientId } = message;
  if (draft.settled.includes(clientId)) draft.effects.push({ type: "forget", clientId });
  else if (!findPending(draft.pending, clientId)) {
    draft.pending = withPending(draft.pending, message);
    if (message.state !== "refused") transmit(draft, message);
  }
}

function transmit(draft: Draft, message: Pending): void {
  const { clientId } = message;
  if (draft.uploading === clientId) return;
  change(draft, clientId, { state: "sending", reason: undefined });
  if (isFile(message)) {
    draft.toUpload = [...draft.toUpload, clientId];
    uploadNext(draft);
  } else {
    awaitReply(draft, clientId);
    sendNext(draft);
  }
}

function awaitReply({ effects }: Draft, clientId: string): void {
  effects.push({ type: "wait", name: clientId, ms: ACK_WITHIN_MS, event: { type: "expired", clientId } });
}

function goOn(draft: Draft): void {
  sendNext(draft);
  uploadNext(draft);
}

/** Sends the oldest text, unless one is on its way: they must arrive in the order written. */
function sendNext(draft: Draft): void {
  const { connection, inFlight, isHeld, effects } = draft;
  const text = firstText(draft.pending);
  if (!text || inFlight !== null || isHeld || (connection !== "live" && connection !== "polling")) return;
  draft.inFlight = text.clientId;
  effects.push({ type: connection === "live" ? "send" : "post", text });
}

/** The text on its way has its reply. */
function land(draft: Draft, clientId: string): void {
  if (draft.inFlight === clientId) draft.inFlight = null;
}

/** Uploads one file after the other, in the order chosen. */
function uploadNext(draft: Draft): void {
  if (draft.uploading !== null) return;
  const message = filesBeforeTexts(draft.pending).find(({ clientId }) => draft.toUpload.includes(clientId));
  if (!message) return;
  draft.uploading = message.clientId;
  draft.toUpload = draft.toUpload.filter((clientId) => clientId !== message.clientId);
  draft.effects.push({ type: "upload", message });
}

function failAs(draft: Draft, clientId: string, result: HttpResult<unknown>): void {
  fail(draft, clientId, isRefusal(result.status) ? "refused" : "failed", reasonOf(result));
}

function fail(draft: Draft, clientId: string, state: "failed" | "refused", reason?: string): void {
  // After the close it may belong to another session.
  if (draft.connection === "closed") return;
  change(draft, clientId, { state, reason, progress: undefined });
  if (state === "refused") {
    const message = findPending(draft.pending, clientId);
    // Stored as refused, so that a reload does not resend it.
    if (message) draft.effects.push({ type: "keep", message });
    land(draft, clientId);
    sendNext(draft);
  }
  uploadNext(draft);
}

/** Removes a message that the room has. */
function settle(draft: Draft, clientId: string): void {
  draft.settled = [...draft.settled, clientId];
  draft.effects.push({ type: "forget", clientId });
  drop(draft, clientId);
}

/** Removes a message that the room is not to have, and goes on with those after it. */
function cancel(draft: Draft, clientId: string): void {
  if (draft.uploading === clientId) draft.effects.push({ type: "abortUpload" });
  drop(draft, clientId);
  goOn(draft);
}

function drop(draft: Draft, clientId: string): void {
  draft.pending = draft.pending.filter((one) => one.clientId !== clientId);
  land(draft, clientId);
}

function change(draft: Draft, clientId: string, changed: Partial<Pending>): void {
  draft.pending = withChange(draft.pending, clientId, changed);
}

// Not found, timeout and too many requests say nothing about the message itself.
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && ![404, 408, 429].includes(status);
}

function reasonOf({ status, error }: HttpResult<unknown>): string | undefined {
  if (status === 0) return "no_connection";
  return status >= 500 ? "server_error" : error;
}
