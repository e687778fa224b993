import { connect } from "#app/db/db.server.ts";
import { deliverQueue } from "#app/orders/webhooks/deliver-webhooks.server.ts";
import { Dispatcher } from "./dispatcher.ts";

/** Sends the deliveries of one webhook endpoint, named by its id, one after the other. */
export class WebhookDispatcher extends Dispatcher {
  protected override runRound(endpointId: string): Promise<number | null> {
    return deliverQueue(connect(this.env.DB), this.env, endpointId);
  }
}
