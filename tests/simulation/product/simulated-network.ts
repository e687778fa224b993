import { HANGS } from "./hanging-response.ts";

/**
 * Network of a simulated product. A stand-in that hangs says so at once. The call then ends with its timeout error after a
 * moment of real time, instead of its usual 20 seconds. A call without a limit hangs for a minute, in which the world waits
 * for it. Import this module before the product's.
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
