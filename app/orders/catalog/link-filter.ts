import type { CatalogEntry } from "./offers.server.ts";

/** Narrows the catalog to the services that take the entered link. `name` says what it leads to, such as "a TikTok video". */
export type LinkFilter = { name: string; takes: (entry: CatalogEntry) => boolean };
