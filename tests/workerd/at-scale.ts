import { env } from "cloudflare:workers";

/**
 * Returns the size of what a test fills or repeats: `core` in `npm test`, where it must be large enough to fail for the
 * test's fault, and `all` in `npm run test:all` and where a file is run alone.
 */
export function atScale(core: number, all: number): number {
  return env.TEST_TIER === "core" ? core : all;
}
