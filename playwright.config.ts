import { defineConfig } from "@playwright/test";
import { chromiumPath } from "./tools/run/chromium.ts";

const executablePath = chromiumPath();
/** `npm test` leaves the nightly files, and tests with this tag, to `npm run test:all`. */
const IS_CORE = process.env.TEST_TIER === "core";

export default defineConfig({
  testDir: "tests/e2e",
  outputDir: "test-results",
  ...(IS_CORE && { testIgnore: "**/*.nightly.spec.ts", grepInvert: /@nightly/ }),
  // Each worker starts a whole copy of the product, and two cores run the unit tests beside them.
  workers: 2,
  // For a busy machine, on which a copy of the product takes half a minute to start. None of it is asserted.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  // A test that passes only on the second try hides a race, of the test or of the product.
  retries: 0,
  reporter: process.env.PLAYWRIGHT_JSON ? [["line"], ["json", { outputFile: process.env.PLAYWRIGHT_JSON }]] : "list",
  use: {
    // Recording every test nearly doubles its processor time. To see one: `playwright test FILE --trace on`.
    trace: "off",
    screenshot: "only-on-failure",
    // Drawing moving pages took a third of Chromium's processor time. `npm run test:all` lets them move.
    ...(IS_CORE && { contextOptions: { reducedMotion: "reduce" as const } }),
    launchOptions: {
      ...(executablePath && { executablePath }),
      // In a locale that the machine lacks, downloads get another name below a folder whose path is not ASCII.
      env: { ...(process.env as Record<string, string>), LC_ALL: "C.UTF-8" },
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
