import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CommandError } from "./command-line.ts";

/** The files below a state folder that the commands read and write whole. */

const root = join(import.meta.dirname, "..", "..");

/** Returns the absolute path of a state folder. Relative ones are below the project, wherever the command was called. */
export function resolveStateDir(given: string): string {
  return resolve(root, given);
}

/** Throws unless the folder holds a copy's state, so that a mistyped name doesn't make an empty one. */
export function requireState(stateDir: string): void {
  if (existsSync(join(stateDir, "v3", "d1"))) return;
  throw new CommandError(
    `${stateDir} holds no local copy. Name its folder with STATE_DIR=… or --state-dir, or start one there with npm start.`,
  );
}

/**
 * Replaces a file as a whole: whoever reads it, and whenever this process or the machine ends, it has the old text or
 * the new one. Only its owner may read it.
 */
export function replaceFile(file: string, text: string): void {
  const fresh = `${file}.new`;
  try {
    const handle = openSync(fresh, "w", 0o600);
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true, recursive: true });
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}`, { cause: error });
  }
  syncFolder(dirname(file));
}

/** Makes a rename last through a power cut. Windows can't open a folder. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Returns what a JSON file holds, or null if there is none. `advice` says what to do about a file that can't be read. */
export function readJsonFile(file: string, advice: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}. ${advice}`, { cause: error });
  }
  if (text.trim() === "") throw new CommandError(`${file} is empty. ${advice}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${file} is damaged: it is not JSON. ${advice}`, { cause: error });
  }
}
