import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { adjustBalance } from "#app/console/customers/customer-admin.server.ts";
import { createCodes } from "#app/console/stores/code-batch-store.server.ts";
import { listAudit } from "#app/db/audit.server.ts";
import { auditLog, cardReversals, checkouts, type ledger } from "#app/db/schema.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { placeMassOrder } from "#app/orders/mass/place-mass-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { readWallet } from "#app/orders/wallet/wallet.server.ts";
import { MICRO } from "#app/product.ts";
import { customerWith, db, listLedger, service } from "#tests/workerd/customer.ts";
import { checkoutEvent, deliver, opened, stripeEvent } from "#tests/workerd/stripe-events.ts";
import { shareReversed } from "./card-reversals.server.ts";
import { redeemCode } from "./redeem-code.server.ts";

const STAFF = { userId: "staff-1", name: "Grace Admin" };
const LINK = "https://instagram.com/p/1";
const NOW = 1_800_000_000;

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("debits a refunded payment once, whichever events report it and however often", async () => {
  const payment = await paid();
  const sent = [refund(payment, 2000), refund(payment, 2000, "refund.updated"), refundedTotal(payment, 2000)];
  const statuses = await Promise.all([...sent, ...sent, ...sent].map(async (body) => (await deliver(body)).status));
  expect(new Set(statuses)).toEqual(new Set([204]));
  expect(await wallet(payment)).toEqual([0, 0]);
  expect(await amounts(payment)).toEqual([-20, 20]);
  expect((await listLedger(payment.userId, 1))[0]).toMatchObject({ kind: "reversal", balanceAfter: 0 });
  expect(await reversedOf(payment)).toBe(20 * MICRO);
});

test("debits partial refunds in any order, reported one by one or as a total", async () => {
  const named = await paid();
  await deliver(refund(named, 500, "refund.created", { id: "re_a" }));
  await deliver(refund(named, 300, "refund.created", { id: "re_b" }));
  expect(await amounts(named)).toEqual([-3, -5, 20]);

  const summed = await paid();
  await deliver(refundedTotal(summed, 800));
  await deliver(refundedTotal(summed, 500));
  expect(await amounts(summed)).toEqual([-8, 20]);

  const both = await paid();
  await deliver(refundedTotal(both, 500));
  await deliver(refundedTotal(both, 800));
  await deliver(refund(both, 300, "refund.created", { id: "re_d" }));
  await deliver(refund(both, 500, "refund.created", { id: "re_c" }));
  await deliver(refundedTotal(both, 500));
  expect(await amounts(both)).toEqual([-3, -5, 20]);
});

test("debits the whole refunded total of a payment that also has a dispute, in any order of the events", async () => {
  for (const status of ["warning_needs_response", "warning_closed", "won", "prevented"]) {
    for (const order of permutations(["dispute", "named", "total"])) {
      const payment = await paid();
      const events: Record<string, string> = {
        dispute: dispute(payment, status),
        named: refund(payment, 300),
        total: refundedTotal(payment, 800),
      };
      for (const name of order) await deliver(events[name] ?? "");
      expect(await wallet(payment), `${status}: ${order}`).toEqual([12, 0]);
      expect(await reversedOf(payment), `${status}: ${order}`).toBe(8 * MICRO);
    }
  }
});

test("debits two simultaneous refunds, but never more than the payment", async () => {
  const payment = await paid();
  await Promise.all(
    Array.from({ length: 12 }, (_, n) => deliver(refund(payment, 200, "refund.created", { id: `re_many_${n}` }))),
  );
  expect(await wallet(payment)).toEqual([0, 0]);
  expect(await reversedOf(payment)).toBe(20 * MICRO);
});

test("takes a refund out of the unnamed rest once, however often it is reported", async () => {
  const payment = await paid();
  await deliver(refundedTotal(payment, 1500));
  for (let times = 0; times < 3; times++) await deliver(refund(payment, 500, "refund.updated", {}, times));
  expect(await wallet(payment)).toEqual([5, 0]);
});

test("debits a refund that was reported before its payment once the payment is credited", async () => {
  const { checkout, userId } = await opened();
  const payment = { ...checkout, userId };
  await deliver(refund(payment, 500));
  expect(await wallet(payment)).toEqual([0, 0]);
  const completed = checkoutEvent("checkout.session.completed", checkout, { payment_status: "paid" });
  await Promise.all([deliver(completed), deliver(completed), deliver(refund(payment, 500))]);
  expect(await wallet(payment)).toEqual([15, 0]);
  expect(await amounts(payment)).toEqual([-5, 20]);
});

test("credits back a failed refund, even when the failure is reported first", async () => {
  const payment = await paid();
  await deliver(refund(payment, 2000));
  await deliver(refund(payment, 2000, "refund.failed", { status: "failed" }, 1));
  expect(await wallet(payment)).toEqual([20, 0]);
  expect(await amounts(payment)).toEqual([20, -20, 20]);
  await deliver(refund(payment, 2000));
  await deliver(refundedTotal(payment, 2000));
  expect(await wallet(payment)).toEqual([20, 0]);

  const early = await paid();
  await deliver(refund(early, 2000, "refund.failed", { status: "failed" }, 1));
  await deliver(refund(early, 2000));
  expect(await amounts(early)).toEqual([20]);
});

test("debits a disputed payment and credits back a won one, in any order of events", async () => {
  const won = await paid();
  await deliver(dispute(won, "needs_response"));
  expect(await wallet(won)).toEqual([0, 0]);
  await deliver(dispute(won, "under_review", 5));
  await deliver(dispute(won, "won", 9));
  await deliver(dispute(won, "needs_response"));
  expect(await amounts(won)).toEqual([20, -20, 20]);

  const early = await paid();
  await deliver(dispute(early, "won", 9));
  await Promise.all([deliver(dispute(early, "needs_response")), deliver(dispute(early, "under_review", 5))]);
  expect(await amounts(early)).toEqual([20]);

  const lost = await paid();
  await deliver(dispute(lost, "warning_needs_response"));
  expect(await wallet(lost)).toEqual([20, 0]);
  await deliver(dispute(lost, "needs_response", 3));
  await deliver(dispute(lost, "lost", 9));
  expect(await amounts(lost)).toEqual([-20, 20]);
});

test("debits only the rest when a partly refunded payment is disputed", async () => {
  const payment = await paid();
  await deliver(refund(payment, 500));
  await deliver(dispute(payment, "needs_response"));
  expect(await amounts(payment)).toEqual([-15, -5, 20]);
});

test.each([
  ["warning_needs_response", 20],
  ["warning_under_review", 20],
  ["warning_closed", 20],
  ["needs_response", 0],
  ["under_review", 0],
  ["lost", 0],
  ["won", 20],
  ["prevented", 20],
])("leaves a customer whose payment's dispute is %s with %i dollars, whatever came before", async (status, left) => {
  for (const before of [[], ["needs_response"], ["under_review"]]) {
    const payment = await paid();
    for (const earlier of before) await deliver(dispute(payment, earlier));
    await deliver(dispute(payment, status, 5));
    expect(await wallet(payment), `after ${before}`).toEqual([left, 0]);
  }
});

test.each([
  ["pending", 0],
  ["requires_action", 0],
  ["succeeded", 0],
  [null, 0],
  ["failed", 20],
  ["canceled", 20],
])(
  "leaves a customer whose payment's refund is %s with %i dollars, whatever was reported before",
  async (status, left) => {
    for (const before of [[], ["pending"], ["requires_action"], ["pending", "requires_action"]]) {
      const payment = await paid();
      for (const [at, earlier] of before.entries()) {
        await deliver(refund(payment, 2000, "refund.created", { status: earlier }, at));
        expect(await wallet(payment), `${earlier}`).toEqual([0, 0]);
      }
      await deliver(refund(payment, 2000, "refund.updated", { status }, 5));
      expect(await wallet(payment), `after ${before}`).toEqual([left, 0]);
      // Events of one second arrive in any order, and a refund ends once.
      await deliver(refund(payment, 2000, "refund.updated", { status: "pending" }, 5));
      expect(await wallet(payment), `after ${before}, then an older report`).toEqual([left, 0]);
    }
  },
);

test("ends at the right balance when refund, failure, dispute and outcome arrive at once", async () => {
  for (let round = 0; round < 5; round++) {
    const payment = await paid();
    const events = [
      refund(payment, 700),
      refund(payment, 700, "refund.failed", { status: "failed" }, 1),
      dispute(payment, "needs_response"),
      dispute(payment, "won", 9),
      refund(payment, 300, "refund.created", { id: `re_kept_${round}_${payment.id}` }),
    ];
    await Promise.all(events.map((body) => deliver(body)));
    expect(await wallet(payment)).toEqual([17, 0]);
    expect(await checkLedger(db)).toEqual([]);
  }
});

test("blocks orders while the customer owes money, and settles the debt from every kind of credit", async () => {
  const payment = await paid();
  const serviceId = await service({ rate: 8 * MICRO });
  const free = await service({ rate: 0 });
  const order = await placed(payment.userId, serviceId);
  await placed(payment.userId, serviceId);
  await deliver(dispute(payment, "needs_response"));
  expect(await wallet(payment)).toEqual([0, 16]);
  expect(await amounts(payment)).toEqual([-4, -8, -8, 20]);

  for (const refused of [serviceId, free]) {
    expect(await place(payment.userId, refused)).toMatchObject({ ok: false, fault: { reason: "insufficient_funds" } });
  }
  const mass = { text: `${free} | ${LINK} | 1000`, source: "", idempotencyKey: "m", onlyValid: false, agreedCharge: 0 };
  expect(await placeMassOrder(db, payment.userId, mass)).toMatchObject({ ok: false, reason: "insufficient_funds" });

  // A refund of an order, a credit by staff, a code, and a top-up.
  await closeOrder(db, env, order, { status: "Canceled", remains: 1000, startCount: null });
  expect(await wallet(payment)).toEqual([0, 8]);
  const move = { kind: "adjustment" as const, amount: 3 * MICRO, reason: "goodwill" };
  expect(await adjustBalance(db, STAFF, payment.userId, move, crypto.randomUUID())).toEqual({ ok: true, balance: 0 });
  const batch = { name: "Test", amount: MICRO, count: 1, maxUses: 1, expiresAt: null };
  const codes = await createCodes(db, STAFF, batch, crypto.randomUUID());
  expect(await redeemCode(db, payment.userId, codes?.codes[0] ?? "")).toMatchObject({ balance: 0, owed: 4 * MICRO });
  await credit(db, payment.userId, { kind: "topup", amount: 10 * MICRO, note: "" });
  expect(await wallet(payment)).toEqual([6, 0]);
  await placed(payment.userId, free);

  await deliver(dispute(payment, "won", 9));
  expect(await wallet(payment)).toEqual([26, 0]);
});

test("cancels the debt before crediting anything when a dispute is won", async () => {
  const payment = await paid();
  await placed(payment.userId, await service({ rate: 15 * MICRO }));
  await deliver(dispute(payment, "needs_response"));
  expect(await wallet(payment)).toEqual([0, 15]);
  await deliver(dispute(payment, "won", 9));
  expect(await wallet(payment)).toEqual([5, 0]);
});

test("keeps the ledger consistent when orders race a refund", async () => {
  const payment = await paid();
  const serviceId = await service({ rate: 3 * MICRO });
  const results = await Promise.all([
    ...Array.from({ length: 6 }, () => place(payment.userId, serviceId)),
    deliver(refund(payment, 2000)),
    ...Array.from({ length: 6 }, () => place(payment.userId, serviceId)),
  ]);
  const spent = results.filter((result) => "ok" in result && "order" in result).length * 3;
  expect(await wallet(payment)).toEqual([0, spent]);
});

test("records each refund and dispute in the audit log with its payment", async () => {
  const payment = await paid();
  await deliver(refund(payment, 500));
  await deliver(refund(payment, 500, "refund.failed", { status: "failed" }, 1));
  const entries = await listAudit(db, { subject: "customer", subjectId: payment.userId }, 10);
  expect(entries.map(({ action, actorName }) => [action, actorName])).toEqual([
    ["customer.reversal_undone", "Stripe"],
    ["customer.reversal", "Stripe"],
  ]);
  expect(entries[1]?.detail).toMatchObject({ payment: payment.id, amount: 5 * MICRO });
});

test("ignores refunds and disputes of another product's payments", async () => {
  const { userId } = await customerWith(MICRO);
  const before = await db.select().from(auditLog);
  const other = { id: "theirs", userId };
  for (const body of [refund(other, 500), refundedTotal(other, 500), dispute(other, "lost")]) {
    expect((await deliver(body)).status).toBe(204);
  }
  const nothing = stripeEvent("refund.created", { id: "re_none", object: "refund", amount: 5, payment_intent: null });
  expect((await deliver(nothing)).status).toBe(204);
  expect(await wallet(other)).toEqual([1, 0]);
  expect(await db.select().from(auditLog)).toEqual(before);
  expect(await db.select().from(cardReversals).where(eq(cardReversals.id, "re_none"))).toEqual([]);
});

test("debits a payment in another currency in proportion, and a full refund for all that was credited", () => {
  expect(shareReversed({ paid: 20_000_000, received: 3000, lost: 1000 })).toBe(6_666_666);
  expect(shareReversed({ paid: 20_000_000, received: 3000, lost: 3000 })).toBe(20_000_000);
  expect(shareReversed({ paid: 20_000_000, received: 3000, lost: 9000 })).toBe(20_000_000);
  expect(shareReversed({ paid: 20_000_000, received: 0, lost: 0 })).toBe(0);
});

function permutations<T>(of: T[]): T[][] {
  if (of.length <= 1) return [of];
  return of.flatMap((first, at) => permutations(of.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

type Payment = { id: string; userId: string };

/** Returns a payment of $20 that was credited. */
async function paid(): Promise<Payment> {
  const { checkout, userId } = await opened();
  await deliver(checkoutEvent("checkout.session.completed", checkout, { payment_status: "paid" }));
  return { ...checkout, userId };
}

/** Amounts of events are cents; `after` is in seconds. */
function refund(payment: Payment, amount: number, type = "refund.created", given: object = {}, after = 0): string {
  const object = {
    id: `re_${payment.id}`,
    object: "refund",
    amount,
    currency: "usd",
    payment_intent: `pi_${payment.id}`,
    status: "succeeded",
    ...given,
  };
  return stripeEvent(type, object, NOW + after);
}

function refundedTotal(payment: Payment, total: number): string {
  const object = { id: `ch_${payment.id}`, object: "charge", payment_intent: `pi_${payment.id}`, amount: 2000 };
  return stripeEvent("charge.refunded", { ...object, amount_refunded: total }, NOW);
}

function dispute(payment: Payment, status: string, after = 0): string {
  const ended = status === "won" || status === "lost";
  const object = {
    id: `du_${payment.id}`,
    object: "dispute",
    amount: 2000,
    payment_intent: `pi_${payment.id}`,
    status,
  };
  return stripeEvent(ended ? "charge.dispute.closed" : "charge.dispute.created", object, NOW + after);
}

/** Returns balance and debt in units of the currency. */
async function wallet({ userId }: { userId: string }): Promise<[number, number]> {
  const { balance, owed } = await readWallet(db, userId);
  return [balance / MICRO, owed / MICRO];
}

/** Returns the amounts of the ledger, newest first, in units of the currency. */
async function amounts({ userId }: { userId: string }): Promise<number[]> {
  const entries: (typeof ledger.$inferSelect)[] = await listLedger(userId, 20);
  return entries.map(({ amount }) => amount / MICRO);
}

async function reversedOf({ id }: Payment): Promise<number | undefined> {
  return (await db.select().from(checkouts).where(eq(checkouts.id, id)))[0]?.reversed;
}

function place(userId: string, serviceId: number) {
  const fields = { link: LINK, quantity: "1000" };
  return placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "web" });
}

async function placed(userId: string, serviceId: number) {
  const result = await place(userId, serviceId);
  if (!result.ok) throw new Error(result.fault.reason);
  return result.order;
}
