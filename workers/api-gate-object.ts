import { DurableObject } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { DatabaseUnavailable, databaseWaitMs, isUnavailable, waitForEach } from "#app/db/bounded-database.server.ts";
import { connect } from "#app/db/db.server.ts";
import { apiKeys, type EventDetail, type KeyNetwork, type SecurityEventKind } from "#app/db/schema.server.ts";
import { insertSecurityEvent } from "#app/db/security-event-insert.server.ts";
import { runLogged } from "#app/http/log.ts";
import { isInRanges, networkOf } from "#app/orders/api/address-ranges.server.ts";
import type { Client, Entry } from "#app/orders/api/api-gate.server.ts";
import { findApiCaller, type KeyHolder } from "#app/orders/api/api-keys.server.ts";
import { type Allowance, countRequest, type Meter } from "#app/orders/api/api-meter.ts";
import { withNetwork } from "#app/orders/api/key-networks.ts";
import { TAKEN_MS, UNSETTLED_MS } from "#app/orders/api/unsettled-orders.server.ts";

/** `forget` makes changes of a key immediate. This bounds how long one made directly in the database takes to apply. */
const REMEMBER_MS = 30_000;
/** Prefix of the stored keys of orders whose outcome was not told, with the digest of their content. */
const UNSETTLED = "unsettled ";

/** When a key was kept, and when and by which call it was taken since, in ms. */
type Unsettled = { keptAt: number; takenAt: number; taker: string | null };

/**
 * Guards one API key: caches its holder, checks the client's address, counts requests and notices new networks. Or counts
 * the requests of one network address without a known key. That state is in memory only: an eviction starts a new window, and
 * no request waits for a disk. Stored are the orders whose outcome the client was not told.
 */
export class ApiGate extends DurableObject<Env> {
  #meter: Meter | null = null;
  #remembered: { holder: Promise<KeyHolder | null>; until: number } | null = null;
  /** The networks that have used the key. Null until the first use. */
  #networks: KeyNetwork[] | null = null;
  /** Networks outside of the key's addresses that have tried it. */
  #refused: KeyNetwork[] = [];
  /** Whether orders are stored whose outcome was not told. Null until it is read. */
  #hasUnsettled: boolean | null = null;

  /** Lets a request with the key of that digest in and counts it, or says why not. */
  async enter(digest: string, limit: number, client: Client): Promise<Entry> {
    const now = Date.now();
    if (!this.#remembered || this.#remembered.until <= now) {
      const db = connect(this.env.DB, undefined, waitForEach(databaseWaitMs(this.env)));
      const holder = findApiCaller(db, digest, (work) => this.ctx.waitUntil(work)).catch((error: unknown) => {
        // The cause of an error doesn't get to the worker.
        throw isUnavailable(error) ? new DatabaseUnavailable("the key's holder was not read", error) : error;
      });
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
    this.#hasUnsettled ??= [...this.ctx.storage.kv.list({ prefix: UNSETTLED, limit: 1 })].length > 0;
    return { kind: "entered", caller: holder.caller, allowance, hasUnsettled: this.#hasUnsettled };
  }

  take(limit: number): Allowance {
    const { meter, allowance } = countRequest(this.#meter, limit, Date.now());
    this.#meter = meter;
    return allowance;
  }

  forget(): void {
    this.#remembered = null;
  }

  /** Keeps the idempotency key of an order with this content, for the next call with it. A key that was taken is free again. */
  async keepUnsettled(content: string, idempotencyKey: string): Promise<void> {
    const kept: Unsettled = { keptAt: Date.now(), takenAt: 0, taker: null };
    this.ctx.storage.kv.put(nameOf(content, idempotencyKey), kept);
    this.#hasUnsettled = true;
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + UNSETTLED_MS);
  }

  /**
   * Returns the oldest kept idempotency key of this content, or null. No other call gets it for a minute, in which its order
   * is settled, or the key is kept again. `taker` identifies the call, which may ask again.
   */
  takeUnsettled(content: string, taker: string): string | null {
    const now = Date.now();
    const kept = this.#unsettled(`${content} `);
    const mine = kept.find((one) => one.taker === taker) ?? kept.find(({ takenAt }) => now - takenAt >= TAKEN_MS);
    if (!mine) return null;
    const { name, keptAt } = mine;
    this.ctx.storage.kv.put(name, { keptAt, takenAt: now, taker } satisfies Unsettled);
    return name.slice(nameOf(content, "").length);
  }

  /** Forgets a kept idempotency key: its order has an outcome that the client is told. */
  settle(content: string, idempotencyKey: string): void {
    this.ctx.storage.kv.delete(nameOf(content, idempotencyKey));
    this.#hasUnsettled = null;
  }

  /** Forgets what was kept for long enough. */
  override async alarm(): Promise<void> {
    const kept = this.#unsettled();
    const until = Date.now() - UNSETTLED_MS;
    for (const { name, keptAt } of kept) if (keptAt <= until) this.ctx.storage.kv.delete(name);
    this.#hasUnsettled = null;
    const next = kept.find(({ keptAt }) => keptAt > until);
    if (next) await this.ctx.storage.setAlarm(next.keptAt + UNSETTLED_MS);
  }

  /** Returns what is kept, oldest first. */
  #unsettled(prefix = ""): (Unsettled & { name: string })[] {
    const found = [...this.ctx.storage.kv.list<Unsettled>({ prefix: `${UNSETTLED}${prefix}` })];
    return found.map(([name, kept]) => ({ name, ...kept })).sort((one, other) => one.keptAt - other.keptAt);
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

  #event(kind: SecurityEventKind, { caller, name }: KeyHolder, { network, requestId }: Client, more: EventDetail = {}) {
    const detail = { ...more, key: name };
    return insertSecurityEvent(connect(this.env.DB), caller.userId, { kind, network, requestId, detail });
  }

  #later(work: () => Promise<void>): void {
    this.ctx.waitUntil(runLogged("security event not recorded", {}, work));
  }
}

function nameOf(content: string, idempotencyKey: string): string {
  return `${UNSETTLED}${content} ${idempotencyKey}`;
}
