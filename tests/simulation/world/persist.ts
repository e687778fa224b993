const TRIES = 200;
const RETRY_MS = 50;

/** Repeats an attempt, as a patient person does, until it returns something. Returns null after ten seconds or more. */
export async function persist<T>(attempt: () => Promise<T | null>): Promise<T | null> {
  for (let tries = 0; tries < TRIES; tries++) {
    const result = await attempt().catch(() => null);
    if (result !== null) return result;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  return null;
}
