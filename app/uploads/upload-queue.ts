import { useSyncExternalStore } from "react";
import { fingerprintOf, Refused, uploadFile } from "./upload-client.ts";
import { fileError } from "./upload-limits.ts";

/** One upload of this tab. `sent` and `size` in bytes. */
export type Transfer = {
  key: number;
  name: string;
  size: number;
  fingerprint: string;
  sent: number;
  state: "sending" | "waiting" | "done" | "refused" | "canceled";
  /** The reason if it was refused. */
  text: string;
  /** The id of the stored file once it is done. */
  id: string | null;
};

/**
 * The uploads of this tab. Kept outside the pages, so that navigating away or going offline does not stop them. Runs in
 * the browser only.
 */
let transfers: readonly Transfer[] = [];
const running = new Map<number, AbortController>();
const listeners = new Set<() => void>();
const NONE: readonly Transfer[] = [];
let nextKey = 1;
/** Files are sent one after another: two at once would only share the bandwidth. */
let queue: Promise<void> = Promise.resolve();

export function addFiles(files: Iterable<File>, onStored: () => void): void {
  for (const file of files) {
    const fingerprint = fingerprintOf(file);
    const isRunning = transfers.some(
      (other) => other.fingerprint === fingerprint && (other.state === "sending" || other.state === "waiting"),
    );
    if (isRunning) continue;
    const key = nextKey++;
    const refused = fileError(file);
    const transfer = { key, name: file.name, size: file.size, fingerprint, sent: 0, id: null };
    set([{ ...transfer, state: refused ? "refused" : "waiting", text: refused ?? "" }, ...transfers]);
    if (refused) continue;
    running.set(key, new AbortController());
    queue = queue.then(() => send(key, file, onStored));
  }
}

export function cancelTransfer(key: number): void {
  running.get(key)?.abort(new DOMException("canceled", "AbortError"));
  change(key, { state: "canceled" });
}

/** Removes a finished upload from the list. */
export function clearTransfer(key: number): void {
  set(transfers.filter((one) => one.key !== key));
}

export function useTransfers(): readonly Transfer[] {
  return useSyncExternalStore(
    subscribe,
    () => transfers,
    () => NONE,
  );
}

async function send(key: number, file: File, onStored: () => void): Promise<void> {
  const control = running.get(key);
  if (!control || control.signal.aborted) return;
  change(key, { state: "sending" });
  try {
    const { id } = await uploadFile(
      file,
      control.signal,
      (sent) => change(key, { sent }),
      (waiting) => change(key, { state: waiting ? "waiting" : "sending" }),
    );
    change(key, { state: "done", sent: file.size, id });
    onStored();
  } catch (error) {
    if (control.signal.aborted) change(key, { state: "canceled" });
    else change(key, { state: "refused", text: error instanceof Refused ? error.message : String(error) });
  } finally {
    running.delete(key);
  }
}

function change(key: number, to: Partial<Transfer>): void {
  set(transfers.map((one) => (one.key === key ? { ...one, ...to } : one)));
}

function set(next: readonly Transfer[]): void {
  transfers = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
