import type { Random } from "#tests/faults/seeded-random.ts";

/**
 * Rates (0 to 1) at which D1 refuses a call, or runs it and loses the response, and the longest extra delay in ms. While there
 * is a stall, calls or their answers wait for its end.
 */
export type DatabaseFaults = { refuse: number; lose: number; slowMs: number; stall?: Stall };

/** A time in which D1 stands still: before it carries out what is called, or before it answers. */
export type Stall = {
  point: "calls" | "answers";
  /** Resolves at its end. Asked for by each call: in workerd, nobody may wait for what another request resolves. */
  until: () => Promise<unknown>;
  /** Says of each call whether it is held. Without it, all are. */
  holds?: (statements: string[]) => boolean;
  onCall?: () => void;
  /** Everything that is called meanwhile, until it is carried out. */
  running?: Set<Promise<unknown>>;
};

/** Rows that a statement read: how often it was counted, in all, and at most in one call. */
export type StatementCost = { calls: number; rowsRead: number; most: number };
export type StatementCosts = Map<string, StatementCost>;

const LOST = "D1_ERROR: Network connection lost.";
/** A raw read reports no rows, so one of so many runs again in the form that does. */
const RAW_READS_PER_COUNT = 20;
const PLACEHOLDERS = /\?(, \?)+/g;

/** Wraps a database whose calls fail as `faults` says at that moment, and counts the rows they read. */
export function faultyDatabase(
  database: D1Database,
  {
    faults,
    random,
    costs,
    atClock = (query) => query,
  }: {
    faults: DatabaseFaults;
    random: Random;
    costs: StatementCosts;
    /** Returns a statement that reads the database's own clock as one that reads the simulated clock. */
    atClock?: (query: string) => string;
  },
): D1Database {
  /** Prepares the statement inside a wrapped one, at the moment it runs: the clock may have moved since. */
  const inner = new WeakMap<object, () => D1PreparedStatement>();
  const texts = new WeakMap<object, string>();

  function count<T>(query: string, result: D1Result<T>): D1Result<T> {
    const text = query.replaceAll(PLACEHOLDERS, "?, …");
    const cost = costs.get(text) ?? { calls: 0, rowsRead: 0, most: 0 };
    const rows = result.meta.rows_read;
    costs.set(text, { calls: cost.calls + 1, rowsRead: cost.rowsRead + rows, most: Math.max(cost.most, rows) });
    return result;
  }

  async function call<T>(statements: string[], run: () => Promise<T>): Promise<T> {
    const { refuse, lose, slowMs, stall } = faults;
    if (stall && (stall.holds?.(statements) ?? true)) {
      stall.onCall?.();
      const work = stall.point === "calls" ? stall.until().then(run) : run();
      stall.running?.add(work);
      const result = await work;
      await stall.until();
      return result;
    }
    if (slowMs > 0) await scheduler.wait(slowMs * random.next());
    if (refuse > 0 && random.chance(refuse)) throw new Error(LOST);
    const result = await run();
    if (lose > 0 && random.chance(lose)) throw new Error(LOST);
    return result;
  }

  function wrap(query: string, statement: () => D1PreparedStatement): D1PreparedStatement {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(query, () => statement().bind(...values)),
      all: () => call([query], async () => count(query, await statement().all())),
      run: () => call([query], async () => count(query, await statement().run())),
      raw: (...options: []) =>
        call([query], async () => {
          const isRead = /^\s*select/i.test(query);
          if (isRead && random.chance(1 / RAW_READS_PER_COUNT)) count(query, await statement().all());
          return statement().raw(...options);
        }),
      first: (...column: []) => call([query], () => statement().first(...column)),
    };
    inner.set(wrapped, statement);
    texts.set(wrapped, query);
    return wrapped as unknown as D1PreparedStatement;
  }

  const faulty = {
    prepare: (query: string) => wrap(query, () => database.prepare(atClock(query))),
    batch: (statements: D1PreparedStatement[]) => {
      const queries = statements.map((statement) => texts.get(statement) ?? "");
      return call(queries, async () => {
        const results = await database.batch(statements.map((statement) => inner.get(statement)?.() ?? statement));
        for (const [n, query] of queries.entries()) {
          if (results[n]) count(query, results[n]);
        }
        return results;
      });
    },
    exec: (query: string) => call([query], () => database.exec(query)),
    dump: () => database.dump(),
    withSession: () => faulty,
    getBookmark: () => null,
  } as unknown as D1Database & D1DatabaseSession;
  return faulty;
}
