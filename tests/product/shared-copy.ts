import { test as base } from "vitest";
import { type LocalCopy, startLocalCopy } from "./local-copy.ts";

/** Each run of the jobs takes a tenth of a second of processor time, and these tests wait for no job. */
export const CRON_EVERY_MS = "10000";

/**
 * A test with a running copy, which all files of the process share: for tests that neither stop it nor count what others
 * may add.
 */
export const test = base.extend<{ copy: LocalCopy }>({
  copy: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures it depends on from the pattern
    async ({}, use) => {
      const copy = await startLocalCopy({ CRON_EVERY_MS });
      await use(copy);
      await copy.remove();
    },
    { scope: "worker" },
  ],
});
