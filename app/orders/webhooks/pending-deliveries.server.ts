import { and, eq, inArray, or, sql } from "drizzle-orm";
import { WEBHOOK_EVENTS, webhookDeliveries, webhookEndpoints } from "#app/db/schema.server.ts";
import { type EndpointWants, WANT_OF_EVENT } from "./endpoint-wants.ts";

/** The condition of the partial index of pending deliveries, which serves only queries that repeat it literally. */
export const isPending = sql`${webhookDeliveries.nextAttemptAt} is not null`;

/** The condition of deliveries, joined with their endpoints, that these do not want anymore. */
export const isUnwanted = or(
  and(eq(webhookEndpoints.wantsOrders, false), inArray(webhookDeliveries.event, eventsOf("wantsOrders"))),
  and(eq(webhookEndpoints.wantsCatalog, false), inArray(webhookDeliveries.event, eventsOf("wantsCatalog"))),
);

function eventsOf(want: keyof EndpointWants) {
  return WEBHOOK_EVENTS.filter((event) => WANT_OF_EVENT[event] === want);
}
