import type { Pending } from "./pending-messages.ts";

const PREFIX = "growline.support.outbox.v1";

/** Unsent texts, one storage key each, so that two tabs cannot overwrite each other's. */
export type Outbox = {
  read(): Pending[];
  /** False when the browser has no room for it, or forbids it. */
  add(message: Pending): boolean;
  remove(clientId: string): void;
  /** The client id of what a storage event says another tab has removed. */
  removedBy(event: StorageEvent): string | null;
};

export function openOutbox(storage: Storage, sessionId: string): Outbox {
  const prefix = `${PREFIX}:${sessionId}:`;
  return {
    read() {
      const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "");
      return keys
        .filter((key) => key.startsWith(prefix))
        .flatMap((key) => parsePending(storage.getItem(key), key.slice(prefix.length)))
        .sort((one, other) => one.createdAt - other.createdAt);
    },
    add(message) {
      try {
        storage.setItem(prefix + message.clientId, JSON.stringify(message));
        return true;
      } catch {
        return false;
      }
    },
    remove(clientId) {
      storage.removeItem(prefix + clientId);
    },
    removedBy({ key, newValue }) {
      return key?.startsWith(prefix) && newValue === null ? key.slice(prefix.length) : null;
    },
  };
}

/** What was not sent in the one session is sent in the other. */
export function moveOutbox(storage: Storage, from: string, to: string): void {
  const [old, current] = [openOutbox(storage, from), openOutbox(storage, to)];
  for (const message of old.read()) if (current.add(message)) old.remove(message.clientId);
}

function parsePending(text: string | null, clientId: string): Pending[] {
  try {
    const { body, createdAt, state } = JSON.parse(text ?? "") as Partial<Pending>;
    if (typeof body !== "string" || typeof createdAt !== "number") return [];
    return [{ clientId, body, createdAt, state: state === "refused" ? state : "sending" }];
  } catch {
    return [];
  }
}
