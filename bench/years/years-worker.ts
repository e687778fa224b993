import { countedDatabase } from "#tests/workerd/counted-database.ts";
import app from "#workers/app.ts";
import { runScheduledJobs } from "#workers/scheduled-jobs.ts";

export * from "#workers/app.ts";

/** Statements of the nightly ledger check, which goes through a thirtieth of the history by design. */
const LEDGER_CHECK = /ledger_faults|rollups|max\(rowid\)/;

/**
 * The product's worker. A request with `bench-counted` gets the rows it read and wrote in headers; it takes longer, because
 * a raw read is counted by repeating it. `/bench/jobs?cron=` runs the jobs of a trigger and returns their rows.
 */
export default {
  ...app,
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url);
    const isJobs = pathname === "/bench/jobs";
    if (!isJobs && request.headers.get("bench-counted") === null) return app.fetch(request, env, ctx);
    const [main, support] = [countedDatabase(env.DB), countedDatabase(env.DB_SUPPORT)];
    const counted = { ...env, DB: main.database, DB_SUPPORT: support.database };
    const statements = () => [...main.byStatement, ...support.byStatement];
    if (isJobs) {
      const started = Date.now();
      await runScheduledJobs(searchParams.get("cron") ?? "", counted);
      const ms = Date.now() - started;
      const [check, others] = [true, false].map((is) =>
        statements().filter(([query]) => LEDGER_CHECK.test(query) === is),
      );
      return Response.json({ ms, check: rowsOf(check ?? []), others: rowsOf(others ?? []) });
    }
    const response = await app.fetch(request, counted, ctx);
    // The body may still be read from the databases.
    const body = await response.arrayBuffer();
    const headers = new Headers(response.headers);
    headers.set("bench-rows", JSON.stringify(rowsOf(statements())));
    return new Response(response.status === 304 || response.status === 204 ? null : body, {
      status: response.status,
      headers,
    });
  },
} satisfies ExportedHandler<Env>;

function rowsOf(statements: [string, { rowsRead: number; rowsWritten: number }][]) {
  return {
    read: statements.reduce((sum, [, { rowsRead }]) => sum + rowsRead, 0),
    written: statements.reduce((sum, [, { rowsWritten }]) => sum + rowsWritten, 0),
    most: statements
      .toSorted(([, one], [, other]) => other.rowsRead - one.rowsRead)
      .slice(0, 1)
      .map(([query, { rowsRead }]) => `${rowsRead}: ${query.replaceAll(/\s+/g, " ").slice(0, 160)}`)
      .join(""),
  };
}
