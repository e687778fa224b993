import type { AppLoadContext } from "@remix-run/cloudflare";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { formatMoney, parseDecimal } from "#app/orders/rules/money.ts";
import { acceptsCards, MAX_TOP_UP, MIN_TOP_UP, startCheckout } from "./checkout.server.ts";
import { countRedeemAttempt, type RedeemRefusal, redeem } from "./redeem-code.server.ts";

export type TopUpResult =
  | { intent: "code"; ok: true; said: string }
  | { intent: "code"; ok: false; error: string; typed: string }
  /** The payment page, for the browser to open. */
  | { intent: "card"; ok: true; url: string }
  | { intent: "card"; ok: false; error: string; typed: string };

const MAX_CODE_CHARACTERS = 60;

const REFUSALS: Record<RedeemRefusal, string> = {
  unknown: "This code is not known. Check each character: it looks like GL-XXXX-XXXX-XXXX-XXXX.",
  expired: "This code has expired.",
  disabled: "This code does not work any more. Ask whoever gave it to you.",
  used_up: "This code has been used.",
  used_by_you: "You have used this code already. Its amount is on your balance.",
};

type Answered = TopUpResult & { status: number; headers?: HeadersInit };

/** Runs one of the two forms of the top-up page. */
export async function submitTopUpForm(
  { db, env }: AppLoadContext,
  request: Request,
  customer: { userId: string; email: string },
): Promise<Answered> {
  const form = await readForm(request);
  if (form.get("intent") === "card") return payByCard(db, env, request, customer, formText(form, "amount"));
  const code = formText(form, "code").slice(0, MAX_CODE_CHARACTERS);
  const refuse = (status: number, error: string, headers: HeadersInit = {}): Answered => ({
    intent: "code",
    ok: false,
    error,
    typed: code,
    status,
    headers,
  });
  if (code === "") return refuse(400, "Type the code that you were given.");
  const turn = await countRedeemAttempt(db, request, customer.userId);
  if (!turn.ok) {
    const minutes = Math.ceil(turn.retryAfterSeconds / 60);
    const error = `Too many codes were tried. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
    return refuse(429, error, { "Retry-After": String(turn.retryAfterSeconds) });
  }
  const redeemed = await redeem(db, customer.userId, code);
  if (!redeemed.ok) return refuse(redeemed.reason === "unknown" ? 400 : 409, REFUSALS[redeemed.reason]);
  const settled = redeemed.balance < redeemed.amount;
  const said = settled
    ? `${formatMoney(redeemed.amount)} came in and went toward what you owe. You owe ${formatMoney(redeemed.owed)} now, and your balance is ${formatMoney(redeemed.balance)}.`
    : `${formatMoney(redeemed.amount)} is on your balance, which is ${formatMoney(redeemed.balance)} now.`;
  return { intent: "code", ok: true, said, status: 200 };
}

async function payByCard(
  db: AppLoadContext["db"],
  env: Env,
  request: Request,
  customer: { userId: string; email: string },
  typed: string,
): Promise<Answered> {
  const refuse = (status: number, error: string): Answered => ({ intent: "card", ok: false, error, typed, status });
  if (!acceptsCards(env)) return refuse(404, "Cards are not taken here.");
  const amount = parseDecimal(typed.replace(/^\$/, ""));
  const bounds = `Give an amount from ${formatMoney(MIN_TOP_UP)} to ${formatMoney(MAX_TOP_UP)}, in whole cents.`;
  if (amount === null) return refuse(400, bounds);
  const { origin, pathname } = new URL(request.url);
  const made = await startCheckout(db, env, customer, { amount, returnUrl: origin + pathname });
  if (made.ok) return { intent: "card", ok: true, url: made.url, status: 200 };
  if (made.reason === "bad_amount") return refuse(400, bounds);
  return refuse(502, "The payment page could not be opened. Nothing was charged; try again in a moment.");
}
