import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownValue } from "#app/own-value.ts";
import { readArguments } from "#tools/run/command-line.ts";

/**
 * `npm run lock:complete`: adds optional packages that are missing from the lockfile. A registry mirror that holds only
 * some platforms' binaries makes npm leave the others out, and `npm ci` then refuses the lockfile on every machine. The
 * entries are pinned by version, have no integrity because it is unknown, and name the platform, so that other machines
 * skip them.
 */

type Entry = {
  version: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
};
export type Lock = { packages: Record<string, Entry> };

const SYSTEMS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const PROCESSORS = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

/** Returns the optional packages that the lockfile refers to but has no entry for. */
export function missingOptionals(lock: Lock): { path: string; version: string; dev: boolean }[] {
  return Object.entries(lock.packages).flatMap(([path, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !resolves(lock, path, name))
      // A range can't be pinned without resolving it.
      .filter(([, version]) => /^\d+\.\d+\.\d+[-.\w]*$/.test(version))
      .map(([name, version]) => ({ path: placeFor(lock, path, name), version, dev: entry.dev === true })),
  );
}

export function completed(lock: Lock): Lock {
  const packages = { ...lock.packages };
  for (const { path, version, dev } of missingOptionals(lock)) {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    packages[path] = { version, ...(dev && { dev }), optional: true, ...platformOf(name) };
  }
  const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...lock, packages: Object.fromEntries(sorted) };
}

/** Derives the platform from the package's name, in npm's terms. */
export function platformOf(name: string): Pick<Entry, "os" | "cpu" | "libc"> {
  const words = name
    .replace("windows", "win32")
    .replace(/linuxmusl|musl/, "linux-musl")
    .replace(/-64$/, "-x64")
    .split(/[-/]/);
  const system = SYSTEMS.find((known) => words.includes(known));
  const processor = PROCESSORS.find((known) => words.includes(known));
  if (name === "fsevents") return { os: ["darwin"] };
  return {
    ...(processor && { cpu: [processor] }),
    ...(words.includes("musl") && { libc: ["musl"] }),
    ...(system && { os: [system] }),
  };
}

function resolves(lock: Lock, from: string, name: string): boolean {
  for (let folder = from; ; folder = parentOf(folder)) {
    if (ownValue(lock.packages, join(folder, "node_modules", name))) return true;
    if (folder === "") return false;
  }
}

/** Returns the top-level path, unless another version is needed there. */
function placeFor(lock: Lock, from: string, name: string): string {
  const top = `node_modules/${name}`;
  const version = ownValue(ownValue(lock.packages, from)?.optionalDependencies, name);
  const dependents = Object.values(lock.packages).map((entry) => ownValue(entry.optionalDependencies, name));
  return dependents.every((taken) => taken === undefined || taken === version) ? top : `${from}/${top}`;
}

function parentOf(path: string): string {
  const cut = path.lastIndexOf("/node_modules/");
  return cut < 0 ? "" : path.slice(0, cut);
}

if (process.argv[1] === import.meta.filename) {
  readArguments({ usage: "npm run lock:complete: adds other platforms' packages to the lockfile", options: {} });
  const file = join(import.meta.dirname, "..", "..", "package-lock.json");
  const lock = JSON.parse(readFileSync(file, "utf8")) as Lock;
  const added = missingOptionals(lock).length;
  if (added > 0) writeFileSync(file, `${JSON.stringify(completed(lock), null, 2)}\n`);
  console.log(`${added} packages of other platforms added.`);
}
