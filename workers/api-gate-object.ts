import { DurableObject } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { connect } from "#app/db/db.server.ts";
import { apiKeys, type KeyNetwork, type SecurityEventKind } from "#app/db/schema.server.ts";
import { insertSecurityEvent } from "#app/db/security-event-insert.server.ts";
import { runLogged } from "#app/http/log.ts";
import { isInRanges, networkOf } from "#app/orders/api/address-ranges.server.ts";
import type { Client, Entry } from "#app/orders/api/api-gate.server.ts";
import { findApiCaller, type KeyHolder } from "#app/orders/api/api-keys.server.ts";
import { type Allowance, countRequest, type Meter } from "#app/orders/api/api-meter.ts";
import { withNetwork } from "#app/orders/api/key-networks.ts";

/** `forget` makes changes of a key immediate. This bounds how long one made directly in the database takes to apply. */
const REMEMBER_MS = 30_000;

/**
 * Guards one API key: caches its holder, checks the client's address, counts requests and notices new networks. Or counts
 * the requests of one network address without a known key. State is in memory only: an eviction starts a new window, and
 * no request waits for a disk.
 */
export class ApiGate extends DurableObject<Env> {
  #meter: Meter | null = null;
  #remembered: { holder: Promise<KeyHolder | null>; until: number } | null = null;
  /** The networks that have used the key. Null until the first use. */
  #networks: KeyNetwork[] | null = null;
  /** Networks outside of the key's addresses that have tried it. */
  #refused: KeyNetwork[] = [];

  /** Lets a request with the key of that digest in and counts it, or says why not. */
  async enter(digest: string, limit: number, client: Client): Promise<Entry> {
    const now = Date.now();
    if (!this.#remembered || this.#remembered.until <= now) {
      const holder = findApiCaller(connect(this.env.DB), digest, (work) => this.ctx.waitUntil(work));
      this.#remembered = { holder, until: now + REMEMBER_MS };
      // A failed lookup rejects the requests that wait for it. The next request tries again.
      holder.catch(() => this.forget());
    }
    const holder = await this.#remembered.holder;
    if (!holder || (holder.expiresAt !== null && holder.expiresAt <= now)) return { kind: "unknown_key" };
    if (!holder.caller.isTest && !holder.emailConfirmed) return { kind: "email_unconfirmed" };
    if (holder.addresses.length > 0 && !isInRanges(client.address, holder.addresses)) {
      this.#noticeRefused(holder, client, now);
      return { kind: "address_not_allowed" };
    }
    const allowance = this.take(limit);
    this.#noticeNetwork(holder, client, now);
    return { kind: "entered", caller: holder.caller, allowance };
  }

  take(limit: number): Allowance {
    const { meter, allowance } = countRequest(this.#meter, limit, Date.now());
    this.#meter = meter;
    return allowance;
  }

  forget(): void {
    this.#remembered = null;
  }

  #noticeNetwork(holder: KeyHolder, client: Client, now: number): void {
    const network = networkOf(client.address);
    this.#networks ??= holder.networks;
    const networks = network && withNetwork(this.#networks, network, now);
    if (!networks) return;
    this.#networks = networks;
    const db = connect(this.env.DB);
    const remember = db.update(apiKeys).set({ networks }).where(eq(apiKeys.id, holder.caller.keyId));
    this.#later(async () => {
      await db.batch([remember, this.#event("api_key_new_network", holder, client)]);
    });
  }

  #noticeRefused(holder: KeyHolder, client: Client, now: number): void {
    const refused = withNetwork(this.#refused, networkOf(client.address) ?? "", now);
    if (!refused) return;
    this.#refused = refused;
    this.#later(async () => {
      await this.#event("denied", holder, client, { action: "use_api_key" });
    });
  }

  #event(
    kind: SecurityEventKind,
    { caller, name }: KeyHolder,
    { network, requestId }: Client,
    more: Record<string, string> = {},
  ) {
    const detail = { ...more, key: name };
    return insertSecurityEvent(connect(this.env.DB), caller.userId, { kind, network, requestId, detail });
  }

  #later(work: () => Promise<void>): void {
    this.ctx.waitUntil(runLogged("security event not recorded", {}, work));
  }
}
