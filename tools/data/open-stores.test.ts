import { afterEach, expect, test, vi } from "vitest";
import { openStores } from "./open-stores.ts";

afterEach(() => vi.unstubAllEnvs());

test("restores from and into the databases that were deployed, never those of wrangler.toml", async () => {
  vi.stubEnv("DEPLOYMENT", "elsewhere");
  await expect(openStores("remote")).rejects.toThrow('DEPLOYMENT is staging or production, not "elsewhere".');
});
