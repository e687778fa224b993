import { isRunning } from "#app/accounts/session/auth-sessions.server.ts";
import { connect } from "#app/db/db.server.ts";
import { runPushQueue } from "#app/push/push-queue.server.ts";
import { Dispatcher } from "./dispatcher.ts";

/** Sends the queued notifications of the whole site. */
export class PushDispatcher extends Dispatcher {
  protected override runRound(): Promise<number | null> {
    return runPushQueue(connect(this.env.DB), this.env, isRunning(Date.now()));
  }
}
