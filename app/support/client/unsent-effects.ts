import { browserStorage } from "#app/components/storage/browser-storage.ts";
import { openFileOutbox } from "./file-outbox.ts";
import { openOutbox } from "./message-outbox.ts";
import { HOLD_MS, type QueueEffect, type QueueEvent } from "./message-queue.ts";
import { isFile, type PendingFile } from "./pending-messages.ts";
import { postFile } from "./room-http.ts";

type Effect<Type extends QueueEffect["type"]> = Extract<QueueEffect, { type: Type }>;

/**
 * Opens what keeps a session's unsent messages across page loads, texts in local storage and files in IndexedDB, and uploads
 * its files. `isPending`: the queue still has the message.
 */
export function openUnsentEffects(
  sessionId: string,
  tell: (event: QueueEvent) => void,
  isPending: (clientId: string) => boolean,
) {
  const texts = openOutbox(browserStorage, sessionId);
  const files = openFileOutbox(sessionId);
  /** By client id: whether the browser could store the file. */
  const storedFiles = new Map<string, Promise<boolean>>();
  const listening = new AbortController();
  let uploading = new AbortController();
  window.addEventListener("storage", onStorage, listening);

  function onStorage(event: StorageEvent): void {
    const clientId = texts.removedBy(event);
    if (clientId !== null) tell({ type: "removed", clientId });
  }

  async function forget(clientId: string): Promise<void> {
    texts.remove(clientId);
    if (storedFiles.has(clientId)) await files.remove(clientId);
  }

  /** Resolves to true if the room was too busy for the file. The next upload waits too. */
  async function sendFile({ clientId, file }: PendingFile): Promise<boolean> {
    const isRemoved = isPending(clientId) && (await storedFiles.get(clientId)) && !(await files.has(clientId));
    // Another tab has sent or discarded it.
    if (isRemoved) tell({ type: "removed", clientId });
    if (!isPending(clientId)) return false;
    uploading = new AbortController();
    const onProgress = (progress: number) => tell({ type: "progressed", clientId, progress });
    const result = await postFile(sessionId, { clientId, file }, { signal: uploading.signal, onProgress });
    if (result.value) await forget(clientId);
    tell({ type: "uploaded", clientId, result });
    const isBusy = result.status === 429;
    if (isBusy) await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
    return isBusy;
  }

  const effects = {
    async keep({ message }: Effect<"keep">): Promise<void> {
      const { clientId } = message;
      const isStored = isFile(message) ? files.add(message) : texts.add(message);
      if (isStored instanceof Promise) storedFiles.set(clientId, isStored);
      if (!(await isStored)) tell({ type: "unkept", clientId });
    },
    forget: ({ clientId }: Effect<"forget">) => forget(clientId),
    discard({ clientId }: Effect<"discard">): void {
      texts.announce(clientId);
      void forget(clientId);
    },
    async restore(): Promise<void> {
      tell({ type: "restored", messages: texts.read() });
      const messages = await files.read();
      for (const { clientId } of messages) storedFiles.set(clientId, Promise.resolve(true));
      tell({ type: "restored", messages });
    },
    async upload({ message }: Effect<"upload">): Promise<void> {
      const { clientId } = message;
      const again = await withLock(`growline.support.upload:${sessionId}`, () => sendFile(message)).catch(() => {
        tell({ type: "uploaded", clientId, result: null });
        return false;
      });
      tell({ type: "uploadEnded", clientId, again });
    },
    abortUpload: () => uploading.abort(),
  };
  return { effects, close: () => listening.abort() };
}

/** Runs `work` in one tab at a time. A tab that closes releases the lock. */
async function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  // Absent on a page served over plain http.
  const locks: LockManager | undefined = navigator.locks;
  return locks ? locks.request(name, work) : work();
}
