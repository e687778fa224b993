import { Preferences } from "@capacitor/preferences";

/**
 * When the system kills the app, it may have cleared or not yet written the web view's cookies and storage. So the stored
 * session is also kept in the app's preferences. This event, sent by `accounts`, reports a change.
 */
export const SESSION_CHANGED = "growline:session";

/** Restores the kept session to local storage. Returns whether there was one to restore. */
export async function restoreKept(key: string): Promise<boolean> {
  if (localStorage.getItem(key) !== null) return false;
  const { value } = await Preferences.get({ key });
  if (value === null) return false;
  localStorage.setItem(key, value);
  return true;
}

/** Keeps the stored session, now and on each change. Returns a function that stops it. */
export function keepSession(key: string): () => void {
  // One at a time, or an older value could be written last.
  let work = Promise.resolve();
  const keep = () => {
    work = work.then(() => {
      const value = localStorage.getItem(key);
      return value === null ? Preferences.remove({ key }) : Preferences.set({ key, value });
    });
    work = work.catch(() => {});
  };
  keep();
  window.addEventListener(SESSION_CHANGED, keep);
  return () => window.removeEventListener(SESSION_CHANGED, keep);
}
