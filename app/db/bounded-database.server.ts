/**
 * Bounds how long anybody waits for a database that stands still, and keeps a write that was given up from being carried
 * out later. See docs/decisions/platform/0092-a-database-that-stands-still.md.
 */

/**
 * How long a request waits for all its slow statements together, and any other caller for each one. A write may start until
 * then.
 */
export const DATABASE_WAIT_MS = 10_000;
/** The same for each statement of a job: as long as D1 lets a statement run. */
export const JOB_DATABASE_WAIT_MS = 30_000;
/** Extra time to wait for the answer, as a share of the wait. Covers clock skew and network latency. */
const ANSWER_SHARE = 0.2;
/** Statements faster than this don't count toward a request's wait: each was answered, and many of them are no stall. */
const QUICK_MS = 1000;
/** The `Retry-After` of each 503. Stalls of up to 25 s are known. */
export const RETRY_AFTER_SECONDS = 10;

/** Part of the message of each such error: a Durable Object's errors keep nothing else on their way to the worker. */
const UNAVAILABLE = "the database is unavailable";
const NAME = "DatabaseUnavailable";
const TOO_LATE = "this write is too late";

// A test's clock has no effect on the database's own.
const { now } = Date;
const { setTimeout, clearTimeout } = globalThis;

/** A call to a database that had no answer in time, or that the platform failed. Its writes may have been carried out. */
export class DatabaseUnavailable extends Error {
  constructor(why: string, cause?: unknown) {
    super(`${UNAVAILABLE}: ${why}`, { cause });
    this.name = NAME;
  }
}

/** Returns whether a database could not be reached, here or in a Durable Object, or a Durable Object was just reset. */
export function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // Only at the start: Drizzle's message has the statement's values, which others wrote. A Durable Object puts a name in front.
    const says = cause.message.startsWith(UNAVAILABLE) || cause.message.startsWith(`${NAME}: ${UNAVAILABLE}`);
    if (says || isObjectReset(cause)) return true;
  }
  return false;
}

/** Returns whether a Durable Object failed in a way that a new stub may not. The call may have been carried out. */
export function isObjectReset(error: unknown): boolean {
  const { retryable, overloaded } = (error ?? {}) as { retryable?: unknown; overloaded?: unknown };
  return retryable === true || overloaded === true;
}

/**
 * How long calls may wait. `begin` returns the ms that are left for a call that starts, 0 or less if none. Writes may be
 * carried out late where they are `repeatable`, which saves a statement each. `renew` gives later calls the whole wait again.
 * `count` is told how many statements each call sends.
 */
export type DatabaseWait = {
  begin(): number;
  end(): void;
  repeatable?: true;
  renew?(): void;
  count?(statements: number): void;
};
/** The wait of a request. `split` lets each later call wait for itself: what streams behind a response has no client's limit. */
export type RequestWait = DatabaseWait & { renew(): void; split(): void };

/** Returns DATABASE_WAIT_MS, or what an environment has in its place. */
export function databaseWaitMs(env: Pick<Env, "DATABASE_WAIT_MS">): number {
  return Number(env.DATABASE_WAIT_MS ?? DATABASE_WAIT_MS);
}

/** Returns a wait of `ms` for each call. */
export function waitForEach(ms = DATABASE_WAIT_MS): DatabaseWait {
  return { begin: () => ms, end: () => {} };
}

/** Returns the wait of a night's jobs, which share the statements of one invocation. A late deletion does no harm. */
export function waitOfNight(): DatabaseWait {
  return { ...waitForEach(JOB_DATABASE_WAIT_MS), repeatable: true };
}

/** Returns a wait of `ms` for all calls together. Time in which several wait counts once. */
export function waitForAll(ms = DATABASE_WAIT_MS): RequestWait {
  let left = ms;
  let waiting = 0;
  let since = 0;
  let isShared = true;
  return {
    begin() {
      if (waiting++ === 0) since = now();
      return isShared ? left - (now() - since) : ms;
    },
    end() {
      if (--waiting > 0) return;
      const spent = now() - since;
      if (spent >= Math.min(QUICK_MS, ms)) left -= spent;
    },
    renew() {
      left = ms;
      since = now();
    },
    split() {
      isShared = false;
    },
  };
}

const boundedOnes = new WeakSet<D1Database>();

/**
 * Returns the database with calls that throw `DatabaseUnavailable` once the wait is over. A write goes in a batch behind a
 * statement that fails by the database's clock when its time is over, so that what was given up can't happen afterwards. A
 * database that is bounded already keeps its wait.
 */
export function boundedDatabase(database: D1Database, wait: DatabaseWait = waitForEach()): D1Database {
  if (boundedOnes.has(database)) return database;
  const call: Call = async (statements, run) => {
    const ms = wait.begin();
    try {
      if (ms <= 0) throw new DatabaseUnavailable("it has stood still");
      const isGuarded = !wait.repeatable && statements.some((statement) => statement.isWrite);
      wait.count?.(Math.max(1, statements.length) + (isGuarded ? 1 : 0));
      return await answered(isGuarded ? inTime(database, statements, ms) : run(), ms * (1 + ANSWER_SHARE));
    } finally {
      wait.end();
    }
  };
  const bounded: Pick<D1Database, "prepare" | "batch"> = {
    prepare: (text) => new BoundedStatement(database.prepare(text), text, call) as unknown as D1PreparedStatement,
    batch<T>(statements: D1PreparedStatement[]) {
      const own = statements as unknown as BoundedStatement[];
      return call(own, () => database.batch(innerOf(own))) as Promise<D1Result<T>[]>;
    },
  };
  boundedOnes.add(bounded as D1Database);
  return bounded as D1Database;
}

/** `run` calls the database where the statements write nothing. */
type Call = (statements: BoundedStatement[], run: () => Promise<unknown>) => Promise<unknown>;

/** Runs a batch that the database refuses once `ms` are over. */
async function inTime(database: D1Database, statements: BoundedStatement[], ms: number): Promise<D1Result[]> {
  const guard = database.prepare(GUARD).bind(now() + ms);
  const [, ...results] = await database.batch([guard, ...innerOf(statements)]);
  return results;
}

/** SQLite rejects an invalid JSON path and quotes it in the error. Reads and writes no rows. */
const GUARD = `select iif(unixepoch('subsec') * 1000 <= ?, 1, json_extract('{}', '${TOO_LATE}'))`;

async function answered<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseUnavailable(`no answer within ${Math.round(ms)} ms`)), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } catch (error) {
    throw isOutage(error) ? new DatabaseUnavailable(error.message, error) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** D1 names a code of SQLite in what is wrong with a statement or its values, and in no other failure. */
function isOutage(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return false;
  const isOfPlatform = /^D1_(EXEC_)?ERROR/.test(error.message) && !error.message.includes("SQLITE_");
  return isOfPlatform || error.message.includes(TOO_LATE) || isObjectReset(error);
}

const WRITE = /^\s*(insert|update|delete|replace)\b/i;
const WRITE_WITH = /^\s*with\b.*\b(insert\s+into|update|delete\s+from)\b/is;

class BoundedStatement {
  readonly inner: D1PreparedStatement;
  readonly #text: string;
  readonly #call: Call;

  constructor(inner: D1PreparedStatement, text: string, call: Call) {
    this.inner = inner;
    this.#text = text;
    this.#call = call;
  }

  get isWrite(): boolean {
    return WRITE.test(this.#text) || WRITE_WITH.test(this.#text);
  }

  bind(...values: unknown[]): BoundedStatement {
    return new BoundedStatement(this.inner.bind(...values), this.#text, this.#call);
  }

  all() {
    return this.#one(() => this.inner.all());
  }

  run() {
    return this.#one(() => this.inner.run());
  }

  /** A batch returns rows as objects. Those of a write that returns a column twice come without the batch. */
  async raw(options?: { columnNames?: false }) {
    if (!this.isWrite || returnsTwice(this.#text)) return this.#call([], () => this.inner.raw(options));
    const { results } = (await this.all()) as D1Result<Record<string, unknown>>;
    return results.map(Object.values);
  }

  async first(column?: string) {
    const { results } = (await this.all()) as D1Result<Record<string, unknown>>;
    const [row = null] = results;
    return column === undefined ? row : (row?.[column] ?? null);
  }

  async #one(run: () => Promise<unknown>) {
    const result = await this.#call([this], run);
    return Array.isArray(result) ? result[0] : result;
  }
}

function returnsTwice(text: string): boolean {
  const parts =
    /\breturning\s(.*)$/is
      .exec(text)?.[1]
      ?.split(",")
      .map((part) => part.trim()) ?? [];
  // Without the parts of a call with several arguments.
  const columns = parts.filter((part) => part.split("(").length === part.split(")").length);
  return new Set(columns).size < columns.length;
}

function innerOf(statements: BoundedStatement[]): D1PreparedStatement[] {
  return statements.map(({ inner }) => inner);
}
