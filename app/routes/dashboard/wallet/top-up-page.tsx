import {
  type ActionFunctionArgs,
  type AppLoadContext,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { ConfirmEmailForCards } from "#app/accounts/email-address/confirm-email-notice.tsx";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { Money } from "#app/components/formats/money-amount.tsx";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { useRefresh } from "#app/components/page/use-refresh.ts";
import { Card } from "#app/components/ui/card.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { flashCookie } from "#app/http/cookies.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { massQuery, plannedMassIn } from "#app/orders/mass/planned-mass.ts";
import { PlannedMassCard } from "#app/orders/mass/planned-mass-card.tsx";
import { readCarriedCode } from "#app/orders/placing/codes/carried-code.server.ts";
import {
  findPlacedBefore,
  keepingKey,
  placePlannedOrder,
  UNANSWERED,
} from "#app/orders/placing/order-after-top-up.server.ts";
import { newFormKey } from "#app/orders/placing/place-order-form.server.ts";
import { orderQueryIn, readPlannedOrder, TOP_UP_PATH } from "#app/orders/placing/planned-order.server.ts";
import { PlannedOrderCard } from "#app/orders/placing/planned-order-card.tsx";
import { CardForm } from "#app/orders/top-up/card-form.tsx";
import { listOwnPayments, MAX_TOP_UP, readCheckout } from "#app/orders/top-up/checkout.server.ts";
import { CheckoutNotice } from "#app/orders/top-up/checkout-notice.tsx";
import { PaymentTable } from "#app/orders/top-up/payment-table.tsx";
import { RedeemForm } from "#app/orders/top-up/redeem-form.tsx";
import { acceptsCards } from "#app/orders/top-up/stripe-client.server.ts";
import { submitTopUpForm, type TopUpResult } from "#app/orders/top-up/top-up-form.server.ts";
import { readWallet } from "#app/orders/wallet/wallet.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const PAYMENTS_SHOWN = 5;

type Customer = Parameters<typeof submitTopUpForm>[3];

export const meta: MetaFunction = () => [{ title: `Top up · ${PRODUCT_NAME}` }];

// Passes on Retry-After after too many attempts to redeem a code.
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId, email, emailConfirmed } = await requireViewer(request, context);
  const { searchParams } = new URL(request.url);
  const checkoutId = searchParams.get("checkout") ?? searchParams.get("canceled");
  const [site, wallet, payments, checkout, planned] = await Promise.all([
    context.siteState(),
    readWallet(context.db, userId),
    listOwnPayments(context.db, userId, PAYMENTS_SHOWN),
    checkoutId ? readCheckout(context.db, userId, checkoutId) : null,
    readCarriedCode(context, userId, searchParams).then((code) =>
      readPlannedOrder(context.db, searchParams, userId, code),
    ),
  ]);
  const mass = planned ? null : plannedMassIn(searchParams);
  const charge = planned?.charge ?? mass?.charge;
  const query = planned?.query ?? (mass ? massQuery(mass) : null);
  return {
    balance: wallet.balance,
    planned,
    mass,
    missing: charge ? Math.max(0, charge + wallet.owed - wallet.balance) : 0,
    idempotencyKey: newFormKey(),
    unconfirmed: emailConfirmed ? null : { email, next: query === null ? TOP_UP_PATH : `${TOP_UP_PATH}?${query}` },
    payments,
    checkout: checkout && { status: checkout.status, amount: checkout.paid ?? checkout.amount },
    canceled: searchParams.has("canceled"),
    cards: acceptsCards(context.env) ? { min: site.settings.min_top_up, max: MAX_TOP_UP } : null,
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireViewer(request, context);
  const isOrder = form.get("intent") === "order" || (form.get("intent") === "code" && form.get("order") !== null);
  if (!isOrder) return respondToForm(request, await topUp(context, request, form, viewer));
  const outcome = await keepingKey(context, form, () => placeOrder(context, request, form, viewer));
  if (outcome.kind === "shown") return respondToForm<TopUpResult>(request, outcome);
  return redirect(
    outcome.path,
    outcome.toast ? { headers: { "Set-Cookie": await flashCookie(request, outcome.toast) } } : {},
  );
}

function topUp(context: AppLoadContext, request: Request, form: FormData, viewer: Customer) {
  const { searchParams } = new URL(request.url);
  const mass = plannedMassIn(searchParams);
  const about = orderQueryIn(searchParams) || (mass ? massQuery(mass) : "");
  return submitTopUpForm(context, request, form, viewer, about);
}

type Outcome = { kind: "placed"; path: string; toast?: string } | Extract<FormOutcome<TopUpResult>, { kind: "shown" }>;

/** Places the order of the page's URL, after redeeming the code if the form has one. */
async function placeOrder(
  context: AppLoadContext,
  request: Request,
  form: FormData,
  viewer: Customer,
): Promise<Outcome> {
  const path = await findPlacedBefore(context.db, viewer.userId, form);
  if (path) return { kind: "placed", path };
  const { searchParams } = new URL(request.url);
  const place = () => placePlannedOrder(context, viewer.userId, searchParams, form);
  if (form.get("intent") === "order") {
    const placed = await place();
    return placed.ok ? { kind: "placed", path: placed.path } : placed.outcome;
  }
  const toppedUp = await topUp(context, request, form, viewer);
  // A form that was cut off behind its code is sent again: the code was redeemed, and its order is still to be placed.
  if (!toppedUp.isCredited) return toppedUp;
  const { ok, message = "" } = toppedUp.result;
  const placed = await place();
  if (placed.ok) return { kind: "placed", path: placed.path, ...(ok && { toast: message }) };
  const { status, result } = placed.outcome;
  const isUnanswered = status === UNANSWERED;
  if (!ok) return isUnanswered ? placed.outcome : toppedUp;
  // The code is used up, whatever became of the order.
  const shown = { ...result, intent: "order", message: `${message} ${result.message}` };
  return { kind: "shown", status: isUnanswered ? UNANSWERED : 200, result: shown };
}

export default function TopUp() {
  const { balance, planned, mass, missing, idempotencyKey, unconfirmed, payments, checkout, canceled, cards } =
    useLoaderData<typeof loader>();
  const result: TopUpResult | null = useActionResult<typeof action>() ?? null;
  const again = result?.intent === "order" ? (result.values?.again ?? "") : "";
  // After an outage, the key of the form that was sent, whose order may have been placed.
  const key = result?.values?.idempotencyKey || idempotencyKey;
  const order = planned && { idempotencyKey: key, charge: String(planned.charge), again };
  // Going on with what the balance covers is the one primary action.
  const variant = (planned || mass) && missing === 0 ? "secondary" : "primary";
  // Stripe sends customers back before its event reaches us.
  useRefresh(!canceled && (checkout?.status === "open" || checkout?.status === "pending"));
  return (
    <div className="max-w-3xl">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h1 className="text-2xl">Top up</h1>
        <p className="text-sm text-muted">
          Balance{" "}
          <b className="tabular font-medium text-text">
            <Money micro={balance} />
          </b>
        </p>
      </div>
      <div className="mt-6 flex flex-col gap-6">
        {checkout && <CheckoutNotice checkout={checkout} canceled={canceled} />}
        {planned && order && <PlannedOrderCard order={planned} missing={missing} hidden={order} result={result} />}
        {mass && <PlannedMassCard mass={mass} missing={missing} />}
        {cards && (
          <Card title="Pay by card" titleId="card">
            {unconfirmed ? (
              <ConfirmEmailForCards {...unconfirmed} />
            ) : (
              <CardForm limits={cards} missing={missing} result={result} variant={variant} />
            )}
          </Card>
        )}
        <Card title="Redeem a code" titleId="code">
          <RedeemForm result={result} order={planned && missing > 0 ? order : null} variant={variant} />
        </Card>
        {payments.length > 0 && (
          <Card title="Recent card payments" titleId="payments" flush>
            <PaymentTable payments={payments} />
          </Card>
        )}
        <p className="text-sm text-muted">
          {cards ? "Want to pay another way? " : "Card payments aren't available yet. "}
          Contact support in the chat, and the team can top up your balance.
        </p>
      </div>
    </div>
  );
}
