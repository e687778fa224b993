import type { Db } from "#app/db/db.server.ts";
import { dueMailboxes } from "./sync-schedule.server.ts";

export type GmailWakeEnv = Pick<Env, "GMAIL_DISPATCHER">;

/** The name of the object that starts the syncs of all mailboxes. */
const QUEUE = "mailboxes";

/**
 * Wakes the dispatcher if a mailbox is due. Cron does it too, for a dispatcher that was killed. Returns what its rounds fail
 * with, or null.
 */
export async function wakeForDueMailboxes(db: Db, env: GmailWakeEnv): Promise<string | null> {
  const due = await dueMailboxes(db, Date.now(), 1);
  return due.length > 0 ? env.GMAIL_DISPATCHER.getByName(QUEUE).wake(QUEUE) : null;
}
