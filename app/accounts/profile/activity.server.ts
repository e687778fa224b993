import { eventSentence } from "#app/accounts/events/event-sentence.server.ts";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { pageOf } from "#app/components/navigation/more-link.tsx";
import type { Db } from "#app/db/db.server.ts";
import type { Activity } from "./activity-list.tsx";

export const EVENTS_PER_PAGE = 20;

/** Returns a page of what happened to the account's security, newest first. `before` is the id of a listed event. */
export async function readActivity(
  db: Db,
  userId: string,
  before: number | null,
): Promise<{ rows: Activity[]; next: number | null }> {
  const events = await listSecurityEvents(db, userId, { ...(before !== null && { before }), limit: EVENTS_PER_PAGE });
  const { rows, next } = pageOf(events, EVENTS_PER_PAGE, ({ id }) => id);
  const shown = rows.map((event) => ({
    id: event.id,
    at: event.createdAt,
    sentence: eventSentence(event),
    network: event.network === null ? null : networkText(event.network),
  }));
  return { rows: shown, next };
}

/** IPv6 networks are stored as their first 64 bits. */
function networkText(network: string): string {
  return network.includes(":") ? `${network}::/64` : network;
}
