import { env } from "cloudflare:workers";
import { connect, type Db } from "#app/db/db.server.ts";

/**
 * Makes the database refuse every update of `table` for which `when` holds (SQL over `old` and `new`). Returns the
 * function that lifts it.
 */
export async function refuseUpdates(table: string, when: string): Promise<() => Promise<void>> {
  const name = `refused_${crypto.randomUUID().replaceAll("-", "")}`;
  const refuse = `begin select raise(abort, 'refused by a test'); end`;
  await env.DB.prepare(`create trigger ${name} before update on ${table} when ${when} ${refuse}`).run();
  return async () => {
    await env.DB.prepare(`drop trigger if exists ${name}`).run();
  };
}

/** Returns the main database with a connection that is lost at the n-th update of `table`, and at no other statement. */
export function losingUpdate(table: string, n: number): Db {
  let updates = 0;
  const prepare = (query: string) => {
    const isLost = query.startsWith(`update "${table}"`) && ++updates === n;
    if (isLost) throw new Error("D1_ERROR: Network connection lost.");
    return env.DB.prepare(query);
  };
  const batch = (statements: D1PreparedStatement[]) => env.DB.batch(statements);
  return connect({ prepare, batch } as unknown as D1Database);
}
