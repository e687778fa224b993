import { isUnavailable } from "./bounded-database.server.ts";

const ATTEMPTS = 4;
const RETRY_MS = 200;
const LONGEST_RETRY_MS = 10_000;
/** Outages of D1 of 80 s are known. */
const OUTAGE_MS = 120_000;

/**
 * Stores what only this call knows, such as a provider's answer: `store` is tried four times within three seconds, and for
 * two minutes while the database is unavailable. A failed attempt may have been stored all the same, so it must be safe to
 * repeat. Throws the last error.
 */
export async function storeAnswer(store: () => Promise<unknown>): Promise<void> {
  const started = Date.now();
  for (let attempt = 1; ; attempt++) {
    try {
      await store();
      return;
    } catch (error) {
      const isOver = isUnavailable(error) ? Date.now() - started >= OUTAGE_MS : attempt >= ATTEMPTS;
      if (isOver) throw error;
      await scheduler.wait(Math.min(RETRY_MS * 2 ** attempt, LONGEST_RETRY_MS));
    }
  }
}
