import { env } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { readComponentChanges } from "#app/monitoring/health/status-changes.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { selectBanners } from "#app/settings/announcements.server.ts";
import { readSiteSettings } from "#app/settings/settings-store.server.ts";

/** Returns the load context that the worker gives a route. */
export function loadContext(given: Partial<AppLoadContext> = {}): AppLoadContext {
  const db = given.db ?? connect(env.DB);
  return {
    env,
    db,
    replicaDb: db,
    supportDb: connectSupport(env.DB_SUPPORT),
    catalog: new CatalogCache(),
    requestId: "test",
    startedAt: Date.now(),
    route: "/test",
    nonce: "",
    componentStates: async () => ({
      api: "operational",
      ordering: "operational",
      chat: "operational",
      providers: "operational",
    }),
    componentChanges: () => readComponentChanges(db),
    siteState: async () => ({
      settings: await readSiteSettings(db, given.env ?? env),
      banners: await selectBanners(db, Date.now()),
    }),
    forgetSiteState: () => {},
    waitUntil: () => {},
    ...given,
  };
}
