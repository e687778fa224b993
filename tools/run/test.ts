import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./build.ts";

/** `npm test`: everything that has to hold, from types to browsers, on a machine with nothing but Node. */

const root = join(import.meta.dirname, "..", "..");
const bin = join(root, "node_modules", ".bin");
const reports = mkdtempSync(join(tmpdir(), "growline-test-"));
const vitestJson = join(reports, "vitest.json");
const playwrightJson = join(reports, "playwright.json");

process.exitCode = await main();
rmSync(reports, { recursive: true, force: true });

async function main(): Promise<number> {
  if (!step("Formatting and lint", "biome", ["check", "--error-on-warnings", "."])) return 1;
  if (!step("Types", "tsc", ["--noEmit"])) return 1;
  console.log("\n── Build");
  // The workerd tests go through the built pages.
  await build(root);
  const unit = step("Unit and workerd tests", "vitest", [
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${vitestJson}`,
  ]);
  if (!installChromium()) return 1;
  const browser = step("Browser tests", "playwright", ["test"], { PLAYWRIGHT_JSON: playwrightJson });
  const { passed, failed, skipped } = count();
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  return unit && browser && failed === 0 && passed > 0 ? 0 : 1;
}

function step(title: string, command: string, args: string[], env: Record<string, string> = {}): boolean {
  console.log(`\n── ${title}`);
  const { status } = spawnSync(join(bin, command), args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", ...env },
  });
  if (status !== 0) console.log(`${title}: failed`);
  return status === 0;
}

/** Debian's own by apt where this is root on Debian, elsewhere the one that Playwright downloads. */
function installChromium(): boolean {
  if (existsSync("/usr/bin/chromium")) return true;
  const isDebian = existsSync("/etc/debian_version") && process.getuid?.() === 0;
  if (!isDebian) return step("Installing Chromium", "playwright", ["install", "chromium"]);
  console.log("\n── Installing Chromium");
  const apt = (...args: string[]) =>
    spawnSync("apt-get", args, { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } })
      .status === 0;
  return apt("update", "-qq") && apt("install", "-y", "-qq", "--no-install-recommends", "chromium");
}

function count(): { passed: number; failed: number; skipped: number } {
  const total = { passed: 0, failed: 0, skipped: 0 };
  if (existsSync(vitestJson)) {
    const report = JSON.parse(readFileSync(vitestJson, "utf8"));
    total.passed += report.numPassedTests;
    total.failed += report.numFailedTests;
    total.skipped += report.numPendingTests + report.numTodoTests;
  }
  if (existsSync(playwrightJson)) {
    const { stats } = JSON.parse(readFileSync(playwrightJson, "utf8"));
    total.passed += stats.expected + stats.flaky;
    total.failed += stats.unexpected;
    total.skipped += stats.skipped;
  }
  return total;
}
