import { sql } from "drizzle-orm";
import { webhookDeliveries } from "#app/db/schema.server.ts";

/** The condition of the partial index of pending deliveries, which serves only queries that repeat it literally. */
export const isPending = sql`${webhookDeliveries.nextAttemptAt} is not null`;
