import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename, join, sep } from "node:path";

export type Process = { pid: number; parent: number; command: string };

/** The parent of a process whose own parent has ended, unless a session manager takes its place. */
const INIT = 1;
const POLL_MS = 20;
const GONE_WITHIN_MS = 5000;

/** Lists the processes of this machine with the paths of their programs. */
export function processTable(): Process[] {
  if (process.platform === "linux") {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          const stat = readFileSync(`/proc/${name}/stat`, "utf8");
          const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
          return [{ pid: Number(name), parent, command: readlinkSync(`/proc/${name}/exe`) }];
        } catch {
          // The process ended meanwhile.
          return [];
        }
      });
  }
  return execFileSync("ps", ["-axo", "pid=,ppid=,comm="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .flatMap((match) => (match ? [{ pid: Number(match[1]), parent: Number(match[2]), command: match[3] ?? "" }] : []));
}

/**
 * Ends the workerds that a killed copy has left behind on this state folder, and returns how many: each would go on to
 * serve and to write there, with the keys that it has read. Call it while the folder is locked.
 */
export async function endLeftWorkerds(stateDir: string): Promise<number> {
  if (process.platform === "win32") return 0;
  const programs = processTable();
  const commandOf = new Map(programs.map(({ pid, command }) => [pid, basename(command)]));
  // The system lists open files by their real paths: the folder's may lead through a link, as /tmp does on macOS.
  const folder = join(realpathSync(stateDir), "v3");
  // A command that is running, such as npm run admin, is the parent of its workerd.
  const isLeft = (parent: number) => parent === INIT || !commandOf.get(parent)?.startsWith("node");
  const left = programs.filter(
    ({ pid, parent, command }) => basename(command).startsWith("workerd") && isLeft(parent) && hasOpen(pid, folder),
  );
  for (const { pid } of left) process.kill(pid, "SIGKILL");
  // Their port is free once the last thread has ended. A container may have nobody who clears away what is left then.
  const until = Date.now() + GONE_WITHIN_MS;
  while (left.some(({ pid }) => exists(pid)) && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return left.length;
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function hasOpen(pid: number, folder: string): boolean {
  return openFiles(pid).some((file) => file.startsWith(`${folder}${sep}`));
}

function openFiles(pid: number): string[] {
  if (process.platform === "linux") {
    const folder = `/proc/${pid}/fd`;
    try {
      return readdirSync(folder).flatMap((name) => {
        try {
          return [readlinkSync(join(folder, name))];
        } catch {
          // It was closed meanwhile.
          return [];
        }
      });
    } catch {
      // The process ended, or belongs to somebody else.
      return [];
    }
  }
  try {
    const output = execFileSync("lsof", ["-p", String(pid), "-Fn"], { encoding: "utf8" });
    return output.split("\n").flatMap((line) => (line.startsWith("n") ? [line.slice(1)] : []));
  } catch {
    return [];
  }
}
