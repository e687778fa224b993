import { useSyncExternalStore } from "react";

/** How news makes itself heard. Each is kept in this browser, is on until it is switched off, and is the same in every tab. */
export type Notice = keyof typeof KEYS;

const KEYS = {
  /** In the visitors' chat the title goes with it. */
  sound: "growline.support.notices.v1",
  desktop: "growline.console.desktop.v1",
  title: "growline.console.title.v1",
};
const CHANGED = "growline:notices";

/** On the server, which has no storage, everything is off. */
export function useNotice(notice: Notice): boolean {
  return useSyncExternalStore(
    subscribe,
    () => localStorage.getItem(KEYS[notice]) !== "off",
    () => false,
  );
}

export function setNotice(notice: Notice, on: boolean): void {
  localStorage.setItem(KEYS[notice], on ? "on" : "off");
  window.dispatchEvent(new Event(CHANGED));
}

function subscribe(changed: () => void): () => void {
  // An event of this tab, and the one that other tabs get.
  for (const type of [CHANGED, "storage"]) window.addEventListener(type, changed);
  return () => {
    for (const type of [CHANGED, "storage"]) window.removeEventListener(type, changed);
  };
}
