import { env } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";

/** What the worker hands a route, for a test that calls what routes call. */
export function loadContext(given: Partial<AppLoadContext> = {}): AppLoadContext {
  return {
    env,
    db: connect(env.DB),
    supportDb: connectSupport(env.DB_SUPPORT),
    catalog: new CatalogCache(),
    requestId: "test",
    nonce: "",
    waitUntil: () => {},
    ...given,
  };
}
