import { percentText, WHOLE } from "#app/orders/rules/margin.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS, WEEK_MS } from "#app/time.ts";

/** What is known about how a customer pays. Amounts are micro-units, times ms. */
export type CustomerFacts = {
  createdAt: number;
  emailConfirmedAt: number | null;
  suspendedAt: number | null;
  owed: number;
  /** The first amount that was ever added to the balance by a payment or a code. */
  firstTopUp: { amount: number; at: number } | null;
  /** The newest card payments, up to `PAYMENTS_READ`. */
  payments: Payment[];
  /** What was charged and refunded in the last 30 days. */
  recent: { charged: number; refunded: number };
};

type Payment = {
  status: string;
  amount: number;
  reversed: number;
  createdAt: number;
  /** When Stripe last reported a refund or a dispute of it. */
  reversedAt: number | null;
};

/** A fact worth a look: what it says, and when it was, if that is known. `when` begins the date: "Last". */
export type CustomerSign = { name: string; text: string; when: string; at: number | null };

export const PAYMENTS_READ = 50;
export const REFUND_DAYS = 30;
const RECENT_MS = WEEK_MS;
/** A first top-up is told of from this amount on. */
const LARGE_TOP_UP = 100 * MICRO;
/** Failed payments of a week that are told of. One or two happen to anybody. */
const FAILED_PAYMENTS = 3;
/** The part of the charges that was refunded, from which on it is told of, in basis points. */
const REFUNDED_PART = 2000;

/**
 * Returns what staff should know before they decide about a customer. Each is a fact with a number and a date, which the
 * pages behind it show. None says what it means: that is for the reader to judge.
 */
export function signsOf(facts: CustomerFacts, now: number, money: (micro: number) => string): CustomerSign[] {
  const { createdAt, emailConfirmedAt, suspendedAt, owed, firstTopUp, payments, recent } = facts;
  const signs: CustomerSign[] = [];
  const paid = payments.filter(({ status }) => status === "paid");
  const reversed = paid.filter((payment) => payment.reversed > 0);
  const lastReversal = Math.max(...reversed.map((payment) => payment.reversedAt ?? payment.createdAt));
  if (owed > 0) {
    const at = reversed.length > 0 ? lastReversal : null;
    signs.push({ name: "owes", text: `Owes ${money(owed)}`, when: "Last reversal", at });
  }
  if (reversed.length > 0) {
    const newest = payments.length === PAYMENTS_READ ? "the newest " : "";
    const text = `${reversed.length} of ${newest}${counted(paid.length, "card payment")} reversed`;
    signs.push({ name: "reversed", text, when: "Last", at: lastReversal });
  }
  const inReview = payments.filter(({ status }) => status === "review");
  if (inReview.length > 0) {
    const sum = inReview.reduce((total, { amount }) => total + amount, 0);
    const text = `${counted(inReview.length, "card payment")} of ${money(sum)} in review`;
    signs.push({ name: "review", text, when: "Since", at: Math.min(...inReview.map((one) => one.createdAt)) });
  }
  const failed = payments.filter((one) => one.status === "failed" && one.createdAt > now - RECENT_MS);
  if (failed.length >= FAILED_PAYMENTS) {
    const text = `${counted(failed.length, "card payment")} failed within 7 days`;
    signs.push({ name: "failed", text, when: "Last", at: Math.max(...failed.map((one) => one.createdAt)) });
  }
  if (firstTopUp && firstTopUp.amount >= LARGE_TOP_UP && firstTopUp.at > now - RECENT_MS) {
    signs.push({ name: "first", text: `First top-up: ${money(firstTopUp.amount)}`, when: "Made", at: firstTopUp.at });
  }
  const part = recent.charged > 0 ? Math.floor((recent.refunded * WHOLE) / recent.charged) : 0;
  if (part >= REFUNDED_PART) {
    const share = percentText(Math.floor(part / 100) * 100);
    const text = `${share} of charges refunded in ${REFUND_DAYS} days: ${money(recent.refunded)} of ${money(recent.charged)}`;
    signs.push({ name: "refunded", text, when: "Since", at: now - REFUND_DAYS * DAY_MS });
  }
  if (emailConfirmedAt === null) {
    signs.push({ name: "email", text: "Email not confirmed", when: "Joined", at: createdAt });
  }
  if (suspendedAt !== null) signs.push({ name: "suspended", text: "Suspended", when: "Since", at: suspendedAt });
  return signs;
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
