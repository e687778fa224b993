import { browserStorage, tabStorage } from "#app/components/storage/browser-storage.ts";

/** Storage keys for having seen the introduction, one per platform. */
export const ONBOARDING_KEYS = { web: "growline.onboarding.web.v1", app: "growline.onboarding.app.v1" } as const;

export const ONBOARDING_PATH = "/onboarding";

/** Set between the startup decision and the redirect to onboarding. */
const START_UP_KEY = "growline.onboarding.start-up";
const CHANGED = "growline:onboarding";
const START_UP = "growline:start-up";

export function hasOnboarded(platform: keyof typeof ONBOARDING_KEYS): boolean {
  // Without storage, the introduction would never be finished.
  return !browserStorage.isAllowed() || browserStorage.get(ONBOARDING_KEYS[platform]) !== null;
}

export function finishOnboarding(platform: keyof typeof ONBOARDING_KEYS): void {
  browserStorage.set(ONBOARDING_KEYS[platform], new Date().toISOString());
  window.dispatchEvent(new Event(CHANGED));
}

/** Returns false if storage is blocked, so that there is nothing to forget. */
export function forgetOnboarding(): boolean {
  for (const key of Object.values(ONBOARDING_KEYS)) browserStorage.remove(key);
  return browserStorage.isAllowed();
}

/** Returns a function that stops listening. */
export function onOnboardingFinished(callback: () => void): () => void {
  window.addEventListener(CHANGED, callback);
  return () => window.removeEventListener(CHANGED, callback);
}

export function markStartUp(): void {
  tabStorage.set(START_UP_KEY, "1");
  window.dispatchEvent(new Event(START_UP));
}

/** Returns a function that stops listening. */
export function onStartUp(callback: () => void): () => void {
  window.addEventListener(START_UP, callback);
  return () => window.removeEventListener(START_UP, callback);
}

/** Returns whether startup decided to go to onboarding. True once per decision. */
export function takeStartUp(): boolean {
  const marked = tabStorage.get(START_UP_KEY) !== null;
  tabStorage.remove(START_UP_KEY);
  return marked;
}
