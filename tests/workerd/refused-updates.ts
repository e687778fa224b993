import { env } from "cloudflare:workers";

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
