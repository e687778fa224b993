import type { Db, SupportDb } from "#app/db/db.server.ts";
import type { CatalogCache } from "#app/orders/catalog/catalog.server.ts";

declare module "@remix-run/cloudflare" {
  interface AppLoadContext {
    env: Env;
    db: Db;
    supportDb: SupportDb;
    catalog: CatalogCache;
    requestId: string;
    /** Set once per request; every inline script of the page carries it. */
    nonce: string;
    waitUntil(work: Promise<unknown>): void;
  }
}
