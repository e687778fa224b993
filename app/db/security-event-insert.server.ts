import { and, desc, eq, gt, type SQLWrapper, sql } from "drizzle-orm";
import { HOUR_MS } from "#app/time.ts";
import type { Db } from "./db.server.ts";
import { type EventDetail, type SecurityEventKind, securityEvents, users } from "./schema.server.ts";

/** Events of one kind that an account gets per hour. More are dropped, so that a flood of failures fills no table. */
export const MAX_OF_KIND_PER_HOUR = 20;

export type NewSecurityEvent = {
  kind: SecurityEventKind;
  device?: string;
  network?: string | null;
  requestId?: string;
  detail?: EventDetail;
};

/**
 * Builds the statement that records an event, for the batch that causes it. `owner` is a user id, or SQL that selects
 * one; nothing is recorded if it selects nothing.
 */
export function insertSecurityEvent(
  db: Db,
  owner: string | SQLWrapper,
  { kind, device = "", network = null, requestId = "", detail = {} }: NewSecurityEvent,
) {
  const now = Date.now();
  const recent = db
    .select({ one: sql`1` })
    .from(securityEvents)
    .where(
      and(
        eq(securityEvents.userId, users.id),
        gt(securityEvents.createdAt, now - HOUR_MS),
        eq(securityEvents.kind, kind),
      ),
    )
    .orderBy(desc(securityEvents.createdAt))
    .limit(MAX_OF_KIND_PER_HOUR);
  return db.insert(securityEvents).select(
    db
      .select({
        id: sql<null>`null`.as("id"),
        userId: users.id,
        kind: sql<SecurityEventKind>`${kind}`.as("kind"),
        createdAt: sql<number>`cast(${now} as integer)`.as("created_at"),
        device: sql<string>`${device}`.as("device"),
        network: sql<string | null>`${network}`.as("network"),
        requestId: sql<string>`${requestId}`.as("request_id"),
        detail: sql<EventDetail>`${JSON.stringify(detail)}`.as("detail"),
      })
      .from(users)
      .where(
        and(
          typeof owner === "string" ? eq(users.id, owner) : sql`${users.id} in (${owner})`,
          sql`(select count(*) from (${recent})) < ${sql.raw(String(MAX_OF_KIND_PER_HOUR))}`,
        ),
      ),
  );
}
