import { connect } from "#app/db/db.server.ts";
import { newMemory, runProvider } from "#app/orders/fulfillment/fulfillment.server.ts";
import { Dispatcher } from "./dispatcher.ts";

/** Sends the orders of one provider, named by its id, and follows them. */
export class ProviderDispatcher extends Dispatcher {
  readonly #memory = newMemory();

  protected override runRound(providerId: string): Promise<number | null> {
    return runProvider(connect(this.env.DB), this.env, Number(providerId), this.#memory);
  }
}
