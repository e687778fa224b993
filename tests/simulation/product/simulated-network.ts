import { HANGS } from "./hanging-response.ts";

/**
 * The network of a simulated product. A stand-in that hangs says so at once, and the call then ends after a moment of real
 * time with the error of its time-out, instead of after the 20 seconds that it has. One without any limit goes on hanging.
 * Import this module before the product's.
 */

const HANGS_FOR_MS = 300;
const HANGS_WITHOUT_LIMIT_MS = 60_000;
const machineFetch = globalThis.fetch;

globalThis.fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
  const response = await machineFetch(input, init);
  if (!response.headers.has(HANGS)) return response;
  await response.body?.cancel();
  await scheduler.wait(init?.signal ? HANGS_FOR_MS : HANGS_WITHOUT_LIMIT_MS);
  init?.signal?.throwIfAborted();
  throw new DOMException("The operation was aborted due to timeout", "TimeoutError");
};
