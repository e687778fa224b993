import { connect } from "#app/db/db.server.ts";
import { newEmailMemory } from "#app/email/email-pace.ts";
import { runEmailQueue } from "#app/email/email-queue.server.ts";
import { Dispatcher } from "./dispatcher.ts";

/** Sends the queued emails of the whole site. */
export class EmailDispatcher extends Dispatcher {
  readonly #memory = newEmailMemory();

  protected override runRound(): Promise<number | null> {
    return runEmailQueue(connect(this.env.DB), this.env, this.#memory);
  }
}
