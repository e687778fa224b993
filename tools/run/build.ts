import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { CommandError } from "./command-line.ts";
import { tryLock } from "./file-lock.ts";

const INPUTS = ["app", "workers", "public", "package-lock.json", "vite.config.ts", "wrangler.toml"];
const LOCK_POLL_MS = 200;

/**
 * Builds the client, the server and the bundled worker that `wrangler deploy` would upload, if a source changed since
 * the last build. Returns whether it built.
 */
export async function build(root: string): Promise<boolean> {
  const stamp = join(root, "build", "stamp");
  const isFresh = (wanted: string) => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
  if (isFresh(digestOf(root))) return false;
  const unlock = await lock(join(root, ".build.lock"));
  try {
    const wanted = digestOf(root);
    if (isFresh(wanted)) return true;
    rmSync(join(root, "build"), { recursive: true, force: true });
    await run(root, "remix", ["vite:build", "--logLevel", "warn"]);
    await run(root, "wrangler", ["deploy", "--dry-run", "--outdir", "build/worker"]);
    writeFileSync(stamp, wanted);
    return true;
  } finally {
    unlock();
  }
}

/** Copies the build for a running copy, so that the next build does not remove files that the copy serves. */
export function copyBuild(root: string, to: string): void {
  const fresh = `${to}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  try {
    cpSync(join(root, "build", "client"), join(fresh, "client"), { recursive: true });
    cpSync(join(root, "build", "worker"), join(fresh, "worker"), { recursive: true });
  } catch (error) {
    // Half a copy would keep a full disk full.
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  }
  rmSync(to, { recursive: true, force: true });
  renameSync(fresh, to);
}

/** Runs one of the project's own commands. On failure, throws with the output line that explains it. */
export async function run(
  root: string,
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(join(root, "node_modules", ".bin", command), args, {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
      // Without this, a build by a test would be React's development build, half as large again.
      env: {
        ...process.env,
        NODE_ENV: "production",
        CI: "1",
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_HIDE_BANNER: "true",
        ...env,
      },
    });
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new CommandError(`${command}: ${reasonIn(`${stderr}\n${stdout}`)}`, { cause: error });
  }
}

/** Most specific first: a place in our source, what Cloudflare's API answered, then anything that mentions an error. */
const REASONS = [
  /\.(tsx?|css):\d+:\d+: \S/,
  /\[code: \d+\]/,
  /could not resolve|is not exported|cannot find/i,
  /error/i,
  /\S/,
];

/** Returns the line of a failed command's output that explains the failure. */
export function reasonIn(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => !line.startsWith("npm "));
  for (const reason of REASONS) {
    const found = lines.find((line) => reason.test(line));
    if (found) return found;
  }
  return "no reason given";
}

function digestOf(root: string): string {
  const hash = createHash("sha256");
  const add = (path: string) => {
    if (!existsSync(path)) return;
    if (!statSync(path).isDirectory()) hash.update(path.slice(root.length)).update(readFileSync(path));
    else for (const name of readdirSync(path).sort()) if (!name.includes(".test.")) add(join(path, name));
  };
  for (const input of INPUTS) add(join(root, input));
  return hash.digest("hex");
}

/** Waits until no other process builds here, and returns a function that lets the next one build. */
async function lock(path: string): Promise<() => void> {
  for (;;) {
    const unlock = tryLock(path);
    if (unlock) return unlock;
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
}
