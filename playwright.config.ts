import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

const DEBIAN_CHROMIUM = "/usr/bin/chromium";

export default defineConfig({
  testDir: "tests/e2e",
  outputDir: "test-results",
  // One worker: it brings up a whole copy of the product, and CI has two cores.
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  // Where a machine is shared, one test in two hundred meets a moment of its own. What passes only then is listed as flaky.
  retries: process.env.CI ? 1 : 0,
  reporter: process.env.PLAYWRIGHT_JSON ? [["line"], ["json", { outputFile: process.env.PLAYWRIGHT_JSON }]] : "list",
  use: {
    // Recording every test nearly doubles its processor time.
    trace: "on-first-retry",
    screenshot: "only-on-failure",
    launchOptions: {
      ...(existsSync(DEBIAN_CHROMIUM) && { executablePath: DEBIAN_CHROMIUM }),
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
