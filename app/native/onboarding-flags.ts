/** Where a browser keeps that the introduction was seen, for each platform. */
export const ONBOARDING_KEYS = { web: "growline.onboarding.web.v1", app: "growline.onboarding.app.v1" } as const;

/** False when storage is forbidden: nothing can be kept there then. */
export function forgetOnboarding(): boolean {
  try {
    for (const key of Object.values(ONBOARDING_KEYS)) localStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}
