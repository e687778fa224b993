const FIRST_WAIT_MS = 5000;
const MAX_WAIT_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 2 * 60_000;
/** Spreads the retries of emails that failed at the same moment. */
const JITTER_RATIO = 0.2;

/** Returns the wait in ms after an email's failed attempt number `attempts`. `random` is between 0 and 1. */
export function retryWait(attempts: number, random: number): number {
  return grown(FIRST_WAIT_MS, 3, attempts - 1, MAX_WAIT_MS, random);
}

/** Returns how long to leave the email API alone, in ms, after `failures` rounds in a row that it did not answer. */
export function pauseAfter(failures: number, random: number): number {
  return grown(FIRST_PAUSE_MS, 2, failures - 1, MAX_PAUSE_MS, random);
}

function grown(first: number, factor: number, steps: number, max: number, random: number): number {
  const wait = Math.min(first * factor ** Math.min(steps, 20), max);
  return Math.round(wait * (1 + JITTER_RATIO * random));
}
