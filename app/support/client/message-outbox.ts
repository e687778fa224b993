import * as v from "valibot";
import type { BrowserStorage } from "#app/components/storage/browser-storage.ts";
import { parseJsonAs } from "#app/support/protocol/frames.ts";
import type { Pending } from "./pending-messages.ts";

const PREFIX = "growline.support.outbox.v1";
const stored = v.object({
  body: v.string(),
  createdAt: v.number(),
  state: v.optional(v.string()),
  reason: v.optional(v.string()),
});

/** Unsent texts of a session, one storage key each, so that two tabs cannot overwrite each other's. */
export type Outbox = {
  read(): Pending[];
  /** Returns false if it is lost with the page: storage is full or forbidden. */
  add(message: Pending): boolean;
  remove(clientId: string): void;
  /** Has the other tabs hear of the removal that follows, also of a file, which is stored elsewhere. */
  announce(clientId: string): void;
  /** Returns the client id of what another tab removed or discarded, or null for any other storage event. */
  removedBy(event: StorageEvent): string | null;
};

export function openOutbox(storage: BrowserStorage, sessionId: string): Outbox {
  const prefix = `${PREFIX}:${sessionId}:`;
  return {
    read() {
      return storage
        .keys()
        .filter((key) => key.startsWith(prefix))
        .flatMap((key) => parsePending(storage.get(key), key.slice(prefix.length)))
        .sort((one, other) => one.createdAt - other.createdAt);
    },
    add: (message) => storage.set(prefix + message.clientId, JSON.stringify(message)),
    remove: (clientId) => storage.remove(prefix + clientId),
    // Only the end of a key that was there is an event. An empty value is no text to send.
    announce: (clientId) => storage.set(prefix + clientId, ""),
    removedBy({ key, newValue }) {
      return key?.startsWith(prefix) && newValue === null ? key.slice(prefix.length) : null;
    },
  };
}

/** Moves unsent texts to another session. */
export function moveOutbox(storage: BrowserStorage, from: string, to: string): void {
  const [old, current] = [openOutbox(storage, from), openOutbox(storage, to)];
  for (const message of old.read()) if (current.add(message)) old.remove(message.clientId);
}

function parsePending(json: string | null, clientId: string): Pending[] {
  const text = parseJsonAs(stored, json ?? "");
  if (!text) return [];
  const { body, createdAt, state, reason } = text;
  const kept = { clientId, body, createdAt };
  return [state === "refused" ? { ...kept, state, reason } : { ...kept, state: "sending" }];
}
