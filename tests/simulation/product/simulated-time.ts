/**
 * The one clock of a simulated product: `Date`, which runs ahead of the machine's by an offset that the world sets. The
 * product's own code, its libraries and its Durable Objects all read it. Network timeouts and `setTimeout` stay real.
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

/** Sets how far the clock runs ahead, in ms. */
export function setClockOffset(ms: number): void {
  offset = ms;
}

/** Returns the machine's time of a simulated one, both in ms since 1970. */
export function machineTime(simulated: number): number {
  return simulated - offset;
}
