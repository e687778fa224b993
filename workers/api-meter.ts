import { DurableObject } from "cloudflare:workers";
import { type Meter, type Turn, takeTurn } from "#app/orders/api-meter.ts";

/** One for each API key. Only in memory: an eviction begins a new window, and no request waits for a disk. */
export class ApiMeter extends DurableObject<Env> {
  #meter: Meter | null = null;

  take(limit: number): Turn {
    const { meter, turn } = takeTurn(this.#meter, limit, Date.now());
    this.#meter = meter;
    return turn;
  }
}
