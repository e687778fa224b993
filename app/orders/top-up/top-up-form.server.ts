import type { AppLoadContext } from "@remix-run/cloudflare";
import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import { cutText } from "#app/cut-text.ts";
import { CONFIRM_EMAIL_FIRST } from "#app/email/confirmed-email.server.ts";
import { publicOrigin } from "#app/http/requests/public-origin.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { formatMoney, parseDecimal } from "#app/orders/rules/money-text.ts";
import { MAX_TOP_UP, startCheckout } from "./checkout.server.ts";
import { countRedeemAttempt, type RedeemRefusal, redeemCode } from "./redeem-code.server.ts";
import { acceptsCards } from "./stripe-client.server.ts";

/** `url` is the Stripe Checkout page to open. */
export type TopUpResult = FormResult & { url?: string };
/** `isCredited`: this attempt or an earlier one of the same customer added the code's amount to the balance. */
type TopUpOutcome = Extract<FormOutcome<TopUpResult>, { kind: "shown" }> & { isCredited?: boolean };

const MAX_CODE_CHARACTERS = 60;

const REFUSALS: Record<RedeemRefusal, string> = {
  unknown: "We don't recognize this code. Check each character: codes look like GL-XXXX-XXXX-XXXX-XXXX.",
  expired: "This code has expired.",
  disabled: "This code was disabled. Contact whoever gave it to you.",
  used_up: "This code has already been redeemed.",
  used_by_you: "You already redeemed this code. Its amount was added to your balance.",
};

/** Handles the code and the card of the top-up page. `returnQuery` is what the page is about after a card payment. */
export async function submitTopUpForm(
  context: AppLoadContext,
  request: Request,
  form: FormData,
  customer: { userId: string; email: string },
  returnQuery = "",
): Promise<TopUpOutcome> {
  const { db } = context;
  if (form.get("intent") === "card") {
    return payByCard(context, request, customer, { typed: formText(form, "amount"), returnQuery });
  }
  const code = cutText(formText(form, "code"), MAX_CODE_CHARACTERS);
  const refuse = (status: number, error: string, headers: HeadersInit = {}) => ({
    ...refused(status, "code", code, error),
    headers,
  });
  if (code === "") return refuse(400, "Enter your code");
  const attempt = await countRedeemAttempt(db, request, customer.userId);
  if (!attempt.ok) {
    const minutes = Math.ceil(attempt.retryAfterSeconds / 60);
    const error = `Too many attempts. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
    return refuse(429, error, { "Retry-After": String(attempt.retryAfterSeconds) });
  }
  const redeemed = await redeemCode(db, customer.userId, code);
  if (!redeemed.ok && redeemed.reason === "maintenance") return refuse(409, topUpsPaused(redeemed.text));
  if (!redeemed.ok) {
    const refusal = refuse(redeemed.reason === "unknown" ? 400 : 409, REFUSALS[redeemed.reason]);
    return { ...refusal, isCredited: redeemed.reason === "used_by_you" };
  }
  const paidDebt = redeemed.balance < redeemed.amount;
  const message = paidDebt
    ? `${formatMoney(redeemed.amount)} added and applied to what you owe. You still owe ${formatMoney(redeemed.owed)}. New balance: ${formatMoney(redeemed.balance)}.`
    : `${formatMoney(redeemed.amount)} added. New balance: ${formatMoney(redeemed.balance)}.`;
  return { kind: "shown", status: 200, result: { intent: "code", ok: true, message }, isCredited: true };
}

async function payByCard(
  { db, env, siteState }: AppLoadContext,
  request: Request,
  customer: { userId: string; email: string },
  { typed, returnQuery }: { typed: string; returnQuery: string },
): Promise<TopUpOutcome> {
  const refuse = (status: number, error: string) => refused(status, "amount", typed, error);
  if (!acceptsCards(env)) return refuse(404, "Card payments aren't available");
  const amount = parseDecimal(typed.replace(/^\$/, ""));
  const min = (await siteState()).settings.min_top_up;
  const bounds = `Enter an amount from ${formatMoney(min)} to ${formatMoney(MAX_TOP_UP)}, in whole cents.`;
  if (amount === null) return refuse(400, bounds);
  const returnUrl = publicOrigin(env, request) + new URL(request.url).pathname;
  const started = await startCheckout(db, env, customer, { amount, min, returnUrl, returnQuery });
  if (started.ok) return { kind: "shown", status: 200, result: { intent: "card", ok: true, url: started.url } };
  if (started.reason === "bad_amount") return refuse(400, bounds);
  if (started.reason === "email_unconfirmed") return refuse(403, CONFIRM_EMAIL_FIRST);
  if (started.reason === "maintenance") return refuse(409, topUpsPaused(started.text));
  return refuse(502, "We couldn't open the checkout page. You weren't charged. Try again in a moment.");
}

/** Says that no money is taken now. `text` is the operator's own. */
function topUpsPaused(text: string): string {
  return `Top-ups are paused for maintenance. Nothing was charged. ${text}`;
}

function refused(status: number, field: "code" | "amount", typed: string, error: string) {
  const intent = field === "code" ? "code" : "card";
  const result = { intent, ok: false, fieldErrors: { [field]: error }, values: { [field]: typed } };
  return { kind: "shown" as const, status, result };
}
