import { and, eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { gmailMessages, gmailSyncStatus, gmailTokens } from "#app/db/schema.server.ts";
import {
  readTokenRow,
  sealToken,
  type TokenEnv,
  type TokenKind,
  unsealToken,
} from "#app/gmail/tokens/gmail-tokens.server.ts";
import { accountOwner, type MailboxOwner, ownedBy } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { disconnect, forgetMailbox } from "./mailbox.server.ts";

/**
 * Moves a mailbox that the browser connected before signing in to the account. If the account already has one, it keeps
 * that, and the visitor's is disconnected. Repeatable and safe to run concurrently. A running sync loses its lease.
 */
export async function claimMailbox(db: Db, env: TokenEnv, visitor: MailboxOwner, userId: string): Promise<void> {
  const account = accountOwner(userId);
  const [theirs, ours] = await Promise.all([readTokenRow(db, visitor), readTokenRow(db, account)]);
  if (!theirs) return;
  if (ours?.accessToken) {
    // A mailbox has one grant at Google, so revoking the visitor's token would end the account's connection too.
    if (ours.emailAddress === theirs.emailAddress) await forgetMailbox(db, visitor);
    else await disconnect(db, env, visitor);
    return;
  }
  const moved = {
    ...account,
    accessToken: await resealed(env, visitor, account, "access", theirs.accessToken),
    refreshToken: await resealed(env, visitor, account, "refresh", theirs.refreshToken),
    refreshLeaseUntil: 0,
  };
  // Two requests of one page load may run this concurrently. Every statement of the second must match no rows.
  const still = sql`exists (select 1 from gmail_tokens as t where t.id = ${theirs.id}
    and t.user_id = ${visitor.userId} and t.access_token is ${theirs.accessToken})`;
  await db.batch([
    db.delete(gmailMessages).where(and(ownedBy(gmailMessages, account), still)),
    db
      .update(gmailMessages)
      .set(account)
      .where(and(ownedBy(gmailMessages, visitor), still)),
    db.delete(gmailSyncStatus).where(and(ownedBy(gmailSyncStatus, account), still)),
    db
      .update(gmailSyncStatus)
      .set({
        ...account,
        leaseId: null,
        leaseUntil: 0,
        // The dispatcher resumes a sync that the move interrupted.
        nextSyncAt: sql`case when ${gmailSyncStatus.pending} <> '[]' or ${gmailSyncStatus.autoSync} then ${Date.now()} end`,
      })
      .where(and(ownedBy(gmailSyncStatus, visitor), still)),
    db.delete(gmailTokens).where(and(ownedBy(gmailTokens, account), still)),
    db
      .update(gmailTokens)
      .set(moved)
      .where(and(eq(gmailTokens.id, theirs.id), still)),
  ]);
}

async function resealed(env: TokenEnv, from: MailboxOwner, to: MailboxOwner, kind: TokenKind, sealed: string | null) {
  return sealed && sealToken(env, to, kind, await unsealToken(env, from, kind, sealed));
}
