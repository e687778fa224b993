import { Preferences } from "@capacitor/preferences";

/**
 * The system may clear or not yet have written a web view's cookies and storage when it kills the app. So the stored
 * session is also kept in the app's own preferences. `accounts` says by an event that it changed.
 */
export const SESSION_CHANGED = "growline:session";

/** Puts the kept session back where the page looks for it. Answers whether there was one to put back. */
export async function restoreKept(key: string): Promise<boolean> {
  if (localStorage.getItem(key) !== null) return false;
  const { value } = await Preferences.get({ key });
  if (value === null) return false;
  localStorage.setItem(key, value);
  return true;
}

/** Keeps what is stored now and each time it changes. Answers how to stop. */
export function keepSession(key: string): () => void {
  // One after the other, or an older value could arrive last.
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
