import { finishDeletion, noteAttempt, pendingDeletions } from "#app/accounts/deletion/account-deletion.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { eraseGmail, eraseGmailTokens } from "#app/gmail/gmail-personal-data.server.ts";
import type { TokenEnv } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { logError } from "#app/http/log.ts";
import { anonymizeOrders } from "#app/orders/anonymize-orders.server.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { eraseConversation } from "#app/support/support-personal-data.server.ts";
import { eraseUploads } from "#app/uploads/upload-personal-data.server.ts";

type Stores = Pick<Env, "API_GATE" | "SUPPORT_ROOM" | "UPLOADS"> & TokenEnv;

/** Completes a deletion that `startDeletion` recorded. Each step is repeatable; the account and the record go last. */
export async function deleteAccount(db: Db, stores: Stores, userId: string): Promise<void> {
  await eraseGmail(db, userId);
  // Before the audit log is stripped with the orders: the room writes its last entries.
  await eraseConversation(stores.SUPPORT_ROOM, userSessionId(userId));
  await anonymizeOrders(db, stores, userId);
  await eraseUploads(db, stores.UPLOADS, userId);
  // Near the end, because Google may be unreachable for a while. By then all other data is erased.
  await eraseGmailTokens(db, stores, userId);
  await finishDeletion(db, userId);
}

/** Resumes interrupted deletions, least recently tried first. One that fails doesn't hold up the others. */
export async function resumeDeletions(db: Db, stores: Stores): Promise<void> {
  for (const userId of await pendingDeletions(db)) {
    try {
      await noteAttempt(db, userId, Date.now());
      await deleteAccount(db, stores, userId);
    } catch (error) {
      logError("account deletion failed", error);
    }
  }
}
