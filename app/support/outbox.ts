import type { Pending } from "./conversation.ts";

const PREFIX = "growline.support.outbox.v1";

/** Unsent messages, one storage key each, so that two tabs cannot overwrite each other's. */
export type Outbox = {
  read(): Pending[];
  add(message: Pending): void;
  remove(clientId: string): void;
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
      // Full or forbidden storage must not stop the message itself.
      try {
        storage.setItem(prefix + message.clientId, JSON.stringify(message));
      } catch {
        return;
      }
    },
    remove(clientId) {
      storage.removeItem(prefix + clientId);
    },
  };
}

/** What was not sent in the one session is sent in the other. */
export function moveOutbox(storage: Storage, from: string, to: string): void {
  const [old, current] = [openOutbox(storage, from), openOutbox(storage, to)];
  for (const message of old.read()) {
    current.add(message);
    old.remove(message.clientId);
  }
}

function parsePending(text: string | null, clientId: string): Pending[] {
  try {
    const { body, createdAt } = JSON.parse(text ?? "") as Partial<Pending>;
    if (typeof body !== "string" || typeof createdAt !== "number") return [];
    return [{ clientId, body, createdAt, state: "sending" }];
  } catch {
    return [];
  }
}
