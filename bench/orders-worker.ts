import app from "#workers/app.ts";

export * from "#workers/app.ts";

/** The product's worker, with the baselines of the bench beside it in the same process. */
export default {
  ...app,
  async fetch(request, env, ctx) {
    switch (new URL(request.url).pathname) {
      case "/bench/insert":
        await env.DB.prepare("insert into bench_rows (value) values (?)").bind(crypto.randomUUID()).run();
        return Response.json({ ok: true }, { status: 201 });
      case "/bench/constant":
        return new Response("x".repeat(Number(new URL(request.url).searchParams.get("bytes"))));
      default:
        return app.fetch(request, env, ctx);
    }
  },
} satisfies ExportedHandler<Env>;
