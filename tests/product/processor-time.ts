import { readFileSync } from "node:fs";
import { workerdBelow } from "./local-copy.ts";

/** The clock tick in which /proc counts processor time. */
const TICK_MS = 10;

/** Returns the processor time that the workerds below this process have used, in ms. */
export function processorTime(): number {
  // User and system time are fields 12 and 13 after the name, which is in brackets and may contain spaces.
  const stats = workerdBelow(process.pid).map((pid) => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]);
  const ticks = stats.flatMap((stat) => stat?.split(" ").slice(11, 13) ?? []);
  return ticks.reduce((sum, one) => sum + Number(one), 0) * TICK_MS;
}
