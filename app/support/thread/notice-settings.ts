import { useSyncExternalStore } from "react";
import { browserStorage } from "#app/components/storage/browser-storage.ts";

/** A way to announce new messages. Stored per browser, on by default, and shared by all tabs. */
export type Notice = keyof typeof KEYS;

const KEYS = {
  /** In the visitor's chat it switches the title as well. */
  sound: "growline.support.notices.v1",
  desktop: "growline.console.desktop.v1",
  title: "growline.console.title.v1",
};
const CHANGED = "growline:notices";

/** Returns whether the notice is on; always false on the server, which has no storage. */
export function useNotice(notice: Notice): boolean {
  return useSyncExternalStore(
    subscribe,
    () => browserStorage.get(KEYS[notice]) !== "off",
    () => false,
  );
}

export function setNotice(notice: Notice, on: boolean): void {
  browserStorage.set(KEYS[notice], on ? "on" : "off");
  window.dispatchEvent(new Event(CHANGED));
}

function subscribe(changed: () => void): () => void {
  // The storage event reaches other tabs only.
  for (const type of [CHANGED, "storage"]) window.addEventListener(type, changed);
  return () => {
    for (const type of [CHANGED, "storage"]) window.removeEventListener(type, changed);
  };
}
