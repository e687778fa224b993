import { createStore, del, delMany, entries, get, set } from "idb-keyval";
import { DAY_MS } from "#app/time.ts";
import type { PendingFile } from "./pending-messages.ts";

const KEPT_FOR_MS = 30 * DAY_MS;

type Kept = Pick<PendingFile, "createdAt" | "state" | "reason" | "file">;

/** Unsent files of a session, in IndexedDB. Without IndexedDB it stores and finds nothing. */
export type FileOutbox = {
  read(): Promise<PendingFile[]>;
  /** Resolves to false if storage is full or forbidden. */
  add(message: PendingFile): Promise<boolean>;
  /** Resolves to false if another tab has sent or discarded it. */
  has(clientId: string): Promise<boolean>;
  remove(clientId: string): Promise<void>;
};

const store = createStore("growline.support.files.v1", "unsent");

export function openFileOutbox(sessionId: string): FileOutbox {
  const prefix = `${sessionId}:`;
  return {
    async read() {
      const all = await orElse([], () => entries<string, Kept>(store));
      const expired = all.filter(([, { createdAt }]) => createdAt < Date.now() - KEPT_FOR_MS).map(([key]) => key);
      if (expired.length > 0) await orElse(undefined, () => delMany(expired, store));
      return all
        .filter(([key]) => key.startsWith(prefix) && !expired.includes(key))
        .map(([key, { createdAt, state, reason, file }]) => ({
          clientId: key.slice(prefix.length),
          body: file.name,
          createdAt,
          ...(state === "refused" ? { state, reason } : { state: "sending" as const }),
          file,
        }));
    },
    async add({ clientId, createdAt, state, reason, file }) {
      const kept: Kept = { createdAt, state, reason, file };
      return orElse(false, () => set(prefix + clientId, kept, store).then(() => true));
    },
    async has(clientId) {
      return orElse(true, () => get(prefix + clientId, store).then((kept) => kept !== undefined));
    },
    async remove(clientId) {
      await orElse(undefined, () => del(prefix + clientId, store));
    },
  };
}

/** Moves unsent files to another session. */
export async function moveFiles(from: string, to: string): Promise<void> {
  const [old, current] = [openFileOutbox(from), openFileOutbox(to)];
  for (const message of await old.read()) {
    if (await current.add(message)) await old.remove(message.clientId);
  }
}

// Storage that is full, forbidden or missing must not stop the message itself.
async function orElse<T>(fallback: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    return fallback;
  }
}
