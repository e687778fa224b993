import type { Ack, UpFrame } from "#app/support/protocol/frames.ts";
import { randomHex } from "#app/support/protocol/random-hex.ts";
import {
  filesBeforeTexts,
  firstText,
  isFile,
  type Pending,
  type PendingFile,
  withChange,
  withPending,
} from "./pending-messages.ts";
import { type HttpResult, postFile } from "./room-http.ts";
import { openUnsentStore } from "./unsent-store.ts";

/** A message without an acknowledgement for this long is shown as failed. It is sent again at the next connect. */
const ACK_WITHIN_MS = 15_000;
/** The room takes ten messages a second. */
const HOLD_MS = 1000;

type Transport = {
  /** Sends a frame over the open socket. Returns false if there is none. */
  send(frame: UpFrame): boolean;
  /** Returns whether the open socket owes a reply. */
  isStuck(): boolean;
  reconnect(): void;
  /** Posts a text over HTTP and settles it. Resolves to null while HTTP is not in use. */
  post(text: Pending): Promise<HttpResult<Ack> | null>;
};

export type MessageQueue = ReturnType<typeof openQueue>;

/** Owns this side's pending messages: stores them, sends them over any connection, and resends until settled. */
export function openQueue(sessionId: string, transport: Transport, onChange: (pending: Pending[]) => void) {
  const store = openUnsentStore(sessionId);
  const ackTimers = new Map<string, ReturnType<typeof setTimeout>>();
  /** Client ids the room has, including those that another tab sent. */
  const settled = new Set<string>();
  /** Client ids of the files to upload. */
  const toUpload = new Set<string>();
  let pending: Pending[] = [];
  let uploading: string | null = null;
  let upload = new AbortController();
  /** The text on its way over the socket. The next one waits for its reply: after a refusal it would overtake it. */
  let inFlight: string | null = null;
  let holdTimer: ReturnType<typeof setTimeout> | undefined;
  let isPosting = false;
  let isClosed = false;
  window.addEventListener("storage", onStorage);

  function set(next: Pending[]): void {
    pending = next;
    onChange(pending);
  }

  /** Adds what an earlier page or another tab left unsent. */
  async function restore(): Promise<void> {
    addUnsent(store.readTexts());
    const files = await store.readFiles();
    if (!isClosed) addUnsent(files);
  }

  function addUnsent(found: Pending[]): void {
    for (const message of found) {
      if (settled.has(message.clientId)) store.remove(message.clientId);
      else if (!find(message.clientId)) {
        set(withPending(pending, message));
        if (message.state !== "refused") transmit(message);
      }
    }
  }

  function transmit(message: Pending): void {
    if (isFile(message)) queueUpload(message);
    else sendText(message);
  }

  function sendText({ clientId }: Pending): void {
    set(withChange(pending, clientId, { state: "sending", reason: undefined }));
    startAckTimer(clientId);
    sendNext();
  }

  function startAckTimer(clientId: string): void {
    clearTimeout(ackTimers.get(clientId));
    const expire = () => {
      // It only waits for its turn.
      if (inFlight !== null && inFlight !== clientId) startAckTimer(clientId);
      else fail(clientId, "failed");
    };
    ackTimers.set(clientId, setTimeout(expire, ACK_WITHIN_MS));
  }

  /** Sends the oldest text, unless one is on its way. */
  function sendNext(): void {
    const text = firstText(pending);
    if (!text || isClosed || inFlight !== null || holdTimer !== undefined) return;
    const { clientId, body } = text;
    if (transport.send({ type: "send", clientId, body })) inFlight = clientId;
    else postAll();
  }

  /** The text on its way has its reply, or its connection is lost. */
  function land(clientId: string | null): void {
    if (clientId === null || inFlight === clientId) inFlight = null;
  }

  /** Posts one text after the other and stops at the first that fails: they must arrive in the order written. */
  async function postAll(): Promise<void> {
    if (isPosting) return;
    isPosting = true;
    for (let text = firstText(pending); text; text = firstText(pending)) if (!(await post(text))) break;
    isPosting = false;
  }

  /** Resolves to false if the texts after this one have to wait. */
  async function post(text: Pending): Promise<boolean> {
    const result = await transport.post(text);
    if (isClosed || !result) return false;
    if (!result.value) fail(text.clientId, failureOf(result.status), reasonOf(result));
    return isRefusal(result.status) || !find(text.clientId);
  }

  function queueUpload({ clientId }: PendingFile): void {
    if (uploading === clientId) return;
    toUpload.add(clientId);
    set(withChange(pending, clientId, { state: "sending", reason: undefined }));
    uploadAll();
  }

  /** Uploads one file after the other, in the order chosen, and only in one tab at a time. */
  async function uploadAll(): Promise<void> {
    if (uploading !== null) return;
    for (let next = firstToUpload(); next; next = firstToUpload()) {
      const message = next;
      uploading = message.clientId;
      toUpload.delete(uploading);
      await withLock(`growline.support.upload:${sessionId}`, () => sendFile(message))
        // Where a browser denies the lock, the files after this one must still be sent.
        .catch(() => fail(message.clientId, "failed"));
      uploading = null;
    }
  }

  function firstToUpload(): PendingFile | undefined {
    return filesBeforeTexts(pending).find(({ clientId }) => toUpload.has(clientId));
  }

  async function sendFile({ clientId, file }: PendingFile): Promise<void> {
    if (!find(clientId)) return;
    if (await store.isRemovedElsewhere(clientId)) {
      drop(clientId);
      return;
    }
    // Canceled meanwhile.
    if (!find(clientId)) return;
    upload = new AbortController();
    const result = await postFile(
      sessionId,
      { clientId, file },
      { signal: upload.signal, onProgress: (progress) => set(withChange(pending, clientId, { progress })) },
    );
    // The message itself arrives as a frame or with the next poll.
    if (result.value) await store.remove(clientId);
    else if (result.status === 429) await holdUpload(clientId);
    else fail(clientId, failureOf(result.status), reasonOf(result));
  }

  /** Sends the file again a little later, before those after it. */
  async function holdUpload(clientId: string): Promise<void> {
    set(withChange(pending, clientId, { progress: undefined }));
    await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
    if (!isClosed) toUpload.add(clientId);
  }

  function fail(clientId: string, state: "failed" | "refused", reason?: string): void {
    // After the close it may belong to another session.
    if (isClosed) return;
    clearTimeout(ackTimers.get(clientId));
    set(withChange(pending, clientId, { state, reason, progress: undefined }));
    if (state === "refused") {
      const message = find(clientId);
      // Stored as refused, so that a reload does not resend it.
      if (message) keep(message);
      land(clientId);
      sendNext();
    }
    uploadAll();
  }

  async function keep(message: Pending): Promise<void> {
    if (!(await store.add(message))) set(withChange(pending, message.clientId, { unkept: true }));
  }

  function drop(clientId: string): void {
    if (find(clientId)) set(pending.filter((one) => one.clientId !== clientId));
    clearTimeout(ackTimers.get(clientId));
    ackTimers.delete(clientId);
    land(clientId);
    sendNext();
    uploadAll();
  }

  function onStorage(event: StorageEvent): void {
    const removed = store.removedBy(event);
    const message = removed === null ? undefined : find(removed);
    if (message && (isFile(message) || message.state !== "sending")) cancel(message.clientId);
  }

  function cancel(clientId: string): void {
    if (uploading === clientId) upload.abort();
    drop(clientId);
  }

  function find(clientId: string): Pending | undefined {
    return pending.find((one) => one.clientId === clientId);
  }

  return {
    restore,
    find,
    /** Returns the client id of the text whose reply is awaited on the socket, or null. */
    inFlight: () => inFlight,
    fail,
    send(body: string, file?: File): void {
      // Files chosen together must not share a time: their order is restored by it.
      const createdAt = Math.max(Date.now(), (pending.at(-1)?.createdAt ?? 0) + 1);
      const message: Pending = { clientId: randomHex(), body, createdAt, state: "sending" };
      if (file) message.file = file;
      set(withPending(pending, message));
      keep(message);
      transmit(message);
    },
    /** Removes a message that the room has. */
    settle(clientId: string): void {
      settled.add(clientId);
      store.remove(clientId);
      drop(clientId);
    },
    /** Sends a text again a little later, over the same connection: the room is busy with those before it. */
    hold(clientId: string): void {
      land(clientId);
      clearTimeout(holdTimer);
      holdTimer = setTimeout(() => {
        holdTimer = undefined;
        sendNext();
      }, HOLD_MS);
    },
    /** Resends everything unsettled, over a new connection. */
    resume(): void {
      land(null);
      for (const message of pending) if (message.state !== "refused") transmit(message);
      restore();
    },
    /** Aborts the upload in progress, whose response may be lost. It is sent again at the next connect. */
    onDisconnect(): void {
      land(null);
      upload.abort();
    },
    retry(clientId: string): void {
      const message = find(clientId);
      if (!message) return;
      transmit(message);
      // A connection that owes a reply may be dead. The next one gets every message again.
      if (!isFile(message) && inFlight !== clientId && transport.isStuck()) transport.reconnect();
    },
    /** Forgets a message, and cancels its upload, in every tab. */
    discard(clientId: string): void {
      store.discard(clientId);
      cancel(clientId);
    },
    close(): void {
      isClosed = true;
      window.removeEventListener("storage", onStorage);
      clearTimeout(holdTimer);
      for (const timer of ackTimers.values()) clearTimeout(timer);
    },
  };
}

// Not found, timeout and too many requests say nothing about the message itself.
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && ![404, 408, 429].includes(status);
}

function failureOf(status: number): "failed" | "refused" {
  return isRefusal(status) ? "refused" : "failed";
}

function reasonOf({ status, error }: HttpResult<unknown>): string | undefined {
  if (status === 0) return "no_connection";
  return status >= 500 ? "server_error" : error;
}

/** Runs `work` in one tab at a time. A tab that closes releases the lock. */
async function withLock(name: string, work: () => Promise<void>): Promise<void> {
  // Absent on a page served over plain http.
  const locks: LockManager | undefined = navigator.locks;
  await (locks ? locks.request(name, work) : work());
}
