import { DurableObject } from "cloudflare:workers";
import { connect } from "#app/db/db.server.ts";
import { findApiCaller, type KeyHolder } from "#app/orders/api/api-keys.server.ts";
import { type Meter, type Turn, takeTurn } from "#app/orders/api/api-meter.ts";

/** `forget` makes a revocation hold at once; this bounds what a change made past the product takes. */
const REMEMBER_MS = 30_000;

/**
 * One for each API key, and one for each address that comes without a known key. It counts the requests and remembers
 * who holds the key. Only in memory: an eviction begins a new window, and no request waits for a disk.
 */
export class ApiGate extends DurableObject<Env> {
  #meter: Meter | null = null;
  #remembered: { holder: Promise<KeyHolder | null>; until: number } | null = null;

  /** Counts a request of that key. The holder is null when no valid key has that digest. */
  async enter(digest: string, limit: number): Promise<{ turn: Turn; holder: KeyHolder | null }> {
    const turn = this.take(limit);
    const now = Date.now();
    if (!this.#remembered || this.#remembered.until <= now) {
      const holder = findApiCaller(connect(this.env.DB), digest, (work) => this.ctx.waitUntil(work));
      this.#remembered = { holder, until: now + REMEMBER_MS };
      // A failed look-up is the answer to those who wait for it, and to nobody after them.
      holder.catch(() => this.forget());
    }
    const holder = await this.#remembered.holder;
    const expired = holder !== null && holder.expiresAt !== null && holder.expiresAt <= now;
    return { turn, holder: expired ? null : holder };
  }

  take(limit: number): Turn {
    const { meter, turn } = takeTurn(this.#meter, limit, Date.now());
    this.#meter = meter;
    return turn;
  }

  forget(): void {
    this.#remembered = null;
  }
}
