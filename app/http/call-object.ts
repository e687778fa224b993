/**
 * Calls a Durable Object, once more if it was reset. `call` must take its stub itself, because an old one can stay broken,
 * and be safe to repeat: the first call may have been carried out.
 */
export async function callObject<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    // One more call would only add to what overloads it.
    const { retryable, overloaded } = (error ?? {}) as { retryable?: unknown; overloaded?: unknown };
    if (retryable !== true || overloaded === true) throw error;
    return call();
  }
}
