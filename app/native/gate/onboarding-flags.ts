/** Storage keys for having seen the introduction, one per platform. */
export const ONBOARDING_KEYS = { web: "growline.onboarding.web.v1", app: "growline.onboarding.app.v1" } as const;

export const ONBOARDING_PATH = "/onboarding";

/** Set between the startup decision and the redirect to onboarding. */
const START_UP_KEY = "growline.onboarding.start-up";
const CHANGED = "growline:onboarding";
const START_UP = "growline:start-up";

export function hasOnboarded(platform: keyof typeof ONBOARDING_KEYS): boolean {
  try {
    return localStorage.getItem(ONBOARDING_KEYS[platform]) !== null;
  } catch {
    // Storage is blocked, so the introduction could never be finished.
    return true;
  }
}

export function finishOnboarding(platform: keyof typeof ONBOARDING_KEYS): void {
  try {
    localStorage.setItem(ONBOARDING_KEYS[platform], new Date().toISOString());
  } catch {
    // Blocked storage counts as finished.
  }
  window.dispatchEvent(new Event(CHANGED));
}

/** Returns false if storage is blocked, so that there is nothing to forget. */
export function forgetOnboarding(): boolean {
  try {
    for (const key of Object.values(ONBOARDING_KEYS)) localStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}

/** Returns a function that stops listening. */
export function onOnboardingFinished(callback: () => void): () => void {
  window.addEventListener(CHANGED, callback);
  return () => window.removeEventListener(CHANGED, callback);
}

export function markStartUp(): void {
  try {
    sessionStorage.setItem(START_UP_KEY, "1");
  } catch {
    // Blocked storage counts as onboarded.
    return;
  }
  window.dispatchEvent(new Event(START_UP));
}

/** Returns a function that stops listening. */
export function onStartUp(callback: () => void): () => void {
  window.addEventListener(START_UP, callback);
  return () => window.removeEventListener(START_UP, callback);
}

/** Returns whether startup decided to go to onboarding. True once per decision. */
export function takeStartUp(): boolean {
  try {
    const marked = sessionStorage.getItem(START_UP_KEY) !== null;
    sessionStorage.removeItem(START_UP_KEY);
    return marked;
  } catch {
    return false;
  }
}
