import { sql } from "drizzle-orm";
import { cancellations, orders, refills } from "#app/db/schema.server.ts";
import { OPEN_CANCELLATION, OPEN_REFILL_LIST, POLLED_ORDER_LIST } from "#app/orders/rules/open-statuses.server.ts";

/**
 * The conditions of the partial indexes that hold open work. SQLite uses such an index only if the query repeats its
 * condition literally: with a bound value it reads every order ever placed.
 */
export const isQueued = sql`${orders.fulfillment} = 'queued'`;
export const isSubmitting = sql`${orders.fulfillment} = 'submitting'`;
export const isTracked = sql`${orders.fulfillment} = 'accepted' and ${orders.status} in ${POLLED_ORDER_LIST}`;
/** Held although the provider's id is known: its status could not be read, or did not tell the refund. */
export const isHeldAtProvider = sql`${orders.fulfillment} = 'held' and ${orders.providerOrderId} is not null and ${orders.status} in ${POLLED_ORDER_LIST}`;

export const isRefillQueued = sql`${refills.fulfillment} = 'queued'`;
export const isRefillSubmitting = sql`${refills.fulfillment} = 'submitting'`;
export const isRefillTracked = sql`${refills.fulfillment} = 'accepted' and ${refills.status} in ${OPEN_REFILL_LIST}`;
/** Held although the provider's id is known: its status could not be read. Read among those that wait for staff. */
export const isRefillHeldAtProvider = sql`${refills.status} in ${OPEN_REFILL_LIST} and ${refills.fulfillment} in ('manual', 'held') and ${refills.fulfillment} = 'held' and ${refills.providerRefillId} is not null`;

export const isCancellationQueued = sql`${cancellations.fulfillment} = 'queued'`;
export const isCancellationPending = sql`${cancellations.status} = ${OPEN_CANCELLATION}`;
