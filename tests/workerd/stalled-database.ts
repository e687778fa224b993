import { DATABASE_WAIT_MS, type DatabaseWait } from "#app/db/bounded-database.server.ts";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import { type DatabaseFaults, faultyDatabase } from "#tests/simulation/product/faulty-database.ts";

/** Databases that a test makes stand still. */
export type Stalls = {
  /** Returns the database as it stands still with the others. */
  on(database: D1Database): D1Database;
  /** Holds what is called from here on before it reaches the database. */
  beforeCalls(): void;
  /** Holds the answers. What is called reaches the database. */
  beforeAnswers(): void;
  /** Loses the answers. What is called reaches the database. */
  losingAnswers(): void;
  /** Fails what is called, as in an outage. */
  fail(): void;
  /** Lets everything go on. Resolves once all that was held has been carried out or refused. */
  end(): Promise<void>;
  /** How long calls may wait: not for long while they are held, so that no test waits. */
  wait: DatabaseWait;
  /** Returns the environment with databases that stand still, and that wait. */
  in(env: Env): Env;
  /** How many calls came while it stood still. */
  readonly calls: number;
  /** Resolves once so many calls have come while it stood still. */
  called(times: number): Promise<void>;
};

const LOST = "D1_ERROR: Network connection lost.";
/** Long enough for a call that is held to be given up, and for no other. */
const HELD_MS = 30;

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
  const hold = (point: "calls" | "answers", until?: () => Promise<unknown>) => {
    release();
    const held = Promise.withResolvers<void>();
    release = held.resolve;
    calls = 0;
    faults.stall = { point, until: until ?? (() => held.promise), onCall, running };
  };
  const on = (database: D1Database) => faultyDatabase(database, { faults, random, costs: new Map() });
  const waitMs = () => (faults.stall?.point === "calls" ? HELD_MS : DATABASE_WAIT_MS);
  return {
    on,
    beforeCalls: () => hold("calls"),
    beforeAnswers: () => hold("answers"),
    losingAnswers: () => hold("answers", () => Promise.reject(new Error(LOST))),
    fail() {
      faults.refuse = 1;
    },
    async end() {
      faults.refuse = 0;
      delete faults.stall;
      release();
      await Promise.allSettled(running);
      running.clear();
    },
    wait: { begin: waitMs, end: () => {} },
    in: (env) => ({
      ...env,
      DB: on(env.DB),
      DB_SUPPORT: on(env.DB_SUPPORT),
      get DATABASE_WAIT_MS() {
        return String(waitMs());
      },
    }),
    get calls() {
      return calls;
    },
    called: (times) => new Promise((resolve) => awaited.push({ times, resolve })),
  };
}
