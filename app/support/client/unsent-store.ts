import { browserStorage } from "#app/components/storage/browser-storage.ts";
import { openFileOutbox } from "./file-outbox.ts";
import { openOutbox } from "./message-outbox.ts";
import { isFile, type Pending, type PendingFile } from "./pending-messages.ts";

export type UnsentStore = ReturnType<typeof openUnsentStore>;

/** Keeps a session's unsent messages across page loads: texts in local storage, files in IndexedDB. */
export function openUnsentStore(sessionId: string) {
  const texts = openOutbox(browserStorage, sessionId);
  const files = openFileOutbox(sessionId);
  /** By client id: whether the browser could store the file. */
  const storedFiles = new Map<string, Promise<boolean>>();

  return {
    readTexts: () => texts.read(),
    async readFiles(): Promise<PendingFile[]> {
      const found = await files.read();
      for (const { clientId } of found) storedFiles.set(clientId, Promise.resolve(true));
      return found;
    },
    /** Resolves to false if the browser's storage is full or forbidden. */
    async add(message: Pending): Promise<boolean> {
      if (!isFile(message)) return texts.add(message);
      const stored = files.add(message);
      storedFiles.set(message.clientId, stored);
      return stored;
    },
    async remove(clientId: string): Promise<void> {
      texts.remove(clientId);
      if (storedFiles.has(clientId)) await files.remove(clientId);
    },
    /** Removes a message here and in the other tabs, which may be uploading it. */
    discard(clientId: string): Promise<void> {
      texts.announce(clientId);
      return this.remove(clientId);
    },
    /** Resolves to true if another tab has sent or discarded a file that was stored. */
    async isRemovedElsewhere(clientId: string): Promise<boolean> {
      return ((await storedFiles.get(clientId)) ?? false) && !(await files.has(clientId));
    },
    /** Returns the client id of a text that another tab removed, or a file that it discarded, or null for another event. */
    removedBy: (event: StorageEvent) => texts.removedBy(event),
  };
}
