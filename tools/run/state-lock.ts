import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "./command-line.ts";
import { tryLock } from "./file-lock.ts";
import { replaceFile } from "./state-files.ts";

/** Who has locked a state folder. */
export type Holder = {
  /** The command, for example "npm start". */
  command: string;
  pid: number;
  /** ISO time. */
  since: string;
  url?: string;
  /** The versions of ENCRYPTION_KEYS that a running copy has read, the newest first. */
  keyVersions?: string[];
};

export class StateInUse extends CommandError {
  override name = "StateInUse";
  readonly holder: Holder | null;

  constructor(stateDir: string, holder: Holder | null, advice: string) {
    super(`${stateDir} is in use by ${sentence(holder)}. ${advice}`);
    this.holder = holder;
  }
}

export type StateLock = {
  /** Says more of the holder, once it is known. */
  describe(more: Partial<Holder>): void;
  release(): void;
};

/**
 * Locks a state folder for this process, until it ends: one process at a time writes its files and runs a copy on it.
 * Throws StateInUse, which says who holds it and ends with `advice`.
 */
export function lockState(stateDir: string, command: Pick<Holder, "command" | "url">, advice: string): StateLock {
  const unlock = tryLock(join(stateDir, "in-use.lock"));
  if (!unlock) throw new StateInUse(stateDir, readHolder(stateDir), advice);
  const file = holderFile(stateDir);
  let holder: Holder = { ...command, pid: process.pid, since: new Date().toISOString() };
  let isHeld = true;
  const release = () => {
    if (!isHeld) return;
    isHeld = false;
    rmSync(file, { force: true });
    unlock();
  };
  process.once("exit", release);
  const write = () => replaceFile(file, `${JSON.stringify(holder, null, 2)}\n`);
  write();
  return {
    describe(more) {
      holder = { ...holder, ...more };
      write();
    },
    release,
  };
}

/** A killed holder leaves its file behind. It is read while the lock is held only, and whoever takes that replaces it. */
function readHolder(stateDir: string): Holder | null {
  try {
    return JSON.parse(readFileSync(holderFile(stateDir), "utf8")) as Holder;
  } catch {
    return null;
  }
}

function holderFile(stateDir: string): string {
  return join(stateDir, "in-use.json");
}

function sentence(holder: Holder | null): string {
  if (!holder) return "another process";
  const where = holder.url ? ` at ${holder.url}` : "";
  return `${holder.command}${where} (process ${holder.pid}, since ${new Date(holder.since).toLocaleString()})`;
}
