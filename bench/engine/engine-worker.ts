import { countedDatabase } from "#tests/workerd/counted-database.ts";
import app, { ProviderDispatcher as Dispatcher } from "#workers/app.ts";

export * from "#workers/app.ts";

/** Requests, cron and dispatchers share one isolate in a local workerd, so they share the counts too. */
let counted: ReturnType<typeof countedDatabase> | undefined;

/** Counting every read would run each of them twice, and the bench would measure itself. */
const RAW_READS_PER_COUNT = 10;

function countedEnv(env: Env): Env {
  counted ??= countedDatabase(env.DB, { rawReadsPerCount: RAW_READS_PER_COUNT });
  return { ...env, DB: counted.database };
}

export class ProviderDispatcher extends Dispatcher {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, countedEnv(env));
  }
}

/** The product's worker with counters for the bench. */
export default {
  async fetch(request, env, ctx) {
    switch (new URL(request.url).pathname) {
      case "/bench/rows":
        return Response.json([...(counted?.byStatement ?? [])]);
      case "/bench/states": {
        const after = Number(new URL(request.url).searchParams.get("after"));
        const { results } = await env.DB.prepare(
          "select provider_id, fulfillment, count(*) as count from orders where id > ? group by 1, 2",
        )
          .bind(after)
          .all();
        return Response.json(results);
      }
      default:
        return app.fetch(request, countedEnv(env), ctx);
    }
  },
  scheduled: (controller, env) => app.scheduled(controller, countedEnv(env)),
} satisfies ExportedHandler<Env>;
