import { type AppLoadContext, createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import { createElement } from "react";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import app from "#workers/app.ts";
import * as built from "../build/server/index.js";

export * from "#workers/app.ts";

const build = built as unknown as ServerBuild;
const catalog = new CatalogCache();
const renderBare = createRequestHandler(bareBuild(), "production");

/** The product's worker with a bare Remix route and a constant response in the same process. */
export default {
  ...app,
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === "/bench/constant") return new Response("ok");
    if (pathname !== "/bench/bare") return app.fetch(request, env, ctx);
    const context: AppLoadContext = {
      env,
      db: connect(env.DB),
      replicaDb: connect(env.DB),
      supportDb: connectSupport(env.DB_SUPPORT),
      catalog,
      requestId: "bench",
      startedAt: Date.now(),
      route: "/bench",
      nonce: "bench",
      componentStates: () => Promise.reject(new Error("not of this page")),
      componentChanges: () => Promise.reject(new Error("not of this page")),
      siteState: () => Promise.reject(new Error("not of this page")),
      forgetSiteState: () => {},
      waitUntil: (work) => ctx.waitUntil(work),
    };
    return renderBare(new Request(new URL("/", request.url)), context);
  },
} satisfies ExportedHandler<Env>;

/** Returns the product's build with a single route, which reads one row and renders one line. */
function bareBuild(): ServerBuild {
  const { root } = build.routes;
  const asset = build.assets.routes.root;
  if (!root || !asset) throw new Error("the build has no root route");
  const module = {
    loader: async ({ context }: { context: AppLoadContext }) =>
      context.env.DB.prepare("select version from catalog_version").first(),
    default: () => createElement("html", null, createElement("body", null, createElement("h1", null, "Bare"))),
  };
  return {
    ...build,
    routes: { root: { ...root, path: "", module: module as unknown as typeof root.module } },
    assets: { ...build.assets, routes: { root: asset } },
  };
}
