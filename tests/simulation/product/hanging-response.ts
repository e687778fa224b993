/** The header by which a stand-in outside the product says that it hangs: no response will ever come. */
export const HANGS = "x-world-hangs";

const HANGS_FOR_MS = 300;
const HANGS_WITHOUT_LIMIT_MS = 60_000;

/**
 * Returns a `fetch` for which a stand-in that hangs ends at once with the call's timeout error, after a moment of real time
 * instead of the usual 20 seconds. Whether the signal of a `Request` is a limit can't be seen, so it is waited for. A call
 * that nothing ends within a minute is told to `report`, and fails by another error than a timeout: it would hang forever.
 * `wait` waits for real ms.
 */
export function fetchWithoutHanging(
  machineFetch: typeof fetch,
  wait: (ms: number) => Promise<unknown>,
  report: (url: string) => void,
): typeof fetch {
  return async (input, init) => {
    const response = await machineFetch(input, init);
    if (!response.headers.has(HANGS)) return response;
    await response.body?.cancel();
    const signal = init?.signal;
    if (signal) {
      await wait(HANGS_FOR_MS);
      signal.throwIfAborted();
      throw new DOMException("The operation was aborted due to timeout", "TimeoutError");
    }
    const ofRequest = input instanceof Request ? input.signal : null;
    await Promise.race([wait(HANGS_WITHOUT_LIMIT_MS), ...(ofRequest ? [whenAborted(ofRequest)] : [])]);
    ofRequest?.throwIfAborted();
    const url = input instanceof Request ? input.url : String(input);
    report(url);
    throw new TypeError(`the call of ${url} has no time limit`);
  };
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
