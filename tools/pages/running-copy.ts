import { type Demo, readDemo } from "#tools/demo/seed.ts";
import { CommandError } from "#tools/run/command-line.ts";
import { requireState, resolveStateDir } from "#tools/run/state-files.ts";

/** Returns the addresses and logins of the running copy of STATE_DIR. Throws if there is none or it does not answer. */
export async function runningCopy(): Promise<Demo> {
  const stateDir = resolveStateDir(process.env.STATE_DIR || ".local");
  requireState(stateDir);
  const demo = readDemo(stateDir);
  const start = "Start it with npm start.";
  if (!demo) throw new CommandError(`The copy in ${stateDir} was never completely started. ${start}`);
  try {
    await fetch(demo.url, { redirect: "manual" });
  } catch (error) {
    throw new CommandError(`The copy in ${stateDir} does not answer at ${demo.url}. ${start}`, { cause: error });
  }
  return demo;
}
