import type { ActionFunctionArgs, HeadersFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useLoaderData } from "@remix-run/react";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { Money } from "#app/components/formats/money-amount.tsx";
import { useRefresh } from "#app/components/page/use-refresh.ts";
import { Card } from "#app/components/ui/card.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { CardForm } from "#app/orders/top-up/card-form.tsx";
import { listOwnPayments, MAX_TOP_UP, MIN_TOP_UP, readCheckout } from "#app/orders/top-up/checkout.server.ts";
import { CheckoutNotice } from "#app/orders/top-up/checkout-notice.tsx";
import { PaymentTable } from "#app/orders/top-up/payment-table.tsx";
import { RedeemForm } from "#app/orders/top-up/redeem-form.tsx";
import { acceptsCards } from "#app/orders/top-up/stripe-client.server.ts";
import { submitTopUpForm } from "#app/orders/top-up/top-up-form.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const PAYMENTS_SHOWN = 5;

export const meta: MetaFunction = () => [{ title: `Top up · ${PRODUCT_NAME}` }];

// Passes on Retry-After after too many attempts to redeem a code.
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const { searchParams } = new URL(request.url);
  const checkoutId = searchParams.get("checkout") ?? searchParams.get("canceled");
  const [balance, payments, checkout] = await Promise.all([
    readBalance(context.db, userId),
    listOwnPayments(context.db, userId, PAYMENTS_SHOWN),
    checkoutId ? readCheckout(context.db, userId, checkoutId) : null,
  ]);
  return {
    balance,
    payments,
    checkout: checkout && { status: checkout.status, amount: checkout.paid ?? checkout.amount },
    canceled: searchParams.has("canceled"),
    cards: acceptsCards(context.env) ? { min: MIN_TOP_UP, max: MAX_TOP_UP } : null,
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireViewer(request, context);
  return respondToForm(request, await submitTopUpForm(context, request, form, viewer));
}

export default function TopUp() {
  const { balance, payments, checkout, canceled, cards } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>() ?? null;
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
        {cards && (
          <Card title="Pay by card" titleId="card">
            <CardForm limits={cards} result={result} />
          </Card>
        )}
        <Card title="Redeem a code" titleId="code">
          <RedeemForm result={result} />
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
