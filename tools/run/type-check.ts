import { join } from "node:path";

/**
 * Arguments with which Node checks the types. Both TypeScripts are named tsc in node_modules/.bin: the native one checks in a
 * third of the processor time, and tests read sources through the API that it no longer has. More threads would end a little
 * sooner, but need another half of the time and a gigabyte more.
 */
export const TYPE_CHECK = [
  join(import.meta.dirname, "..", "..", "node_modules", "typescript-7", "bin", "tsc"),
  "--singleThreaded",
];
