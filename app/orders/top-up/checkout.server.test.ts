import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { checkouts } from "#app/db/schema.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, listLedger } from "#tests/workerd/customer.ts";
import {
  deliver,
  checkoutEvent as event,
  opened,
  RETURN_URL,
  sign,
  stripeEnv,
  TWENTY,
} from "#tests/workerd/stripe-events.ts";
import { readCheckout, startCheckout } from "./checkout.server.ts";

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("opens a checkout for the amount and stores it before anything is paid", async () => {
  const { checkout, url, userId } = await opened();
  expect(url).toContain(`/pay/${checkout.sessionId}`);
  expect(checkout).toMatchObject({ status: "open", amount: TWENTY, paid: null });
  expect(await readBalance(db, userId)).toBe(0);
  expect(await readCheckout(db, (await customerWith(0)).userId, checkout.id)).toBeNull();
});

test("credits a payment once, however often and in whatever order its events arrive", async () => {
  const { checkout, userId } = await opened();
  const completed = event("checkout.session.completed", checkout, { payment_status: "paid" });
  const succeeded = event("checkout.session.async_payment_succeeded", checkout, { payment_status: "paid" });
  const expired = event("checkout.session.expired", checkout, { payment_status: "unpaid" });
  const failed = event("checkout.session.async_payment_failed", checkout, { payment_status: "unpaid" });
  // The final events first, and every event many times at once.
  const deliveries = [
    expired,
    failed,
    ...Array.from({ length: 10 }, () => [completed, succeeded]).flat(),
    expired,
    failed,
  ];
  const statuses = await Promise.all(deliveries.map(async (body) => (await deliver(body)).status));
  expect(new Set(statuses)).toEqual(new Set([204]));
  expect(await readBalance(db, userId)).toBe(TWENTY);
  expect(await listLedger(userId, 10)).toHaveLength(1);
  expect(await readCheckout(db, userId, checkout.id)).toMatchObject({ status: "paid", paid: TWENTY });
});

test("credits the amount that Stripe says was paid", async () => {
  const { checkout, userId } = await opened();
  await deliver(event("checkout.session.completed", checkout, { payment_status: "paid", amount_total: 1234 }));
  expect(await readBalance(db, userId)).toBe(12_340_000);
});

test("keeps a payment pending until the bank pays, then credits it", async () => {
  const { checkout, userId } = await opened();
  await deliver(event("checkout.session.completed", checkout, { payment_status: "unpaid" }));
  expect(await readCheckout(db, userId, checkout.id)).toMatchObject({ status: "pending" });
  expect(await readBalance(db, userId)).toBe(0);
  await deliver(event("checkout.session.async_payment_succeeded", checkout, { payment_status: "paid" }));
  expect(await readBalance(db, userId)).toBe(TWENTY);
});

test("refuses unsigned, wrongly signed, altered and old webhooks", async () => {
  const { checkout, userId } = await opened();
  const body = event("checkout.session.completed", checkout, { payment_status: "paid" });
  const old = Math.floor(Date.now() / 1000) - 3600;
  const attempts: [string, string | null][] = [
    [body, null],
    [body, "t=1,v1=00"],
    [body, await sign(body, { secret: "another" })],
    [body.replace("2000", "200000"), await sign(body)],
    [body, await sign(body, { timestamp: old })],
  ];
  for (const [sent, signature] of attempts) expect((await deliver(sent, signature)).status).toBe(400);
  expect(await readBalance(db, userId)).toBe(0);
});

test("credits nothing for another product, another currency or another session", async () => {
  const { checkout, userId } = await opened();
  const paid = { payment_status: "paid" };
  expect((await deliver(event("checkout.session.completed", { ...checkout, id: "theirs" }, paid))).status).toBe(204);
  const otherPage = { ...checkout, sessionId: "cs_test_other" };
  expect((await deliver(event("checkout.session.completed", otherPage, paid))).status).toBe(204);
  expect(await readCheckout(db, userId, checkout.id)).toMatchObject({ status: "open" });
  await deliver(event("checkout.session.completed", checkout, { ...paid, currency: "jpy" }));
  expect(await readCheckout(db, userId, checkout.id)).toMatchObject({ status: "review" });
  expect(await readBalance(db, userId)).toBe(0);
});

test("opens no checkout for an invalid amount or when Stripe refuses", async () => {
  const { userId, email } = await customerWith(0);
  for (const amount of [0, -TWENTY, 4_999_999, 5_000_001, 10_001 * MICRO]) {
    const created = await startCheckout(
      db,
      stripeEnv(),
      { userId, email },
      { amount, min: 5_000_000, returnUrl: RETURN_URL },
    );
    expect(created).toEqual({ ok: false, reason: "bad_amount" });
  }
  expect(await db.select().from(checkouts).where(eq(checkouts.userId, userId))).toEqual([]);
  const wrongKey = { ...stripeEnv(), STRIPE_SECRET_KEY: "sk_test_wrong" };
  const created = await startCheckout(
    db,
    wrongKey,
    { userId, email },
    { amount: TWENTY, min: 5_000_000, returnUrl: RETURN_URL },
  );
  expect(created).toEqual({ ok: false, reason: "unavailable" });
});
