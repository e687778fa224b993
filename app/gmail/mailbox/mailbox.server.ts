import { and, count, desc, gte, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { gmailMessages, gmailOauthStates, gmailSyncStatus, gmailTokens } from "#app/db/schema.server.ts";
import { readSyncRow } from "#app/gmail/sync/mailbox-sync-state.server.ts";
import { readTokenRow, revokeStoredTokens, type TokenEnv } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { type MailboxOwner, ownedBy } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { logError } from "#app/http/log.ts";
import { DAY_MS } from "#app/time.ts";
import type { GmailData, Mailbox } from "./mailbox-data.ts";

const RECENT = 10;
const TOP_SENDERS = 5;
const CHART_DAYS = 14;

const NOBODY: Mailbox = {
  connected: false,
  reconnectNeeded: false,
  emailAddress: null,
  connectedAt: null,
  autoSync: false,
  lastError: null,
  progress: null,
  nextSyncAt: null,
};

/** Reads the connection and its sync state. An `owner` of null has no mailbox. */
export async function readMailbox(db: Db, owner: MailboxOwner | null, now = Date.now()): Promise<Mailbox> {
  if (!owner) return NOBODY;
  const [token, sync] = await Promise.all([readTokenRow(db, owner), readSyncRow(db, owner)]);
  if (!token) return NOBODY;
  const running = (sync?.leaseUntil ?? 0) > now;
  const waits = (sync?.pending.length ?? 0) > 0;
  return {
    connected: token.accessToken !== null,
    reconnectNeeded: token.accessToken === null,
    emailAddress: token.emailAddress,
    connectedAt: token.createdAt,
    autoSync: sync?.autoSync ?? false,
    lastError: sync?.lastError ?? null,
    progress: sync && (running || waits) ? { done: sync.progress, total: sync.progressTotal, running } : null,
    nextSyncAt: sync?.nextSyncAt ?? null,
  };
}

/** Returns null before the first sync, and if reading fails, which is only logged. */
export async function readGmailData(db: Db, owner: MailboxOwner, now = Date.now()): Promise<GmailData | null> {
  try {
    const today = Math.floor(now / DAY_MS);
    const firstDay = today - CHART_DAYS + 1;
    const day = sql<number>`${gmailMessages.internalDate} / ${sql.raw(String(DAY_MS))}`;
    const mine = ownedBy(gmailMessages, owner);
    const [[status], [counted], recent, days, senders] = await db.batch([
      db
        .select({ lastSyncAt: gmailSyncStatus.lastSyncAt, totalMessages: gmailSyncStatus.totalMessages })
        .from(gmailSyncStatus)
        .where(ownedBy(gmailSyncStatus, owner))
        .limit(1),
      db.select({ synced: count() }).from(gmailMessages).where(mine),
      db
        .select({
          id: gmailMessages.id,
          fromEmail: gmailMessages.fromEmail,
          fromName: gmailMessages.fromName,
          subject: gmailMessages.subject,
          snippet: gmailMessages.snippet,
          internalDate: gmailMessages.internalDate,
        })
        .from(gmailMessages)
        .where(mine)
        .orderBy(desc(gmailMessages.internalDate), desc(gmailMessages.id))
        .limit(RECENT),
      db
        .select({ day, messages: count() })
        .from(gmailMessages)
        .where(and(mine, gte(gmailMessages.internalDate, firstDay * DAY_MS)))
        .groupBy(day),
      db
        .select({
          email: sql<string>`max(${gmailMessages.fromEmail})`,
          name: sql<string>`max(${gmailMessages.fromName})`,
          messages: count(),
        })
        .from(gmailMessages)
        .where(mine)
        .groupBy(sql`lower(${gmailMessages.fromEmail})`)
        .orderBy(desc(count()), sql`lower(${gmailMessages.fromEmail})`)
        .limit(TOP_SENDERS),
    ]);
    const synced = counted?.synced ?? 0;
    const { lastSyncAt, totalMessages } = status ?? { lastSyncAt: null, totalMessages: 0 };
    if (synced === 0 && lastSyncAt === null) return null;
    const perDay = Array.from({ length: CHART_DAYS }, (_, at) => ({
      day: new Date((firstDay + at) * DAY_MS).toISOString().slice(0, 10),
      value: days.find((one) => one.day === firstDay + at)?.messages ?? 0,
    }));
    return { totalMessages, synced, lastSyncAt, recent, perDay, topSenders: senders };
  } catch (error) {
    logError("gmail statistics not loaded", error);
    return null;
  }
}

/** Revokes the tokens at Google, then deletes them and all messages. Throws GoogleAway before deleting anything. */
export async function disconnect(db: Db, env: TokenEnv, owner: MailboxOwner): Promise<void> {
  await revokeStoredTokens(db, env, owner);
  await forgetMailbox(db, owner);
}

/** Deletes the mailbox's tokens, messages and status without revoking at Google. */
export async function forgetMailbox(db: Db, owner: MailboxOwner): Promise<void> {
  await db.batch([
    db.delete(gmailTokens).where(ownedBy(gmailTokens, owner)),
    // Deletes the lease too, so that a running sync can't write anything afterwards.
    db.delete(gmailSyncStatus).where(ownedBy(gmailSyncStatus, owner)),
    db.delete(gmailMessages).where(ownedBy(gmailMessages, owner)),
    db.delete(gmailOauthStates).where(ownedBy(gmailOauthStates, owner)),
  ]);
}
