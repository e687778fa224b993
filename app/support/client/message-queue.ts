import type { Ack, Side, UpFrame } from "#app/support/protocol/frames.ts";
import { randomHex } from "#app/support/protocol/random-hex.ts";
import { type Conversation, isKnown, type Pending, withChange, withoutPending, withPending } from "./conversation.ts";
import { openFileOutbox, type PendingFile } from "./file-outbox.ts";
import { openOutbox } from "./message-outbox.ts";
import { postFile, postMessage } from "./room-http.ts";

/** What this side says, until its room has it: kept in storage, sent on any line there is, and sent again. */

/** Not acknowledged for so long: shown as failed, though it is still sent again at the next connect. */
const ACK_WITHIN_MS = 15_000;

type Line = {
  side: Side;
  getState(): Conversation & { connection: string };
  set(change: Partial<Conversation>): void;
  /** False when there is no open socket. */
  up(frame: UpFrame): boolean;
  onAck(ack: Ack): void;
  /** Asks over HTTP for what is missing here. */
  catchUp(): Promise<void>;
};

export type Sending = ReturnType<typeof openSending>;

export function openSending(sessionId: string, line: Line) {
  const texts = openOutbox(localStorage, sessionId);
  const files = openFileOutbox(sessionId);
  /** Whether the browser keeps the file, by client id. */
  const keeping = new Map<string, Promise<boolean>>();
  const ackTimers = new Map<string, ReturnType<typeof setTimeout>>();
  /** Files that may be sent, by client id. */
  const toUpload = new Set<string>();
  let uploading: string | null = null;
  let upload = new AbortController();
  let posting = false;
  let ended = false;
  window.addEventListener("storage", onStorage);

  /** What a page before this one, or another tab, has left unsent. */
  async function restore(): Promise<void> {
    takeUnsent(texts.read());
    const found = await files.read();
    for (const { clientId } of found) keeping.set(clientId, Promise.resolve(true));
    takeUnsent(found);
  }

  function takeUnsent(found: Pending[]): void {
    for (const message of found) {
      if (isKnown(line.getState(), line.side, message.clientId)) settle(message.clientId);
      else if (!find(message.clientId)) {
        line.set(withPending(line.getState(), message));
        if (message.state !== "refused") transmit(message);
      }
    }
  }

  /** There is a line again: everything that may be sent is. */
  function resume(): void {
    for (const message of line.getState().pending) if (message.state !== "refused") transmit(message);
    restore();
  }

  function transmit(message: Pending): void {
    const { clientId, body } = message;
    if (hasFile(message)) {
      queue(message);
      return;
    }
    line.set(withChange(line.getState(), clientId, { state: "sending" }));
    clearTimeout(ackTimers.get(clientId));
    ackTimers.set(
      clientId,
      setTimeout(() => fail(clientId, "failed"), ACK_WITHIN_MS),
    );
    if (!line.up({ type: "send", clientId, body })) postAll();
  }

  /** Over HTTP, one after the other, and none past one that did not get through: they must arrive as they were written. */
  async function postAll(): Promise<void> {
    if (posting) return;
    posting = true;
    for (let next = firstToPost(); next; next = firstToPost()) if (!(await post(next))) break;
    posting = false;
  }

  function firstToPost(): Pending | undefined {
    const { connection, pending } = line.getState();
    return connection === "polling" ? pending.find(({ state, file }) => !file && state !== "refused") : undefined;
  }

  /** False: those after it have to wait. */
  async function post(message: Pending): Promise<boolean> {
    const { clientId } = message;
    const { status, value: ack } = await postMessage(sessionId, message);
    if (!ack) {
      fail(clientId, failureOf(status));
      return isRefusal(status);
    }
    line.onAck(ack);
    // Stored, but somebody else's message stands before it that is not here yet.
    if (find(clientId)) await line.catchUp();
    return !find(clientId);
  }

  function queue({ clientId }: PendingFile): void {
    if (uploading === clientId) return;
    toUpload.add(clientId);
    line.set(withChange(line.getState(), clientId, { state: "sending" }));
    uploadAll();
  }

  /** One file after the other, as they were chosen, and of several tabs only one at a time. */
  async function uploadAll(): Promise<void> {
    if (uploading !== null) return;
    for (let next = firstToUpload(); next; next = firstToUpload()) {
      const message = next;
      uploading = message.clientId;
      toUpload.delete(uploading);
      await inTurn(`growline.support.upload:${sessionId}`, () => sendFile(message))
        // Where a browser gives no lock, those after it must be sent all the same.
        .catch(() => fail(message.clientId, "failed"));
      uploading = null;
    }
  }

  /** A file waits for the texts that were written before it; a text does not wait for a file, which may be large. */
  function firstToUpload(): PendingFile | undefined {
    const { pending } = line.getState();
    const text = pending.findIndex((one) => !hasFile(one) && one.state !== "refused");
    const before = text === -1 ? pending : pending.slice(0, text);
    return before.filter(hasFile).find(({ clientId }) => toUpload.has(clientId));
  }

  async function sendFile(message: PendingFile): Promise<void> {
    const { clientId, file } = message;
    if (!find(clientId)) return;
    if ((await keeping.get(clientId)) && !(await files.has(clientId))) {
      // Another tab has sent it, which the room says itself, or has discarded it.
      line.set(withoutPending(line.getState(), clientId));
      return;
    }
    upload = new AbortController();
    const { status, value: ack } = await postFile(sessionId, { clientId, file }, upload.signal);
    // The message itself comes as a frame, or with the next poll.
    if (ack) await files.remove(clientId);
    else fail(clientId, failureOf(status));
  }

  /** Over: the room has it, or nobody wants it any more. */
  function settle(clientId: string): void {
    texts.remove(clientId);
    if (keeping.delete(clientId)) files.remove(clientId);
    clearTimeout(ackTimers.get(clientId));
    ackTimers.delete(clientId);
    uploadAll();
  }

  function fail(clientId: string, state: "failed" | "refused"): void {
    // It may have gone over to another session by now.
    if (ended) return;
    clearTimeout(ackTimers.get(clientId));
    line.set(withChange(line.getState(), clientId, { state }));
    const message = find(clientId);
    // So that a reload does not send it again by itself.
    if (message && state === "refused") keep(message);
    uploadAll();
  }

  function keep(message: Pending): void {
    const { clientId } = message;
    if (hasFile(message)) {
      const kept = files.add(message);
      keeping.set(clientId, kept);
      kept.then((isKept) => isKept || warn(clientId));
    } else if (!texts.add(message)) warn(clientId);
  }

  function warn(clientId: string): void {
    line.set(withChange(line.getState(), clientId, { unkept: true }));
  }

  function onStorage(event: StorageEvent): void {
    const removed = texts.removedBy(event);
    const message = removed === null ? undefined : find(removed);
    if (!message || message.state === "sending") return;
    line.set(withoutPending(line.getState(), message.clientId));
    uploadAll();
  }

  function find(clientId: string): Pending | undefined {
    return line.getState().pending.find((one) => one.clientId === clientId);
  }

  function say(body: string, file?: File): void {
    const message: Pending = { clientId: randomHex(), body, createdAt: Date.now(), state: "sending" };
    if (file) message.file = file;
    line.set(withPending(line.getState(), message));
    keep(message);
    transmit(message);
  }

  return {
    restore,
    resume,
    settle,
    say,
    fail,
    /** What is on its way there may be lost, so that it is sent again at the next connect. */
    lineLost: () => upload.abort(),
    retry(clientId: string): void {
      const message = find(clientId);
      if (message) transmit(message);
    },
    discard(clientId: string): void {
      line.set(withoutPending(line.getState(), clientId));
      settle(clientId);
    },
    end(): void {
      ended = true;
      window.removeEventListener("storage", onStorage);
      for (const timer of ackTimers.values()) clearTimeout(timer);
    },
  };
}

function hasFile(message: Pending): message is PendingFile {
  return message.file !== undefined;
}

// Not there, too slow and too many are said of the moment, not of the message.
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && ![404, 408, 429].includes(status);
}

function failureOf(status: number): "failed" | "refused" {
  return isRefusal(status) ? "refused" : "failed";
}

/** One tab after the other. A tab that is closed in between lets the next one go on. */
async function inTurn(name: string, work: () => Promise<void>): Promise<void> {
  // Absent on a plain http address.
  const locks: LockManager | undefined = navigator.locks;
  await (locks ? locks.request(name, work) : work());
}
