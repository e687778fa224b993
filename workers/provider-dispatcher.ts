import { DurableObject } from "cloudflare:workers";
import { connect } from "#app/db/db.server.ts";
import { logError } from "#app/http/log.ts";
import { newMemory, runProvider } from "#app/orders/fulfillment/fulfillment.server.ts";

const RETRY_MS = 30_000;

/**
 * Sends the orders of one provider and follows them. It wakes itself by alarms, which the platform keeps through a kill,
 * and sleeps when nothing is open. All it remembers between rounds may be lost.
 */
export class ProviderDispatcher extends DurableObject<Env> {
  readonly #memory = newMemory();

  /** Runs a round as soon as possible. */
  async wake(providerId: number): Promise<void> {
    this.ctx.storage.kv.put("provider", providerId);
    const alarm = await this.ctx.storage.getAlarm();
    if (alarm === null || alarm > Date.now()) await this.ctx.storage.setAlarm(Date.now());
  }

  override async alarm(): Promise<void> {
    const providerId = this.ctx.storage.kv.get<number>("provider");
    if (providerId === undefined) return;
    let next: number | null = RETRY_MS;
    try {
      next = await runProvider(connect(this.env.DB), this.env, providerId, this.#memory);
    } catch (error) {
      logError("provider failed", error, { provider: providerId });
    }
    if (next === null) return;
    // An order placed meanwhile may have set an earlier one.
    const at = Date.now() + next;
    const alarm = await this.ctx.storage.getAlarm();
    if (alarm === null || alarm > at) await this.ctx.storage.setAlarm(at);
  }
}
