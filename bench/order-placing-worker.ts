import { digestOfKey, gateOf } from "#app/orders/api/api-keys.server.ts";
import app from "#workers/app.ts";

export * from "#workers/app.ts";

/** The product's worker with the baselines of the bench, in the same process. */
export default {
  ...app,
  async fetch(request, env, ctx) {
    switch (new URL(request.url).pathname) {
      case "/bench/insert":
        await insert(env.DB);
        return Response.json({ ok: true }, { status: 201 });
      case "/bench/gated-insert": {
        if (!(await enters(request, env))) return new Response(null, { status: 401 });
        await insert(env.DB);
        return Response.json({ ok: true }, { status: 201 });
      }
      case "/bench/counted": {
        const count = { statements: 0, read: 0, written: 0 };
        const target = new URL("/api/v1/create_order", request.url);
        const response = await app.fetch(
          new Request(target, request) as typeof request,
          { ...env, DB: counting(env.DB, count) },
          ctx,
        );
        return Response.json(count, { status: response.status });
      }
      case "/bench/constant":
        return constant(request);
      case "/bench/gated-constant":
        if (!(await enters(request, env))) return new Response(null, { status: 401 });
        await env.DB.prepare("select version from catalog_version").all();
        return constant(request);
      default:
        return app.fetch(request, env, ctx);
    }
  },
} satisfies ExportedHandler<Env>;

async function enters(request: Request, env: Env): Promise<boolean> {
  const digest = digestOfKey(request.headers.get("Authorization")?.slice("Bearer ".length) ?? "") ?? "";
  const client = { address: null, network: null, requestId: "" };
  const { kind } = await gateOf(env, digest).enter(digest, Number(env.API_REQUESTS_PER_MINUTE), client);
  return kind === "entered";
}

function constant(request: Request): Response {
  return new Response("x".repeat(Number(new URL(request.url).searchParams.get("bytes"))));
}

function insert(database: D1Database): Promise<D1Result> {
  return database.prepare("insert into bench_rows (value) values (?)").bind(crypto.randomUUID()).run();
}

type Count = { statements: number; read: number; written: number };

/** Returns the database, adding the cost of its batches to `count`, in sessions too. Placing an order makes no other call. */
function counting<T extends D1Database | D1DatabaseSession>(database: T, count: Count): T {
  return new Proxy(database, {
    get(target, name) {
      if (name === "withSession" && "withSession" in target) {
        return (constraint?: string) => counting(target.withSession(constraint), count);
      }
      if (name !== "batch") {
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return async (statements: D1PreparedStatement[]) => {
        const results = await target.batch(statements);
        for (const { meta } of results) {
          count.statements++;
          count.read += meta.rows_read;
          count.written += meta.rows_written;
        }
        return results;
      };
    },
  });
}
