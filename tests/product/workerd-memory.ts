import { readFileSync } from "node:fs";
import { workerdBelow } from "./local-copy.ts";

/** Returns the resident memory of the workerds below this process, in bytes. Linux only. */
export function workerdMemory(): number {
  return workerdBelow(process.pid).reduce((sum, pid) => sum + residentBytes(pid), 0);
}

function residentBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    // The process ended meanwhile.
    return 0;
  }
}
