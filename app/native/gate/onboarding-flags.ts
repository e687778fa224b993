/** Where a browser keeps that the introduction was seen, for each platform. */
export const ONBOARDING_KEYS = { web: "growline.onboarding.web.v1", app: "growline.onboarding.app.v1" } as const;

export const ONBOARDING_PATH = "/onboarding";

/** Between the decision to go to onboarding at start-up and the going. */
const START_UP_KEY = "growline.onboarding.start-up";
const CHANGED = "growline:onboarding";
const START_UP = "growline:start-up";

export function hasOnboarded(platform: keyof typeof ONBOARDING_KEYS): boolean {
  try {
    return localStorage.getItem(ONBOARDING_KEYS[platform]) !== null;
  } catch {
    // It could never be finished: nothing can be kept there.
    return true;
  }
}

export function finishOnboarding(platform: keyof typeof ONBOARDING_KEYS): void {
  try {
    localStorage.setItem(ONBOARDING_KEYS[platform], new Date().toISOString());
  } catch {
    // Forbidden storage counts as finished.
  }
  window.dispatchEvent(new Event(CHANGED));
}

/** False when storage is forbidden: nothing can be kept there then. */
export function forgetOnboarding(): boolean {
  try {
    for (const key of Object.values(ONBOARDING_KEYS)) localStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}

/** Answers how to stop listening. */
export function onOnboardingFinished(callback: () => void): () => void {
  window.addEventListener(CHANGED, callback);
  return () => window.removeEventListener(CHANGED, callback);
}

export function markStartUp(): void {
  try {
    sessionStorage.setItem(START_UP_KEY, "1");
  } catch {
    // Forbidden storage counts as onboarded.
    return;
  }
  window.dispatchEvent(new Event(START_UP));
}

/** Answers how to stop listening. */
export function onStartUp(callback: () => void): () => void {
  window.addEventListener(START_UP, callback);
  return () => window.removeEventListener(START_UP, callback);
}

/** Whether start-up had decided to go to onboarding; true once for each decision. */
export function takeStartUp(): boolean {
  try {
    const marked = sessionStorage.getItem(START_UP_KEY) !== null;
    sessionStorage.removeItem(START_UP_KEY);
    return marked;
  } catch {
    return false;
  }
}
