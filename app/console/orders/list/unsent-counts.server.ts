import { type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";

export type UnsentCounts = Record<"orders" | "refills" | "cancellations" | "webhooks", number>;

/** Counting reads at most this many rows of each. */
export const UNSENT_COUNTED_TO = 1000;

/** Counts what dispatchers will send to providers and customers' endpoints, from the partial indexes that hold only that. */
export async function countUnsent(db: Db): Promise<UnsentCounts> {
  const upTo = (rows: SQL) => sql`(select count(*) from (select 1 from ${rows} limit ${UNSENT_COUNTED_TO}))`;
  const counts = await db.get<UnsentCounts | undefined>(sql`select
    ${upTo(sql`orders where fulfillment = 'queued'`)} as orders,
    ${upTo(sql`refills where fulfillment = 'queued'`)} as refills,
    ${upTo(sql`cancellations where fulfillment = 'queued'`)} as cancellations,
    ${upTo(sql`webhook_deliveries where next_attempt_at is not null`)} as webhooks`);
  return counts ?? { orders: 0, refills: 0, cancellations: 0, webhooks: 0 };
}
