const ATTEMPTS = 4;
const RETRY_MS = 200;

/**
 * Stores what only this call knows, such as a provider's answer: `store` is tried four times within three seconds. A failed
 * attempt may have been stored all the same, so it must be safe to repeat. Throws the last error.
 */
export async function storeAnswer(store: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await store();
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await scheduler.wait(RETRY_MS * 2 ** attempt);
    }
  }
}
