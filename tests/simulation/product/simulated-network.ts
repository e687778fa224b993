import { fetchWithoutHanging } from "./hanging-response.ts";

/** Network of a simulated product, where stand-ins that hang take no real time. Import this module before the product's. */
globalThis.fetch = fetchWithoutHanging(
  globalThis.fetch,
  (ms) => scheduler.wait(ms),
  // The oracle of the log finds it.
  (url) => console.error(JSON.stringify({ level: "error", message: "a call has no time limit", url })),
);
