import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { EVERY_MINUTE, NIGHTLY } from "#workers/cron-triggers.ts";

test("wrangler.toml triggers the crons that the scheduled jobs know", () => {
  const { triggers } = unstable_readConfig({ config: join(import.meta.dirname, "..", "..", "wrangler.toml") });
  expect(triggers.crons).toEqual([EVERY_MINUTE, NIGHTLY]);
});
