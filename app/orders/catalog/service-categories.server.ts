import { sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { services } from "#app/db/schema.server.ts";

const MAX_LISTED = 2000;

export type ListedCategory = { network: string; category: string };

/**
 * Returns the networks and their categories by name, up to MAX_LISTED. Jumps from one to the next in the index
 * services_by_category, so that it reads a few rows for each and not the whole catalog.
 */
export function listCategories(db: Db): Promise<ListedCategory[]> {
  return db.all<ListedCategory>(sql`
    with recursive networks(network) as (
      select min(network) from ${services}
      union all
      select (select min(one.network) from services one where one.network > networks.network)
      from networks where networks.network is not null
    ), pairs(network, category) as (
      select networks.network, (select min(one.category) from services one where one.network = networks.network)
      from networks where networks.network is not null
      union all
      select pairs.network,
        (select min(one.category) from services one where one.network = pairs.network and one.category > pairs.category)
      from pairs where pairs.category is not null
    )
    select network, category from pairs where category is not null order by network, category
    limit ${sql.raw(String(MAX_LISTED))}`);
}
