import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, desc, eq, lt, type SQLWrapper, sql } from "drizzle-orm";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { userDigest } from "#app/crypto/user-digest.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { deleteOldest } from "#app/db/delete-in-chunks.server.ts";
import { type EventDetail, profiles, type SecurityEventKind, securityEvents } from "#app/db/schema.server.ts";
import { insertSecurityEvent } from "#app/db/security-event-insert.server.ts";
import { lookupEmail } from "#app/email-address.ts";
import { log, runLogged } from "#app/http/log.ts";
import { DAY_MS } from "#app/time.ts";

/** Records what happens to the security of an account, in the log and in the list that its owner sees. */

export const EVENT_KEPT_MS = 365 * DAY_MS;

/**
 * Builds the statement that records an event, for the batch that causes it. `owner` is a user id, or SQL that selects
 * one. Call `logEvent` once the batch has succeeded.
 */
export function eventStatement(
  db: Db,
  { device, network, requestId }: Pick<Visit, "device" | "network" | "requestId">,
  owner: string | SQLWrapper,
  kind: SecurityEventKind,
  detail: EventDetail = {},
) {
  return insertSecurityEvent(db, owner, { kind, device, network, requestId, detail });
}

/** Records an event after the response. */
export function recordEvent(
  context: Pick<AppLoadContext, "env" | "db" | "requestId" | "waitUntil">,
  visit: Visit,
  userId: string,
  kind: SecurityEventKind,
  detail?: EventDetail,
): void {
  logEvent(context, userId, kind);
  const fields = { request_id: context.requestId, kind };
  context.waitUntil(
    runLogged("security event not recorded", fields, async () => {
      await eventStatement(context.db, visit, userId, kind, detail);
    }),
  );
}

/**
 * Records an attempt on the account with this email address, after the response. If there is no such account, it is
 * logged only.
 */
export function recordAttempt(
  context: Pick<AppLoadContext, "env" | "db" | "requestId" | "waitUntil">,
  visit: Visit,
  email: string,
  kind: "log_in_failed" | "limited",
): void {
  const fields = { request_id: context.requestId, kind };
  context.waitUntil(
    runLogged("security event not recorded", fields, async () => {
      const account = eq(profiles.email, lookupEmail(email));
      const [owner] = await context.db.select({ userId: profiles.userId }).from(profiles).where(account).limit(1);
      logEvent(context, owner?.userId ?? null, kind);
      if (owner) await eventStatement(context.db, visit, owner.userId, kind);
    }),
  );
}

/** Logs an event without storing it. `userId` is null for an attempt on an email address that has no account. */
export function logEvent(
  { env, requestId }: Pick<AppLoadContext, "env" | "requestId">,
  userId: string | null,
  kind: SecurityEventKind,
): void {
  const user = userId === null ? null : userDigest(env.SESSION_SECRET, userId);
  log("info", "security event", { kind, user, request_id: requestId });
}

export type SecurityEvent = typeof securityEvents.$inferSelect;

/** Returns the owner's events that are older than `before`, an event's id, newest first: one more than `limit` if more exist. */
export async function listSecurityEvents(
  db: Db,
  userId: string,
  { before, limit }: { before?: number; limit: number },
): Promise<SecurityEvent[]> {
  const last = sql`(select created_at, id from ${securityEvents} where ${and(eq(securityEvents.id, before ?? 0), eq(securityEvents.userId, userId))})`;
  return db
    .select()
    .from(securityEvents)
    .where(
      and(
        eq(securityEvents.userId, userId),
        before === undefined ? undefined : sql`(${securityEvents.createdAt}, ${securityEvents.id}) < ${last}`,
      ),
    )
    .orderBy(desc(securityEvents.createdAt), desc(securityEvents.id))
    .limit(limit + 1);
}

/** Deletes events older than a year. */
export async function deleteOldEvents(db: Db, now = Date.now()): Promise<void> {
  await deleteOldest(db, securityEvents, { isOld: lt(securityEvents.createdAt, now - EVENT_KEPT_MS) });
}
