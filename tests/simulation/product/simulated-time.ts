/**
 * The one clock of a simulated product: `Date`, which runs ahead of the machine's by an offset that the world sets. The
 * product's own code, its libraries and its Durable Objects all read it. While a database stands still, `setTimeout` follows
 * it, too, so that a wait for the database times out by the world's clock. Other timeouts stay real.
 * Import this module before the product's.
 */

const MachineDate = Date;
let offset = 0;

class SimulatedDate extends MachineDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(MachineDate.now() + offset);
    else super(...(given as [number]));
  }

  static override now(): number {
    return MachineDate.now() + offset;
  }
}

globalThis.Date = SimulatedDate as DateConstructor;

/** Time between two looks at the simulated clock, in real ms. A request can't be woken by another one, so it has to look. */
const LOOK_EVERY_MS = 25;
const machineSetTimeout = globalThis.setTimeout;
const machineClearTimeout = globalThis.clearTimeout;
type Timer = ReturnType<typeof setTimeout>;
/** A simulated time. */
let followedUntil = 0;
/** The timers that look at the clock again, by the one that was given out. */
const lookingAgain = new Map<Timer, Timer>();

globalThis.setTimeout = ((work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
  if (ms <= LOOK_EVERY_MS || SimulatedDate.now() >= followedUntil) return machineSetTimeout(work, ms, ...given);
  const until = SimulatedDate.now() + ms;
  const look = () => {
    const left = until - SimulatedDate.now();
    if (left > 0) return void lookingAgain.set(timer, machineSetTimeout(look, Math.min(left, LOOK_EVERY_MS)));
    lookingAgain.delete(timer);
    work(...given);
  };
  const timer: Timer = machineSetTimeout(look, LOOK_EVERY_MS);
  return timer;
}) as unknown as typeof setTimeout;

globalThis.clearTimeout = ((timer: Timer) => {
  machineClearTimeout(timer);
  const again = lookingAgain.get(timer);
  if (again === undefined) return;
  machineClearTimeout(again);
  lookingAgain.delete(timer);
}) as unknown as typeof clearTimeout;

/** Lets timers that are set from now until then follow the simulated clock. */
export function followClockUntil(time: number): void {
  followedUntil = time;
}

/** Returns a statement whose deadline by the database's own clock is one by the simulated clock. */
export function atSimulatedClock(query: string): string {
  return query.replaceAll("unixepoch('subsec') * 1000", `(unixepoch('subsec') * 1000 + ${offset})`);
}

/** Sets how far the clock runs ahead, in ms. */
export function setClockOffset(ms: number): void {
  offset = ms;
}

/** Returns the machine's time of a simulated one, both in ms since 1970. */
export function machineTime(simulated: number): number {
  return simulated - offset;
}
