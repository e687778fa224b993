import type { Random } from "#tests/faults/seeded-random.ts";

/** Rates (0 to 1) at which D1 refuses a call, or runs it and loses the response, and the longest extra delay in ms. */
export type DatabaseFaults = { refuse: number; lose: number; slowMs: number };

const LOST = "D1_ERROR: Network connection lost.";

/** Wraps a database whose calls fail as `faults` says at that moment. */
export function faultyDatabase(database: D1Database, faults: DatabaseFaults, random: Random): D1Database {
  const inner = new WeakMap<object, D1PreparedStatement>();

  async function call<T>(run: () => Promise<T>): Promise<T> {
    const { refuse, lose, slowMs } = faults;
    if (slowMs > 0) await scheduler.wait(slowMs * random.next());
    if (refuse > 0 && random.chance(refuse)) throw new Error(LOST);
    const result = await run();
    if (lose > 0 && random.chance(lose)) throw new Error(LOST);
    return result;
  }

  function wrap(statement: D1PreparedStatement): D1PreparedStatement {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      all: () => call(() => statement.all()),
      run: () => call(() => statement.run()),
      raw: (...options: []) => call(() => statement.raw(...options)),
      first: (...column: []) => call(() => statement.first(...column)),
    };
    inner.set(wrapped, statement);
    return wrapped as unknown as D1PreparedStatement;
  }

  return {
    prepare: (query: string) => wrap(database.prepare(query)),
    batch: (statements: D1PreparedStatement[]) =>
      call(() => database.batch(statements.map((statement) => inner.get(statement) ?? statement))),
    exec: (query: string) => call(() => database.exec(query)),
    dump: () => database.dump(),
  } as unknown as D1Database;
}
