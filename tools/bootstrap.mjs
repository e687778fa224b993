// Runs with nothing installed, on any Node from 20.20: installs what is missing, then runs the named
// tool on the Node that the project pins. Usage: node tools/bootstrap.mjs tools/run/start.ts [arguments]
import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// By the URL: the newer "dirname" would end an old Node before it is told that it is too old.
const root = fileURLToPath(new URL("..", import.meta.url));

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 20)) {
  fail(`Node ${process.versions.node} is too old: Growline needs 20.20 or newer.`);
}
if (!isInstalled()) install();

const bin = join(root, "node_modules", ".bin");
// Miniflare and wrangler are megabytes. Compiled once, they take a quarter less time to load.
const compileCache = join(root, "node_modules", ".cache", "compile");
const home = homeInsteadOfReadOnly();
const child = spawn(join(bin, process.platform === "win32" ? "node.cmd" : "node"), process.argv.slice(2), {
  cwd: root,
  // The channel closes when this process ends, for whatever reason. The child then ends too.
  stdio: ["inherit", "inherit", "inherit", "ipc"],
  env: {
    NODE_COMPILE_CACHE: compileCache,
    ...process.env,
    ...(home && { HOME: home, npm_config_cache: join(home, ".npm") }),
    PATH: `${bin}${process.platform === "win32" ? ";" : ":"}${process.env.PATH}`,
  },
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
// Relays messages between the child and a test that started this process.
if (process.send) {
  process.on("message", (message) => child.send(message));
  child.on("message", (message) => process.send(message));
}
child.on("error", (error) => fail(`The pinned Node could not be started: ${error.message}`));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));

/** Whoever installed: npm notes what it has installed once all of it is there. Optional packages are of other platforms. */
function isInstalled() {
  try {
    const installed = packagesIn("node_modules/.package-lock.json");
    return Object.entries(packagesIn("package-lock.json")).every(([path, { version, integrity, optional }]) => {
      const found = installed[path];
      return path === "" || (found ? found.version === version && found.integrity === integrity : optional);
    });
  } catch {
    return false;
  }
}

function packagesIn(lock) {
  return JSON.parse(readFileSync(join(root, lock), "utf8")).packages;
}

function install() {
  process.stdout.write("Installing packages (about a minute) … ");
  const started = Date.now();
  const npm = process.env.npm_execpath;
  const [command, args] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  const cache = cacheInsteadOfHome();
  const ci = (...options) =>
    spawnSync(command, [...args, "ci", "--no-audit", "--no-fund", "--loglevel=error", ...options], {
      cwd: root,
      encoding: "utf8",
      // Dev dependencies are the toolchain, whatever NODE_ENV says.
      env: { ...process.env, NODE_ENV: "development", ...(cache && { npm_config_cache: cache }) },
    });
  // Without addresses in the lockfile, npm asks the registry about each package, also about those that it keeps: a third of the
  // time. What it keeps may be older than a version of the lockfile.
  let result = ci("--prefer-offline");
  if (result.status !== 0 && /\bETARGET\b/.test(result.stderr)) result = ci();
  if (cache) rmSync(cache, { recursive: true, force: true });
  if (result.status !== 0) {
    process.stdout.write("failed\n");
    fail(`npm ci failed: ${firstError(result.stderr || result.stdout || String(result.error))}`);
  }
  process.stdout.write(`${Math.round((Date.now() - started) / 1000)} s\n`);
}

/** Returns a folder in place of the home folder if that can't be written, because wrangler needs one. Else undefined. */
function homeInsteadOfReadOnly() {
  try {
    accessSync(homedir(), constants.W_OK);
    return undefined;
  } catch {
    const folder = join(root, "node_modules", ".cache", "home");
    mkdirSync(folder, { recursive: true });
    return folder;
  }
}

/** Returns a temporary folder for npm's cache where its usual one can't be written, because npm needs one. Else undefined. */
function cacheInsteadOfHome() {
  try {
    const usual = process.env.npm_config_cache ?? join(homedir(), ".npm");
    mkdirSync(usual, { recursive: true });
    accessSync(usual, constants.W_OK);
    return undefined;
  } catch {
    return mkdtempSync(join(tmpdir(), "growline-npm-"));
  }
}

function firstError(output) {
  return (
    output
      .split("\n")
      .find((line) => /err|ENOSPC|EACCES/i.test(line))
      ?.trim() ?? "no reason given"
  );
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
