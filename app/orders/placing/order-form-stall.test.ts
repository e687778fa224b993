import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import type { DatabaseWait } from "#app/db/bounded-database.server.ts";
import { connect } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { placeFromForm } from "./place-order-form.server.ts";

const stalled = stalls();
const catalog = new CatalogCache();

afterEach(() => stalled.end());

/** Sends the form. The database stands still from the `from`th call on. */
async function send(userId: string, fields: Record<string, string>, begin?: () => void, from = 1) {
  let calls = 0;
  const wait: DatabaseWait = {
    begin() {
      // Before the call asks how long it may wait: it would wait for ten seconds otherwise.
      if (++calls === from) begin?.();
      return stalled.wait.begin();
    },
    end() {},
  };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return placeFromForm(loadContext({ db: connect(stalled.on(env.DB), undefined, wait), catalog }), userId, form);
}

test.each(["beforeCalls", "losingAnswers"] as const)(
  "places the order of a form once that is sent again after a stall (%s)",
  async (begin) => {
    const { userId } = await customerWith(10 * MICRO);
    const fields = {
      service: String(await service()),
      link: "https://instagram.com/p/1",
      quantity: "100",
      shownPrice: "900000 per 1000",
    };
    const first = await send(userId, { ...fields, quantity: "10", idempotencyKey: "web-first" });
    expect(first.ok).toBe(true);
    const placed = () => db.$count(orders, eq(orders.userId, userId));
    let most = 0;
    // At each call of the form in turn.
    for (let from = 1; from <= 12; from++) {
      const key = `web-${from}`;
      // Each time another order, because one that was just placed is asked about.
      const sent = {
        ...fields,
        quantity: String(100 + from),
        link: `https://instagram.com/p/${from}x`,
        idempotencyKey: key,
      };
      const before = await placed();
      const refused = await send(userId, sent, stalled[begin], from);
      await stalled.end();
      if (refused.ok) break;
      most = from;
      expect(refused).toMatchObject({ isUnavailable: true, nextKey: key, values: { quantity: sent.quantity } });
      const again = await send(userId, { ...sent, idempotencyKey: refused.nextKey });
      expect(again).toMatchObject({ ok: true });
      expect(await placed()).toBe(before + 1);
    }
    expect(most).toBeGreaterThan(2);
    expect(await checkLedger(db)).toEqual([]);
  },
);
