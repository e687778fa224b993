import { connect } from "#app/db/db.server.ts";
import type { QuotaUse } from "#app/gmail/api/gmail-quota.ts";
import { newMailboxMemory, startDueMailboxes } from "#app/gmail/sync/mailbox-rounds.server.ts";
import { syncDueMailbox } from "#app/gmail/sync/sync-mailbox.server.ts";
import type { MailboxOwner } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { Dispatcher } from "./dispatcher.ts";

/** Objects that run syncs for the one that starts them. */
const LANES = 8;

/**
 * Starts the syncs of all mailboxes that are due. The syncs run in other objects of this class, a few in each, because
 * an object may have only six connections that wait for a response, and Gmail may be slow for some mailboxes.
 */
export class GmailDispatcher extends Dispatcher {
  readonly #memory = newMailboxMemory();

  protected override runRound(): Promise<number | null> {
    return startDueMailboxes(connect(this.env.DB), this.#memory, (owner, place) =>
      this.env.GMAIL_DISPATCHER.getByName(`lane ${place % LANES}`).sync(owner),
    );
  }

  /** Syncs one mailbox, in a lane. */
  sync(owner: MailboxOwner): Promise<QuotaUse> {
    return syncDueMailbox(connect(this.env.DB), this.env, owner);
  }
}
