import { sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { gmailMessages, gmailSyncStatus, gmailTokens } from "#app/db/schema.server.ts";
import { disconnect, forgetMailbox } from "./mailbox.server.ts";
import { accountOwner, type MailOwner, ownedBy } from "./owner.server.ts";
import { readTokenRow, sealToken, type TokenEnv, unsealToken } from "./tokens.server.ts";

/**
 * The mailbox that a browser connected before it signed in goes over to the account. An account that has a mailbox of
 * its own keeps that one, and the visitor's is disconnected. May be repeated; a sync under way loses its lease.
 */
export async function takeMailboxAlong(db: Db, env: TokenEnv, visitor: MailOwner, userId: string): Promise<void> {
  const account = accountOwner(userId);
  const [theirs, ours] = await Promise.all([readTokenRow(db, visitor), readTokenRow(db, account)]);
  if (!theirs) return;
  if (ours?.accessToken) {
    // One mailbox is one grant at Google: revoking the visitor's token would end the account's as well.
    if (ours.emailAddress === theirs.emailAddress) await forgetMailbox(db, visitor);
    else await disconnect(db, env, visitor);
    return;
  }
  if (ours && ours.emailAddress !== theirs.emailAddress) await forgetMailbox(db, account);
  const { id: _, ...row } = theirs;
  const moved = {
    ...row,
    ...account,
    accessToken:
      row.accessToken &&
      (await sealToken(env, account, "access", await unsealToken(env, visitor, "access", row.accessToken))),
    refreshToken:
      row.refreshToken &&
      (await sealToken(env, account, "refresh", await unsealToken(env, visitor, "refresh", row.refreshToken))),
    refreshLeaseUntil: 0,
  };
  await db.batch([
    db
      .insert(gmailTokens)
      .values(moved)
      .onConflictDoUpdate({ target: [gmailTokens.userId, gmailTokens.ownerDigest], set: moved }),
    db.delete(gmailTokens).where(ownedBy(gmailTokens, visitor)),
    db.delete(gmailMessages).where(ownedBy(gmailMessages, account)),
    db.update(gmailMessages).set(account).where(ownedBy(gmailMessages, visitor)),
    db.delete(gmailSyncStatus).where(ownedBy(gmailSyncStatus, account)),
    db
      .update(gmailSyncStatus)
      .set({
        ...account,
        leaseId: null,
        leaseUntil: 0,
        // A sync that the move cut off goes on by itself.
        nextSyncAt: sql`case when ${gmailSyncStatus.pending} <> '[]' or ${gmailSyncStatus.autoSync} then ${Date.now()} end`,
      })
      .where(ownedBy(gmailSyncStatus, visitor)),
  ]);
}
