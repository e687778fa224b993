import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { previousRelease } from "#tools/deploy/upgrade/upgrade-check.ts";
import { build } from "./build.ts";
import { chromiumPath, DEBIAN_CHROMIUM, hasHeadlessShell } from "./chromium.ts";
import { readArguments } from "./command-line.ts";
import { canInstallPackages, installPackages, missingLanguages } from "./debian-packages.ts";
import { memoryFolder } from "./memory-folder.ts";
import { TYPE_CHECK } from "./type-check.ts";

/**
 * `npm test` checks what every change must keep, from types to browsers, on a machine with nothing but Node. `npm run test:all`
 * runs the nightly tests too: see CONTRIBUTING.md. `npm test -- PATTERN` runs the test files whose path contains the pattern,
 * or else the tests whose name contains it, nightly or not.
 */

type Tests = { unit: string[]; browser: string[]; name?: string };

const USAGE = `npm test                 checks what every change must keep, from types to browsers
npm run test:all         the same with the nightly tests: before a release, and each night
npm test -- PATTERN …    the test files whose path contains a pattern, or else the tests whose name contains one`;
const { positionals: patterns, values: options } = readArguments({
  usage: USAGE,
  options: { all: { type: "boolean", default: false } },
  max: Number.POSITIVE_INFINITY,
});

const root = join(import.meta.dirname, "..", "..");
const bin = join(root, "node_modules", ".bin");
/** Holds what the tests write. */
const scratch = mkdtempSync(join(process.env.TMPDIR ? tmpdir() : (memoryFolder() ?? tmpdir()), "growline-test-"));
const reports = join(scratch, "reports");
mkdirSync(reports);
process.once("exit", () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const unitJson = join(reports, "unit.json");
const workerdJson = join(reports, "workerd.json");
const playwrightJson = join(reports, "playwright.json");

const SIMULATE = [join("tests", "simulation", "simulate.ts"), "--kept"];
if (options.all) SIMULATE.push("--seeds", "3", "--profile", "tiny");
/** Runs samples in languages that a machine may not have, and skips those. */
const RUNS_LANGUAGES = /(webhook-samples|panel-clients)\.nightly\./;
/** Vitest's names for a test that was not run. */
const NOT_RUN = ["skipped", "pending", "todo", "disabled"];
const SHOWN_CHARACTERS = 1500;
/** The end of what each failed background step printed, by its title. */
const endings = new Map<string, string>();
/** The steps that run, and whether they are being ended. */
const running = new Set<ChildProcess>();
let isEnding = false;
const UPGRADE = join("tools", "deploy", "upgrade", "upgrade-check.ts");

process.exitCode = patterns.length > 0 ? await runMatching(patterns) : await runAll();

async function runAll(): Promise<number> {
  const types = stepInBackground("Types", "node", TYPE_CHECK);
  // Waits for the network while the others compute.
  const installed = installChromium();
  const linted = await step("Formatting and lint", "biome", ["check", "--error-on-warnings", "."]);
  console.log("\n── Build");
  await build(root);
  if (!linted) {
    await types;
    return 1;
  }
  // The tests begin on the core that is free by now, and end with a type error.
  const untyped = types.then((passed) => !passed && endSteps());
  if (!(await installed) || isEnding) return 1;
  if (options.all) await installLanguages();
  // All at once, because each leaves the processor idle much of the time. The two runtimes are runs of their own: in one run
  // of two workers, vitest begins the second when the first is done to its last and longest file.
  const unitRun = stepInBackground("Unit tests", "vitest", vitestArgs(unitJson, 1, "node", "node-mocking"));
  // Files on workerd wait more than they compute. With fewer workers, they would be the last to end.
  const workerdRun = stepInBackground("Tests on workerd", "vitest", vitestArgs(workerdJson, 3, "workerd"));
  const browserRun = step("Browser tests", "playwright", ["test"], { PLAYWRIGHT_JSON: playwrightJson });
  const simulation = Promise.race([unitRun, workerdRun, browserRun]).then(() =>
    // Keeps the script of a world that broke a rule.
    isEnding ? false : stepInBackground("Simulated world", "node", SIMULATE, { TMPDIR: tmpdir() }),
  );
  const [unit, onWorkerd, browser, simulated] = await Promise.all([unitRun, workerdRun, browserRun, simulation]);
  if (await untyped) return 1;
  // Without a release there is nothing to upgrade from.
  const upgraded = !options.all || previousRelease(root) === null || (await step("Upgrade", "node", [UPGRADE]));
  const { passed, failed, skipped } = count();
  // Last, because of a long log often only the end is kept.
  for (const { name, message } of failed) console.log(`\nfailed: ${name}\n${message.slice(0, SHOWN_CHARACTERS)}`);
  console.log(`\n${passed} passed, ${failed.length} failed, ${skipped.length} skipped`);
  for (const name of skipped) console.log(`  not run: ${name}`);
  const steps = { "Unit tests": unit, "Tests on workerd": onWorkerd, "Browser tests": browser };
  const failedSteps = Object.entries({ ...steps, "Simulated world": simulated, Upgrade: upgraded }).filter(
    ([, ok]) => !ok,
  );
  // Tests have been named above.
  if (!simulated) console.log(endings.get("Simulated world"));
  for (const [title] of failedSteps) console.log(`${title}: failed`);
  return failedSteps.length === 0 && failed.length === 0 && passed > 0 ? 0 : 1;
}

function vitestArgs(json: string, workers: number, ...projects: string[]): string[] {
  const chosen = projects.flatMap((project) => ["--project", project]);
  return [
    "run",
    ...chosen,
    `--maxWorkers=${workers}`,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${json}`,
  ];
}

function endSteps(): true {
  isEnding = true;
  for (const child of running) child.kill();
  return true;
}

/** Builds nothing: the workerd tests and every copy of the product build by themselves if a source is newer. */
async function runMatching(patterns: string[]): Promise<number> {
  const { unit, browser, name } = findTests(patterns);
  if (unit.length + browser.length === 0) {
    console.error(`No test file and no test name contains "${patterns.join('" or "')}".`);
    return 1;
  }
  let passed = true;
  if (unit.length > 0) {
    if (unit.some((file) => RUNS_LANGUAGES.test(file))) await installLanguages();
    passed = await step("Unit and workerd tests", "vitest", ["run", ...unit, ...(name ? ["-t", name] : [])]);
  }
  if (browser.length > 0) {
    if (!(await installChromium())) return 1;
    const named = await step("Browser tests", "playwright", ["test", ...browser, ...(name ? ["--grep", name] : [])]);
    passed = passed && named;
  }
  return passed ? 0 : 1;
}

/** Returns the files whose path contains a pattern, or else the files with a test whose name contains it. */
function findTests(patterns: string[]): Tests {
  const unit = globSync(["{app,workers,tests,tools}/**/*.test.ts"], { cwd: root });
  const browser = globSync(["tests/e2e/**/*.spec.ts"], { cwd: root });
  const paths = patterns.map((pattern) => (existsSync(pattern) ? relative(root, resolve(pattern)) : pattern));
  const hasPath = (file: string) => paths.some((path) => file.toLowerCase().includes(path.toLowerCase()));
  const byPath = { unit: unit.filter(hasPath), browser: browser.filter(hasPath) };
  if (byPath.unit.length + byPath.browser.length > 0) return byPath;
  const name = patterns.map((pattern) => pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const title = new RegExp(`\\b(test|describe)[.\\w]*\\(.*(${name})`);
  const hasName = (file: string) => title.test(readFileSync(join(root, file), "utf8"));
  return { unit: unit.filter(hasName), browser: browser.filter(hasName), name };
}

/** Runs a step in the background and prints its output at the end, so that it does not mix with another step's. */
function stepInBackground(
  title: string,
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<boolean> {
  const child = spawn(join(bin, command), args, { cwd: root, env: testEnv(env), stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
  child.once("error", (error) => output.push(Buffer.from(`${error}\n`)));
  return new Promise((resolve) => {
    child.once("close", (status) => {
      running.delete(child);
      console.log(`\n── ${title}`);
      const printed = Buffer.concat(output);
      process.stdout.write(printed);
      if (status !== 0) {
        console.log(`${title}: failed`);
        endings.set(title, printed.subarray(-SHOWN_CHARACTERS * 2).toString());
      }
      resolve(status === 0);
    });
  });
}

function testEnv(env: Record<string, string> = {}): NodeJS.ProcessEnv {
  // Without patterns: those find nightly tests, too.
  const tier = options.all || patterns.length > 0 ? "all" : "core";
  return {
    ...process.env,
    WRANGLER_SEND_METRICS: "false",
    TEST_TIER: tier,
    TMPDIR: scratch,
    ...env,
  };
}

function step(title: string, command: string, args: string[], env: Record<string, string> = {}): Promise<boolean> {
  console.log(`\n── ${title}`);
  const child = spawn(join(bin, command), args, { cwd: root, stdio: "inherit", env: testEnv(env) });
  running.add(child);
  return new Promise((resolve) => {
    child.once("error", (error) => console.log(String(error)));
    child.once("close", (status) => {
      running.delete(child);
      if (status !== 0) console.log(`${title}: failed`);
      resolve(status === 0);
    });
  });
}

/** Installs Debian's headless shell, beside the whole browser too, or else the browser that Playwright downloads. */
async function installChromium(): Promise<boolean> {
  if (hasHeadlessShell()) return true;
  if (canInstallPackages()) {
    console.log("\n── Installing Chromium");
    if (await installPackages([DEBIAN_CHROMIUM])) return true;
  }
  // The whole browser does as well, in more time.
  return chromiumPath() !== undefined || step("Installing Chromium", "playwright", ["install", "chromium"]);
}

/** Installs what is missing on Debian. Elsewhere the samples in these languages are skipped, and named at the end. */
async function installLanguages(): Promise<void> {
  const missing = missingLanguages();
  if (missing.length === 0 || !canInstallPackages()) return;
  console.log(`\n── Installing ${missing.join(" and ")}`);
  await installPackages(missing);
}

/** `skipped` are names of tests. */
function count(): { passed: number; failed: FailedTest[]; skipped: string[] } {
  const total = { passed: 0, failed: [] as FailedTest[], skipped: [] as string[] };
  for (const json of [unitJson, workerdJson]) {
    if (!existsSync(json)) continue;
    const report: VitestReport = JSON.parse(readFileSync(json, "utf8"));
    total.passed += report.numPassedTests;
    for (const { name, status, message, assertionResults } of report.testResults) {
      const broken = assertionResults.filter((test) => test.status === "failed");
      total.failed.push(...broken.map((test) => failedTest(name, test.fullName, test.failureMessages ?? [])));
      // A file that could not be loaded has no tests.
      if (status === "failed" && broken.length === 0) total.failed.push(failedTest(name, "", [message ?? ""]));
      const notRun = assertionResults.filter((test) => NOT_RUN.includes(test.status));
      total.skipped.push(...notRun.map(({ fullName }) => fullName));
    }
  }
  if (existsSync(playwrightJson)) {
    const { stats, suites }: PlaywrightReport = JSON.parse(readFileSync(playwrightJson, "utf8"));
    total.passed += stats.expected;
    const tests = testsIn(suites);
    total.failed.push(...tests.filter(({ status }) => status === "unexpected").map(({ test }) => test));
    total.skipped.push(...tests.filter(({ status }) => status === "skipped").map(({ test }) => test.name));
  }
  return total;
}

function failedTest(file: string, name: string, messages: string[]): FailedTest {
  return { name: `${relative(root, file)} ${name}`.trim(), message: stripVTControlCharacters(messages.join("\n")) };
}

type FailedTest = { name: string; message: string };
type VitestReport = {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
  }[];
};
type PlaywrightSuite = {
  specs: {
    title: string;
    file: string;
    tests: { status: string; results: { error?: { message?: string } }[] }[];
  }[];
  suites?: PlaywrightSuite[];
};
type PlaywrightReport = {
  stats: { expected: number };
  suites: PlaywrightSuite[];
};

function testsIn(suites: PlaywrightSuite[]): { status: string; test: FailedTest }[] {
  return suites.flatMap(({ specs, suites: inner = [] }) => [
    ...specs.flatMap(({ title, file, tests }) =>
      tests.map(({ status, results }) => {
        const messages = results.map(({ error }) => error?.message ?? "");
        return { status, test: failedTest(join(root, "tests", "e2e", file), title, messages) };
      }),
    ),
    ...testsIn(inner),
  ]);
}
