import { DATABASE_WAIT_MS, type DatabaseWait } from "#app/db/bounded-database.server.ts";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import { type DatabaseFaults, faultyDatabase } from "#tests/simulation/product/faulty-database.ts";

/** Chooses the calls that are held by their statements and their number, which begins at 1. */
export type Held = (statements: string[], number: number) => boolean;

/** Databases that a test makes stand still. */
export type Stalls = {
  /** Returns the database as it stands still with the others. */
  on(database: D1Database): D1Database;
  /** Holds what is called from here on, or some of it, before it reaches the database. Calls may wait for `ms`. */
  beforeCalls(held?: Held, ms?: number): void;
  /** Holds the answers, or some of them. What is called reaches the database. */
  beforeAnswers(held?: Held): void;
  /** Loses the answers, or some of them. What is called reaches the database. */
  losingAnswers(held?: Held): void;
  /** Fails what is called, as in an outage. */
  fail(): void;
  /** Lets everything go on. Resolves once all that was held has been carried out or refused. */
  end(): Promise<void>;
  /** How long calls may wait: not for long while they are held, so that no test waits. */
  wait: DatabaseWait;
  /** Returns the environment with databases that stand still, and that wait. */
  in(env: Env): Env;
  /** How many calls were held. */
  readonly calls: number;
  /** Resolves once so many calls have come while it stood still. */
  called(times: number): Promise<void>;
};

const LOST = "D1_ERROR: Network connection lost.";
/** Long enough for a call that is held to be given up, and for no other. */
const HELD_MS = 30;
/** The same where other calls of the same request go through. */
const SOME_HELD_MS = 1000;

/** Makes databases that stand still until a test says so, without a sleep. */
export function stalls(): Stalls {
  const faults: DatabaseFaults = { refuse: 0, lose: 0, slowMs: 0 };
  const random = seededRandom(1);
  let release = () => {};
  let calls = 0;
  const awaited: { times: number; resolve: () => void }[] = [];
  const onCall = () => {
    calls++;
    for (const { times, resolve } of awaited) if (calls >= times) resolve();
  };
  const running = new Set<Promise<unknown>>();
  let waitMs = DATABASE_WAIT_MS;
  const hold = (point: "calls" | "answers", until?: () => Promise<unknown>, held: Held = () => true) => {
    release();
    const end = Promise.withResolvers<void>();
    release = end.resolve;
    calls = 0;
    let number = 0;
    const holds = (statements: string[]) => held(statements, ++number);
    faults.stall = { point, until: until ?? (() => end.promise), holds, onCall, running };
  };
  const on = (database: D1Database) => faultyDatabase(database, { faults, random, costs: new Map() });
  return {
    on,
    beforeCalls(held, ms = held ? SOME_HELD_MS : HELD_MS) {
      waitMs = ms;
      hold("calls", undefined, held);
    },
    beforeAnswers(held) {
      waitMs = DATABASE_WAIT_MS;
      hold("answers", undefined, held);
    },
    losingAnswers(held) {
      waitMs = DATABASE_WAIT_MS;
      hold("answers", () => Promise.reject(new Error(LOST)), held);
    },
    fail() {
      faults.refuse = 1;
    },
    async end() {
      faults.refuse = 0;
      waitMs = DATABASE_WAIT_MS;
      delete faults.stall;
      release();
      await Promise.allSettled(running);
      running.clear();
    },
    wait: { begin: () => waitMs, end: () => {} },
    in: (env) => ({
      ...env,
      DB: on(env.DB),
      DB_SUPPORT: on(env.DB_SUPPORT),
      get DATABASE_WAIT_MS() {
        return String(waitMs);
      },
    }),
    get calls() {
      return calls;
    },
    called: (times) => new Promise((resolve) => awaited.push({ times, resolve })),
  };
}
