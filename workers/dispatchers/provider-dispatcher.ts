import { connect } from "#app/db/db.server.ts";
import { newMemory, runProvider } from "#app/orders/fulfillment/fulfillment.server.ts";
import { Dispatcher } from "./dispatcher.ts";

/** Sends the orders of one provider, named by its id, and follows them. */
export class ProviderDispatcher extends Dispatcher {
  readonly #memory = newMemory();

  override async wake(providerId: string): Promise<void> {
    await super.wake(providerId);
    // The next round starts after the one that runs, which a call that hangs can make long.
    this.#memory.send?.();
  }

  protected override runRound(providerId: string): Promise<number | null> {
    return runProvider(connect(this.env.DB), this.env, Number(providerId), this.#memory);
  }
}
