import { eraseAccount, pendingErasures } from "#app/accounts/erasure.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { logError } from "#app/http/log.ts";
import { eraseMail, eraseMailTokens } from "#app/mail/personal-data.server.ts";
import type { TokenEnv } from "#app/mail/tokens.server.ts";
import { detachOrders } from "#app/orders/personal-data.server.ts";
import { userSessionId } from "#app/support/identity.ts";
import { eraseConversation } from "#app/support/personal-data.server.ts";
import { eraseUploads } from "#app/uploads/personal-data.server.ts";

type Stores = Pick<Env, "API_GATE" | "SUPPORT_ROOM" | "UPLOADS"> & TokenEnv;

/** Finishes what `startErasure` wrote down. Each step may be repeated; the account goes last, and with it the note. */
export async function deleteAccount(db: Db, stores: Stores, userId: string): Promise<void> {
  await eraseMail(db, userId);
  await detachOrders(db, stores, userId);
  await eraseConversation(stores.SUPPORT_ROOM, userSessionId(userId));
  await eraseUploads(db, stores.UPLOADS, userId);
  // Google may be away for a while; what is ours has gone by then.
  await eraseMailTokens(db, stores, userId);
  await eraseAccount(db, userId);
}

/** Takes up the deletions that were cut off. One that fails does not hold up the others. */
export async function resumeDeletions(db: Db, stores: Stores): Promise<void> {
  for (const userId of await pendingErasures(db)) {
    try {
      await deleteAccount(db, stores, userId);
    } catch (error) {
      logError("account deletion waits", error);
    }
  }
}
