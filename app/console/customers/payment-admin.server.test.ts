import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { listAudit } from "#app/db/audit.server.ts";
import { checkouts } from "#app/db/schema.server.ts";
import { listOwnPayments, MAX_TOP_UP } from "#app/orders/top-up/checkout.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, listLedger } from "#tests/workerd/customer.ts";
import { checkoutEvent, deliver, opened, stripeEvent, TWENTY } from "#tests/workerd/stripe-events.ts";
import { decidePayment, readPayment } from "./payment-admin.server.ts";
import { listPayments, readPaymentQuery } from "./payment-list.server.ts";

const STAFF = { userId: "staff-1", name: "Grace Admin" };
const ACCEPT = { kind: "accept" as const, amount: 21 * MICRO, reason: "EUR at the day's rate" };
const REFUSE = { kind: "refuse" as const, reason: "refunded in Stripe" };

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("lists mismatched payments for review and shows that to the customer", async () => {
  const cases = [{ currency: "eur" }, { amount_total: 0 }, { amount_total: MAX_TOP_UP / 10_000 + 1 }];
  for (const wrong of cases) {
    const { id, userId } = await inReview(wrong);
    expect(await readBalance(db, userId)).toBe(0);
    expect(await listOwnPayments(db, userId, 5)).toMatchObject([{ id, status: "review" }]);
    const { rows } = await listPayments(db, readPaymentQuery(new URLSearchParams()), null, 10);
    expect(rows[0]).toMatchObject({ id, status: "review", amount: TWENTY });
  }
});

test("credits an accepted payment once, however many admins decide it", async () => {
  const { id, userId } = await inReview();
  const once = crypto.randomUUID();
  const results = await Promise.all([
    decidePayment(db, STAFF, id, ACCEPT, once),
    decidePayment(db, STAFF, id, ACCEPT, once),
    decidePayment(db, { userId: "staff-2", name: "Alan" }, id, ACCEPT, crypto.randomUUID()),
    decidePayment(db, STAFF, id, REFUSE, crypto.randomUUID()),
  ]);
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  expect(results.flatMap((result) => (result.ok ? [] : [result.reason])).toSorted()).not.toContain("not_found");
  const [row] = await db.select().from(checkouts).where(eq(checkouts.id, id));
  const accepted = row?.status === "paid";
  expect(await readBalance(db, userId)).toBe(accepted ? 21 * MICRO : 0);
  expect(await listLedger(userId, 9)).toHaveLength(accepted ? 1 : 0);
  expect(await listAudit(db, { subject: "customer", subjectId: userId }, 9)).toHaveLength(1);
  // A repeated event credits nothing again.
  await deliver(checkoutEvent("checkout.session.completed", row ?? fail(), { payment_status: "paid" }));
  expect(await readBalance(db, userId)).toBe(accepted ? 21 * MICRO : 0);
  expect(await decidePayment(db, STAFF, id, ACCEPT, crypto.randomUUID())).toEqual({ ok: false, reason: "changed" });
});

test("keeps a refused payment refused, logs the reason and credits nothing", async () => {
  const { id, userId } = await inReview();
  expect(await decidePayment(db, STAFF, id, REFUSE, crypto.randomUUID())).toEqual({ ok: true });
  const [row] = await db.select().from(checkouts).where(eq(checkouts.id, id));
  expect(row).toMatchObject({ status: "refused", paid: null });
  await deliver(checkoutEvent("checkout.session.completed", row ?? fail(), { payment_status: "paid" }));
  expect(await readBalance(db, userId)).toBe(0);
  const [entry] = await listAudit(db, { subject: "customer", subjectId: userId }, 1);
  expect(entry).toMatchObject({ action: "customer.payment_refuse", detail: { payment: id, reason: REFUSE.reason } });
});

test("debits refunds of a payment in review in proportion once it is accepted", async () => {
  const { id, userId } = await inReview();
  const refund = { id: `re_${id}`, object: "refund", amount: 500, payment_intent: `pi_${id}`, status: "succeeded" };
  await deliver(stripeEvent("refund.created", refund));
  expect((await readPayment(db, id))?.reversals).toMatchObject([{ amount: 500, inEffect: true }]);
  await decidePayment(db, STAFF, id, ACCEPT, crypto.randomUUID());
  // 5 of 20 euros are a quarter of the 21 dollars.
  expect(await readBalance(db, userId)).toBe(15_750_000);
});

test("refuses invalid amounts and payments that are not in review", async () => {
  const { id, userId } = await inReview();
  for (const amount of [0, -1, 0.5, MAX_TOP_UP + 1, Number.NaN]) {
    const decided = await decidePayment(db, STAFF, id, { ...ACCEPT, amount }, crypto.randomUUID());
    expect(decided).toEqual({ ok: false, reason: "bad_amount" });
  }
  expect(await decidePayment(db, STAFF, "nowhere", ACCEPT, "k")).toEqual({ ok: false, reason: "not_found" });
  const open = (await opened(await customerWith(0))).checkout;
  expect(await decidePayment(db, STAFF, open.id, ACCEPT, "k")).toEqual({ ok: false, reason: "changed" });
  expect(await readBalance(db, userId)).toBe(0);
});

async function inReview(wrong: object = { currency: "eur" }) {
  const { checkout, userId } = await opened();
  const event = checkoutEvent("checkout.session.completed", checkout, { payment_status: "paid", ...wrong });
  expect((await deliver(event)).status).toBe(204);
  return { ...checkout, userId };
}

function fail(): never {
  throw new Error("no row");
}
