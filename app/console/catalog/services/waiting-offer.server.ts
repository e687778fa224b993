import { and, eq, isNull, sql } from "drizzle-orm";
import { quarantine, services } from "#app/db/schema.server.ts";

/** Expressions for what a provider's catalog change that waits for a decision says about its service. */

/** Joins the waiting change of a service, of which there is at most one. */
export const WAITING_OFFER = and(eq(quarantine.serviceId, services.id), isNull(quarantine.decidedAt));

/** The provider's rate in the waiting change, in micro-units. Null without one, and where it is for another unit. */
export const OFFERED_RATE = sql<
  number | null
>`iif(${quarantine.reason} = 'type', null, ${quarantine.offered} ->> '$.rate')`;

/**
 * Whether the service must not go on sale before the change is decided: it was paused for it, or the provider doesn't offer
 * it as we sell it.
 */
export const IS_BLOCKED =
  sql<boolean>`coalesce(${quarantine.paused} or ${quarantine.reason} in ('gone', 'type'), 0)`.mapWith(Boolean);

/** The current or coming cost: the provider's known rate, or the offered one if that is higher. Micro-units. */
export const HIGHEST_COST = sql<
  number | null
>`coalesce(max(${services.providerRate}, ${OFFERED_RATE}), ${services.providerRate}, ${OFFERED_RATE})`;
