import { signStripe } from "#tools/stand-ins/stripe-stand-in.ts";
import type { EventDelivery, TopUpEvent } from "../../scripts/plan-top-ups.ts";
import { MINUTE } from "../../scripts/simulated-durations.ts";
import type { Handlers } from "../actor.ts";
import type { World } from "../open-world.ts";
import type { StripeSession, WorldStripe } from "../outside/world-stripe.ts";
import type { Site } from "../site.ts";

export const STRIPE_BINDINGS = { STRIPE_SECRET_KEY: "sk_test_world", STRIPE_WEBHOOK_SECRET: "whsec_world" };

/** A payment as Stripe knows it. Amounts in cents. */
export type Payment = {
  customer: number;
  session: StripeSession;
  /** The currency of the money that arrived, or null while none did. */
  paidIn: "usd" | "eur" | null;
  /** Amounts that went back, by the id of the refund or dispute. */
  lost: Map<string, number>;
};
export type TopUpWorld = {
  payments: Payment[];
  /** Events that the product has not accepted. */
  undelivered(): string[];
  /** Delivers the events that are due. */
  tick(): Promise<void>;
  handlers: Handlers<Exclude<TopUpEvent, { kind: "redeem" }>>;
};

type QueuedEvent = { type: string; body: string; at: number; copies: number };

const RETRY_AFTER = 5 * MINUTE;
const PAGE = "/dashboard/top-up";

/** Customers who pay by card, and Stripe, which tells the product: late, twice, out of order, again until it is heard. */
export function openTopUps(site: Site, world: World, stripe: WorldStripe): TopUpWorld {
  const payments = new Map<string, Payment>();
  let queue: QueuedEvent[] = [];
  let ids = 0;

  function tell(type: string, object: object, { delayMs, copies, againAfterMs }: EventDelivery): void {
    const created = Math.floor(site.now() / 1000);
    const body = JSON.stringify({ id: `evt_${ids++}`, object: "event", created, type, data: { object } });
    const at = world.now() + delayMs;
    queue.push({ type, body, at, copies });
    if (againAfterMs !== null) queue.push({ type, body, at: at + againAfterMs, copies: 1 });
  }

  async function deliver({ type, body, copies }: QueuedEvent): Promise<boolean> {
    const send = async () => {
      const signature = signStripe(STRIPE_BINDINGS.STRIPE_WEBHOOK_SECRET, body, Math.floor(site.now() / 1000));
      const headers = { "Content-Type": "application/json", "Stripe-Signature": signature };
      const response = await site.fetch("/stripe/webhook", { method: "POST", headers, body }, null).catch(() => null);
      return response?.ok ?? false;
    };
    const delivered = await Promise.all(Array.from({ length: copies }, send));
    if (delivered.includes(true)) site.count(`Stripe ${type}`);
    return delivered.includes(true);
  }

  function checkout(payment: Payment, more: object): object {
    const { session } = payment;
    return {
      id: session.id,
      object: "checkout.session",
      mode: "payment",
      client_reference_id: session.reference,
      payment_intent: `pi_${session.id}`,
      amount_total: session.cents,
      currency: "usd",
      ...more,
    };
  }

  const tick = async () => {
    const due = queue.filter(({ at }) => at <= world.now());
    queue = queue.filter(({ at }) => at > world.now());
    for (const event of due) {
      if (!(await deliver(event))) queue.push({ ...event, at: world.now() + RETRY_AFTER });
    }
  };

  return {
    get payments() {
      return [...payments.values()];
    },
    undelivered: () => queue.map(({ type }) => type),
    tick,
    handlers: {
      async top_up({ name, customer, cents, opening }) {
        const person = world.customers[customer]?.person;
        if (!person || world.customers[customer]?.hasLeft) return;
        stripe.setOpening(cents, opening);
        // The page says that it failed, and nobody can pay.
        const mayFail = opening === "refused" || opening === "cut";
        const fields = { intent: "card", amount: (cents / 100).toFixed(2) };
        const page = await person.submit(PAGE, fields, { mayFail }).catch(() => null);
        const session = stripe.sessions.find((known) => known.cents === cents);
        if (page?.status !== 200 || !session) return;
        site.count("card payment opened");
        payments.set(name, { customer, session, paidIn: null, lost: new Map() });
      },
      async pay({ top_up, by, delivery }) {
        const payment = payments.get(top_up);
        if (!payment) return;
        if (by === "bank") {
          tell("checkout.session.completed", checkout(payment, { payment_status: "unpaid" }), delivery);
        } else {
          payment.paidIn = by === "card" ? "usd" : "eur";
          const paid = checkout(payment, { payment_status: "paid", currency: payment.paidIn });
          tell("checkout.session.completed", paid, delivery);
        }
        await tick();
        // The browser returns, whether or not the event has arrived.
        const returnPath = `${PAGE}?checkout=${payment.session.reference}`;
        await world.customers[payment.customer]?.person.get(returnPath).catch(() => undefined);
      },
      async bank({ top_up, by, delivery }) {
        const payment = payments.get(top_up);
        if (!payment || payment.paidIn !== null) return;
        if (by === "success") payment.paidIn = "usd";
        const type = by === "success" ? "async_payment_succeeded" : "async_payment_failed";
        const status = by === "success" ? "paid" : "unpaid";
        tell(`checkout.session.${type}`, checkout(payment, { payment_status: status }), delivery);
      },
      async expire({ top_up, delivery }) {
        const payment = payments.get(top_up);
        // Only a page that nobody paid on expires.
        if (!payment || payment.paidIn !== null) return;
        tell("checkout.session.expired", checkout(payment, { payment_status: "unpaid" }), delivery);
      },
      async refund({ top_up, share, by, delivery }) {
        const payment = payments.get(top_up);
        if (!payment?.paidIn) return;
        const id = `re_${ids++}`;
        const amount = Math.floor(payment.session.cents * share);
        const refund = { id, object: "refund", amount, payment_intent: `pi_${payment.session.id}`, currency: "usd" };
        tell("refund.created", { ...refund, status: "succeeded" }, delivery);
        if (by === "success") payment.lost.set(id, amount);
        else tell("refund.failed", { ...refund, status: "failed" }, { ...delivery, delayMs: 0 });
      },
      async dispute({ top_up, by, delivery }) {
        const payment = payments.get(top_up);
        if (!payment?.paidIn) return;
        const id = `du_${ids++}`;
        const amount = payment.session.cents;
        const dispute = { id, object: "dispute", amount, payment_intent: `pi_${payment.session.id}` };
        if (by === "inquiry") {
          tell("charge.dispute.created", { ...dispute, status: "warning_needs_response" }, delivery);
          return;
        }
        tell("charge.dispute.created", { ...dispute, status: "needs_response" }, delivery);
        tell("charge.dispute.closed", { ...dispute, status: by }, { ...delivery, delayMs: 0 });
        if (by === "lost") payment.lost.set(id, amount);
      },
    },
  };
}
