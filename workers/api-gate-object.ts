import { DurableObject } from "cloudflare:workers";
import { connect } from "#app/db/db.server.ts";
import { findApiCaller, type KeyHolder } from "#app/orders/api/api-keys.server.ts";
import { type Allowance, countRequest, type Meter } from "#app/orders/api/api-meter.ts";

/** `forget` makes revocations immediate. This bounds how long a change made directly in the database takes to apply. */
const REMEMBER_MS = 30_000;

/**
 * Counts requests and caches the holder of one API key, or counts those of one network address without a known key.
 * State is in memory only: an eviction starts a new window, and no request waits for a disk.
 */
export class ApiGate extends DurableObject<Env> {
  #meter: Meter | null = null;
  #remembered: { holder: Promise<KeyHolder | null>; until: number } | null = null;

  /** Counts a request with the key of that digest. `holder` is null if no valid key has it. */
  async enter(digest: string, limit: number): Promise<{ allowance: Allowance; holder: KeyHolder | null }> {
    const allowance = this.take(limit);
    const now = Date.now();
    if (!this.#remembered || this.#remembered.until <= now) {
      const holder = findApiCaller(connect(this.env.DB), digest, (work) => this.ctx.waitUntil(work));
      this.#remembered = { holder, until: now + REMEMBER_MS };
      // A failed lookup rejects the requests that wait for it. The next request tries again.
      holder.catch(() => this.forget());
    }
    const holder = await this.#remembered.holder;
    const expired = holder !== null && holder.expiresAt !== null && holder.expiresAt <= now;
    return { allowance, holder: expired ? null : holder };
  }

  take(limit: number): Allowance {
    const { meter, allowance } = countRequest(this.#meter, limit, Date.now());
    this.#meter = meter;
    return allowance;
  }

  forget(): void {
    this.#remembered = null;
  }
}
