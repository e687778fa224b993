import { deleteAccountRows } from "#app/accounts/deletion/account-personal-data.server.ts";
import { noteAttempt, pendingDeletions, startDeletionsAgain } from "#app/accounts/deletion/start-deletion.server.ts";
import { erasedAccounts, noteErasure } from "#app/backup/erasures.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { deleteEmails } from "#app/email/email-personal-data.server.ts";
import { deleteGmailData, deleteGmailTokens } from "#app/gmail/gmail-personal-data.server.ts";
import type { TokenEnv } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { logError } from "#app/http/log.ts";
import { anonymizeOrders, OrdersLeft } from "#app/orders/anonymize-orders.server.ts";
import { deleteDevices, ownerOfAccount } from "#app/push/subscriptions.server.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { closeSockets } from "#app/support/room/close-sockets.server.ts";
import { deleteSupportConversation } from "#app/support/support-personal-data.server.ts";
import { deleteUploads } from "#app/uploads/upload-personal-data.server.ts";

type Stores = Pick<
  Env,
  "API_GATE" | "BACKUPS" | "PUSH_DISPATCHER" | "SUPPORT_DESK" | "SUPPORT_ROOM" | "UPLOADS" | "WEBHOOK_DISPATCHER"
> &
  TokenEnv;

/**
 * Deletes everything that belongs to an account whose deletion `startDeletion` recorded, in every store, and keeps what
 * money must add up to under a random id. docs/personal-data.md says per table what is deleted and what is kept;
 * the schema says it per column. Each step is repeatable; the account and the record go last.
 */
export async function deleteAccount(db: Db, stores: Stores, userId: string): Promise<void> {
  await noteErasure(db, stores.BACKUPS, userId);
  await deleteEmails(db, userId);
  // Before the orders, some of which end now.
  await deleteDevices(db, ownerOfAccount(userId));
  await deleteGmailData(db, userId);
  // Before the audit log is stripped with the orders: the room writes its last entries. If the room can't be deleted
  // yet, API keys and orders still end at once, and the next attempt strips the log again.
  const [conversation] = await Promise.allSettled([
    closeSockets(stores, userId, null).then(() =>
      deleteSupportConversation(stores.SUPPORT_ROOM, userSessionId(userId)),
    ),
  ]);
  await anonymizeOrders(db, stores, userId);
  if (conversation.status === "rejected") throw conversation.reason;
  await deleteUploads(db, stores.UPLOADS, userId);
  // Near the end, because Google may be unreachable for a while. All other data is deleted by then.
  await deleteGmailTokens(db, stores, userId);
  await deleteAccountRows(db, userId);
}

/** Resumes interrupted deletions, least recently tried first. One that fails doesn't hold up the others. */
export async function resumeDeletions(db: Db, stores: Stores): Promise<void> {
  for (const userId of await pendingDeletions(db)) {
    try {
      await noteAttempt(db, userId, Date.now());
      await deleteAccount(db, stores, userId);
    } catch (error) {
      logError("account deletion failed", error);
      // Its cancellations used up what one run may send to D1.
      if (error instanceof OrdersLeft) return;
    }
  }
}

/** Starts the deletions again that a restored backup does not know of. Returns their number; cron completes them. */
export async function repeatErasures(db: Db, backups: R2Bucket): Promise<number> {
  const erased = await erasedAccounts(db, backups);
  await startDeletionsAgain(db, erased);
  return erased.length;
}
