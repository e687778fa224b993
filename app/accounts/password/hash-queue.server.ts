import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { type TooMany, tooMany } from "./attempts.server.ts";

/**
 * Runs one password hash at a time per isolate, because a hash blocks its only thread for about a tenth of a second. The
 * others wait in a line of bounded length, in turn by address. See docs/decisions/accounts/0039-hash-queue.md.
 */

export const MAX_WAITING = 30;
/** Fewer than all, so that one address can't fill the line. */
export const MAX_WAITING_PER_ADDRESS = 5;
/** Between two hashes, in which other requests use the thread. */
const PAUSE_MS = 25;
/**
 * How often a waiting caller looks whether it is its turn. It can't just await a promise that another request resolves:
 * the runtime cancels a request that waits for nothing of its own, as hung.
 */
const LOOK_MS = 25;
/** A hash that hasn't ended by then never will: the platform has ended its request. */
const LEASE_MS = 20_000;
const RETRY_AFTER_SECONDS = 10;

/** A request that hashes, as `withHashing` makes it. */
export type HashCaller = {
  /** The network address, or null for a loopback request. Those share one line, which only the total limit bounds. */
  address: string | null;
  /** Keeps the request alive until the hash has ended, even if the client leaves: the next in line waits for it. */
  waitUntil: AppLoadContext["waitUntil"];
  /** Set once it is in the line. Its further hashes are not refused, or the work so far would be lost. */
  isAdmitted: boolean;
};

class HashLineFull extends Error {}

/** Runs work that hashes for a request. Refuses it if too many wait. */
export async function withHashing<T>(
  { waitUntil }: Pick<AppLoadContext, "waitUntil">,
  { network }: Pick<Visit, "network">,
  work: (caller: HashCaller) => Promise<T>,
): Promise<{ ok: true; value: T } | TooMany> {
  try {
    return { ok: true, value: await work({ address: network, waitUntil, isAdmitted: false }) };
  } catch (error) {
    if (error instanceof HashLineFull) return tooMany(RETRY_AFTER_SECONDS);
    throw error;
  }
}

/** Returns the caller of a tool or a test, which is never refused. */
export function unlimitedCaller(): HashCaller {
  return { address: null, waitUntil: () => {}, isAdmitted: true };
}

type Turn = { since: number };
type Waiter = { turn: Turn | null };

export class HashQueue {
  /** The waiting callers by address. The first address is next, and goes to the end after its turn. */
  readonly #lines = new Map<string | null, Waiter[]>();
  #waiting = 0;
  #turn: Turn | null = null;

  /** Runs the hash when it is the caller's turn. Throws if the line is full. */
  run<T>(caller: HashCaller, hash: () => Promise<T>): Promise<T> {
    const hashed = this.#run(caller, hash);
    caller.waitUntil(hashed.catch(() => {}));
    return hashed;
  }

  async #run<T>(caller: HashCaller, hash: () => Promise<T>): Promise<T> {
    const turn = await this.#wait(caller);
    try {
      return await hash();
    } finally {
      if (this.#turn === turn) this.#next();
    }
  }

  async #wait(caller: HashCaller): Promise<Turn> {
    if (this.#turn && Date.now() - this.#turn.since > LEASE_MS) this.#next();
    if (this.#turn === null) {
      caller.isAdmitted = true;
      this.#turn = { since: Date.now() };
      return this.#turn;
    }
    const waiter = this.#join(caller);
    while (waiter.turn === null) await sleep(LOOK_MS);
    await sleep(PAUSE_MS);
    return waiter.turn;
  }

  #join(caller: HashCaller): Waiter {
    const { address } = caller;
    const line = this.#lines.get(address) ?? [];
    const isFull = this.#waiting >= MAX_WAITING || (address !== null && line.length >= MAX_WAITING_PER_ADDRESS);
    if (isFull && !caller.isAdmitted) throw new HashLineFull("too many wait to hash a password");
    caller.isAdmitted = true;
    this.#lines.set(address, line);
    this.#waiting++;
    const waiter = { turn: null };
    line.push(waiter);
    return waiter;
  }

  #next(): void {
    this.#turn = null;
    const [first] = this.#lines;
    if (!first) return;
    const [address, line] = first;
    const waiter = line.shift();
    this.#lines.delete(address);
    if (line.length > 0) this.#lines.set(address, line);
    this.#waiting--;
    this.#turn = { since: Date.now() };
    if (waiter) waiter.turn = this.#turn;
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** One per isolate, as the thread is. */
const queue = new HashQueue();

/** Runs a hash of any kind when it is the caller's turn. */
export function hashInTurn<T>(caller: HashCaller, hash: () => Promise<T>): Promise<T> {
  return queue.run(caller, hash);
}
