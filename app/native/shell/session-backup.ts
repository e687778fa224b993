import { Preferences } from "@capacitor/preferences";
import { browserStorage } from "#app/components/storage/browser-storage.ts";

/**
 * A copy of the stored session in the app's preferences. When the system kills the app, it may have cleared or not yet
 * written the web view's cookies and storage.
 */

/** The event that `accounts` sends when the stored session changes. */
export const SESSION_CHANGED = "growline:session";

/** Restores the session from the copy to local storage. Returns whether there was one to restore. */
export async function restoreSession(key: string): Promise<boolean> {
  if (browserStorage.get(key) !== null) return false;
  const { value } = await Preferences.get({ key });
  if (value === null) return false;
  browserStorage.set(key, value);
  return true;
}

/** Copies the stored session at once and on each change. Returns a function that stops it. */
export function backUpSession(key: string): () => void {
  // One write at a time, or an older value could be written last.
  let work = Promise.resolve();
  const backUp = () => {
    work = work.then(() => {
      const value = browserStorage.get(key);
      return value === null ? Preferences.remove({ key }) : Preferences.set({ key, value });
    });
    work = work.catch(() => {});
  };
  backUp();
  window.addEventListener(SESSION_CHANGED, backUp);
  return () => window.removeEventListener(SESSION_CHANGED, backUp);
}
