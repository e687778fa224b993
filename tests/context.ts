import { env } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { connect } from "#app/db/db.server.ts";
import { Catalogue } from "#app/orders/catalogue.server.ts";

/** What the worker hands a route, for a test that calls what routes call. */
export function loadContext(given: Partial<AppLoadContext> = {}): AppLoadContext {
  return {
    env,
    db: connect(env.DB),
    catalogue: new Catalogue(),
    requestId: "test",
    nonce: "",
    waitUntil: () => {},
    ...given,
  };
}
