import type { Db, SupportDb } from "#app/db/db.server.ts";
import type { ComponentStates } from "#app/monitoring/health/component-states.ts";
import type { ComponentChange } from "#app/monitoring/health/status-changes.server.ts";
import type { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import type { SiteState } from "#app/settings/announcements.server.ts";

declare module "@remix-run/cloudflare" {
  interface AppLoadContext {
    env: Env;
    /** The main database's primary. For all writes, for who is logged in, for money and for the API. */
    db: Db;
    /** The nearest copy of the main database that has the browser's last write. For what pages show, and only for reads. */
    replicaDb: Db;
    supportDb: SupportDb;
    catalog: CatalogCache;
    requestId: string;
    /** When the request reached the worker, in ms. */
    startedAt: number;
    /** The pattern of the request's route, such as "/dashboard/orders/:id". What may be logged of the path. */
    route: string;
    /** Set once per request; every inline script of the page carries it. */
    nonce: string;
    /** The states of what the status page shows, as the isolate saw them in the last seconds. */
    componentStates(): Promise<ComponentStates>;
    /** The kept changes of those states, as the isolate read them in the last seconds. Throws if they can't be read. */
    componentChanges(): Promise<ComponentChange[]>;
    /** The settings and banners, as the isolate read them in the last seconds. */
    siteState(): Promise<SiteState>;
    /** Makes this isolate read them again. */
    forgetSiteState(): void;
    waitUntil(work: Promise<unknown>): void;
  }
}
