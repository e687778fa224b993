import { type KeptMemory, keptOf, newMemory } from "#app/orders/fulfillment/dispatcher-memory.server.ts";
import { connectRound, runProvider } from "#app/orders/fulfillment/provider-round.server.ts";
import { Dispatcher } from "./dispatcher.ts";

/** Sends the orders of one provider, named by its id, and follows them. */
export class ProviderDispatcher extends Dispatcher {
  #kept = this.ctx.storage.kv.get<KeptMemory>("memory");
  readonly #memory = newMemory(this.#kept);

  override async wake(providerId: string): Promise<string | null> {
    const failure = await super.wake(providerId);
    // The next round starts after the one that runs, which a call that hangs can make long.
    this.#memory.send?.();
    return failure;
  }

  protected override async runRound(providerId: string): Promise<number | null> {
    try {
      const note = (error: unknown) => this.noteFailure(error);
      const db = connectRound(this.env.DB, this.#memory);
      return await runProvider(db, this.env, Number(providerId), this.#memory, note);
    } finally {
      this.#keep(keptOf(this.#memory));
    }
  }

  /** Writes only what changed: most rounds change nothing of it. */
  #keep(memory: KeptMemory): void {
    if (JSON.stringify(memory) === JSON.stringify(this.#kept)) return;
    this.ctx.storage.kv.put("memory", memory);
    this.#kept = memory;
  }
}
