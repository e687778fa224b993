import type { Site } from "./site.ts";

/** So often at once, as whoever meets a moment's failure, and then once in each step of the world's clock. */
const TRIES_AT_ONCE = 4;
const RETRY_MS = 50;
export const TRIES = 60;

/**
 * Repeats an attempt, as a patient person does, until it returns something. Returns null after an hour or more of the
 * world's clock.
 */
export async function persist<T>(site: Site, attempt: () => Promise<T | null>): Promise<T | null> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const result = await attempt().catch(() => null);
    if (result !== null) return result;
    await waitAfter(site, tries);
  }
  site.count("gave up");
  return null;
}

/** Waits between two attempts of a person, of whom `tries` have failed. */
export async function waitAfter(site: Site, tries: number): Promise<void> {
  if (tries >= TRIES_AT_ONCE) return site.pause();
  await site.during(new Promise((resolve) => setTimeout(resolve, RETRY_MS)));
}
