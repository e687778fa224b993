import { DurableObject } from "cloudflare:workers";

/**
 * A sketch of docs/scale.md: one Durable Object per customer holds wallet, ledger and orders; D1 is the read model. Enough of
 * both to measure what an order costs and to test that nothing is lost or counted twice. Not used by the product.
 */

export type NewOrder = {
  key: string;
  digest: string;
  serviceId: number;
  link: string;
  quantity: number;
  charge: number;
};
export type PlacedInObject =
  | { ok: true; id: number; balance: number; replayed: boolean }
  | { ok: false; reason: "insufficient_funds" | "key_reused" };

/** A row of the read model. `version` counts the changes of its order, so that an old copy never replaces a newer one. */
export type OrderRow = {
  id: number;
  customer: string;
  version: number;
  status: string;
  charge: number;
  createdAt: number;
};
export type Fed = { customer: string; version: number; balance: number; orders: OrderRow[] };

export interface ReadModel {
  /** Resolves once D1 has the rows. Safe to repeat. */
  add(fed: Fed): Promise<void>;
}

/** Order ids stay numbers of 31 bits that grow with time, roughly: each customer takes a few at once. */
const IDS_PER_BLOCK = 20;
const FEED_AFTER_MS = 250;
const ROWS_PER_FEED = 200;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS wallet (id INTEGER PRIMARY KEY CHECK (id = 1), customer TEXT NOT NULL, balance INTEGER NOT NULL CHECK (balance >= 0),
    version INTEGER NOT NULL DEFAULT 0, next_id INTEGER NOT NULL DEFAULT 0, last_id INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, digest TEXT NOT NULL, service_id INTEGER NOT NULL,
    link TEXT NOT NULL, quantity INTEGER NOT NULL, charge INTEGER NOT NULL, status TEXT NOT NULL, version INTEGER NOT NULL, created_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS ledger (id INTEGER PRIMARY KEY, order_id INTEGER, kind TEXT NOT NULL, amount INTEGER NOT NULL,
    balance_after INTEGER NOT NULL, created_at INTEGER NOT NULL, UNIQUE (order_id, kind)) STRICT;
  CREATE TABLE IF NOT EXISTS outbox (order_id INTEGER PRIMARY KEY) STRICT;
`;

type Wallet = { customer: string; balance: number; version: number; next_id: number; last_id: number };

export abstract class CustomerAccount extends DurableObject<Env> {
  /** Returns the feeder of this customer. */
  protected abstract readModel(customer: string): ReadModel;

  readonly #sql = this.ctx.storage.sql;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql.exec(SCHEMA);
  }

  open(customer: string, balance: number): void {
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec("INSERT INTO wallet (id, customer, balance) VALUES (1, ?, ?)", customer, balance);
      this.#sql.exec(
        "INSERT INTO ledger (kind, amount, balance_after, created_at) VALUES ('topup', ?, ?, ?)",
        balance,
        balance,
        Date.now(),
      );
    });
  }

  /** Places an order and charges it, all or nothing. A repeated key returns the first order. */
  async place(order: NewOrder, feedAfterMs = FEED_AFTER_MS): Promise<PlacedInObject> {
    if (this.#wallet().next_id >= this.#wallet().last_id) await this.#takeIds();
    // No await from here on: nothing else runs in between, and the answer waits until the writes are durable.
    const placed = this.ctx.storage.transactionSync(() => this.#write(order, Date.now()));
    if (placed.ok && !placed.replayed) this.#wake(feedAfterMs);
    return placed;
  }

  override async alarm(): Promise<void> {
    await this.feed();
  }

  /** Sends what the read model doesn't have. The rows leave the outbox only after D1 has them, so a crash sends them again. */
  async feed(): Promise<void> {
    for (;;) {
      const orders = this.#sql
        .exec<OrderRow>(
          `SELECT o.id, w.customer, o.version, o.status, o.charge, o.created_at AS createdAt FROM outbox b JOIN orders o ON o.id = b.order_id, wallet w
           ORDER BY b.order_id LIMIT ?`,
          ROWS_PER_FEED,
        )
        .toArray();
      if (orders.length === 0) return;
      const { customer, version, balance } = this.#wallet();
      await this.readModel(customer).add({ customer, version, balance, orders });
      for (const { id, version: sent } of orders) {
        this.#sql.exec(
          "DELETE FROM outbox WHERE order_id = ? AND (SELECT version FROM orders WHERE id = order_id) = ?",
          id,
          sent,
        );
      }
    }
  }

  /** Returns what the read model must say once it has caught up. */
  totals(): { orders: number; spent: number; balance: number; waiting: number } {
    const { orders, spent } = this.#sql
      .exec<{ orders: number; spent: number }>(
        "SELECT count(*) AS orders, coalesce(sum(charge), 0) AS spent FROM orders",
      )
      .one();
    const { waiting } = this.#sql.exec<{ waiting: number }>("SELECT count(*) AS waiting FROM outbox").one();
    return { orders, spent, balance: this.#wallet().balance, waiting };
  }

  #write(order: NewOrder, now: number): PlacedInObject {
    const { key, digest, serviceId, link, quantity, charge } = order;
    const [earlier] = this.#sql
      .exec<{ id: number; digest: string }>("SELECT id, digest FROM orders WHERE key = ?", key)
      .toArray();
    const wallet = this.#wallet();
    if (earlier && earlier.digest !== digest) return { ok: false, reason: "key_reused" };
    if (earlier) return { ok: true, id: earlier.id, balance: wallet.balance, replayed: true };
    if (wallet.balance < charge) return { ok: false, reason: "insufficient_funds" };
    const [id, balance] = [wallet.next_id, wallet.balance - charge];
    this.#sql.exec("UPDATE wallet SET balance = ?, version = version + 1, next_id = next_id + 1", balance);
    this.#sql.exec(
      "INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, 'Pending', 1, ?)",
      ...[id, key, digest, serviceId, link, quantity, charge, now],
    );
    this.#sql.exec(
      "INSERT INTO ledger (order_id, kind, amount, balance_after, created_at) VALUES (?, 'charge', ?, ?, ?)",
      id,
      -charge,
      balance,
      now,
    );
    this.#sql.exec("INSERT INTO outbox VALUES (?)", id);
    return { ok: true, id, balance, replayed: false };
  }

  async #takeIds(): Promise<void> {
    const block = await this.env.DB.prepare("update bench_ids set next = next + ? returning next")
      .bind(IDS_PER_BLOCK)
      .first<{ next: number }>();
    if (!block) throw new Error("no ids");
    // Another request may have taken a block meanwhile. The ids of this one are then left out.
    this.#sql.exec(
      "UPDATE wallet SET next_id = ?, last_id = ? WHERE next_id >= last_id",
      block.next - IDS_PER_BLOCK,
      block.next,
    );
  }

  #wallet(): Wallet {
    return this.#sql.exec<Wallet>("SELECT customer, balance, version, next_id, last_id FROM wallet").one();
  }

  #wake(afterMs: number): void {
    this.ctx.waitUntil(
      (async () => {
        if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + afterMs);
      })(),
    );
  }
}

/**
 * Writes the rows of many customers to D1 in one batch: those that arrive while a batch is under way share the next one. Keeps
 * nothing: a customer's outbox has the rows until `add` returns.
 */
export abstract class ReadModelFeeder extends DurableObject<Env> implements ReadModel {
  #waiting: Fed[] = [];
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  async add(fed: Fed): Promise<void> {
    this.#waiting.push(fed);
    this.#next ??= this.#writing.then(() => {
      const batch = this.#waiting.splice(0);
      this.#next = null;
      this.#writing = this.#write(batch);
      return this.#writing;
    });
    await this.#next;
  }

  async #write(batch: Fed[]): Promise<void> {
    const wallets = JSON.stringify(batch.map(({ customer, version, balance }) => ({ customer, version, balance })));
    const orders = JSON.stringify(batch.flatMap((fed) => fed.orders));
    const of = (name: string) => `item.value ->> '${name}'`;
    const results = await this.env.DB.batch([
      this.env.DB.prepare(
        `insert into bench_orders select ${["id", "customer", "version", "status", "charge", "createdAt"].map(of)} from json_each(?) as item where true
         on conflict (id) do update set status = excluded.status, version = excluded.version where excluded.version > version`,
      ).bind(orders),
      this.env.DB.prepare(
        `insert into bench_wallets select ${["customer", "version", "balance"].map(of)} from json_each(?) as item where true
         on conflict (customer) do update set balance = excluded.balance, version = excluded.version where excluded.version > version`,
      ).bind(wallets),
    ]);
    this.wrote(results.reduce((sum, { meta }) => sum + meta.rows_written, 0));
  }

  protected wrote(_rows: number): void {}
}
