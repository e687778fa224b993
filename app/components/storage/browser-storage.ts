/**
 * The browser's storage. It may be forbidden, full or missing: nothing here throws, and what can't be stored is kept in
 * memory, as long as the page.
 */
export type BrowserStorage = {
  get(key: string): string | null;
  /** Returns false if the value is kept in memory only. */
  set(key: string, value: string): boolean;
  remove(key: string): void;
  keys(): string[];
  /** Returns whether the browser allows storage at all. */
  isAllowed(): boolean;
};

/** Shared by all tabs, and kept when they close. */
export const browserStorage = openStorage(() => localStorage);
/** Kept for this tab only, until it closes. */
export const tabStorage = openStorage(() => sessionStorage);

/** `find` throws where the browser forbids storage, and so may each use of what it returns. */
export function openStorage(find: () => Storage): BrowserStorage {
  const unstored = new Map<string, string>();
  const attempt = <T>(fallback: T, use: (storage: Storage) => T): T => {
    try {
      return use(find());
    } catch {
      return fallback;
    }
  };
  return {
    get: (key) => unstored.get(key) ?? attempt(null, (storage) => storage.getItem(key)),
    set(key, value) {
      const isStored = attempt(false, (storage) => {
        storage.setItem(key, value);
        return true;
      });
      if (isStored) unstored.delete(key);
      else unstored.set(key, value);
      return isStored;
    },
    remove(key) {
      unstored.delete(key);
      attempt(undefined, (storage) => storage.removeItem(key));
    },
    keys() {
      const stored = attempt([], (storage) => Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? ""));
      return [...new Set([...unstored.keys(), ...stored])];
    },
    isAllowed: () => attempt(false, (storage) => storage.length >= 0 && !("isMemory" in storage)),
  };
}
