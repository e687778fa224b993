import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/cloudflare";
import { useActionData, useLoaderData } from "@remix-run/react";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { useRefresh } from "#app/components/page/use-refresh.ts";
import { Card } from "#app/components/ui/card.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import {
  acceptsCards,
  listOwnPayments,
  MAX_TOP_UP,
  MIN_TOP_UP,
  readCheckout,
} from "#app/orders/top-up/checkout.server.ts";
import { CardForm, CheckoutNotice, CodeForm } from "#app/orders/top-up/code-and-card-forms.tsx";
import { PaymentState } from "#app/orders/top-up/payment-state.tsx";
import { submitTopUpForm } from "#app/orders/top-up/top-up-form.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const PAYMENTS_SHOWN = 5;

export const meta: MetaFunction = () => [{ title: `Top up · ${PRODUCT_NAME}` }];

// Retry-After, when too many codes were tried.
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
  const viewer = await requireViewer(request, context);
  const { status, headers: extra, ...answer } = await submitTopUpForm(context, request, viewer);
  return data(answer, { status, headers: extra });
}

export default function TopUp() {
  const { money } = useFormats();
  const { balance, payments, checkout, canceled, cards } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>() ?? null;
  // The payment page sends people back before Stripe has told us.
  useRefresh(!canceled && (checkout?.status === "open" || checkout?.status === "pending"));
  return (
    <div className="max-w-3xl">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h1 className="text-2xl">Top up</h1>
        <p className="text-sm text-muted">
          Balance <b className="tabular font-medium text-text">{money(balance)}</b>
        </p>
      </div>
      <div className="mt-6 flex flex-col gap-6">
        {checkout && <CheckoutNotice checkout={checkout} canceled={canceled} />}
        {cards && (
          <Card title="By card" titleId="card">
            <CardForm limits={cards} answer={answer} />
          </Card>
        )}
        <Card title="With a code" titleId="code">
          <CodeForm answer={answer} />
        </Card>
        {payments.length > 0 && (
          <Card title="Your last card payments" titleId="payments" flush>
            <Table
              label="Card payments"
              head={
                <>
                  <Th>When</Th>
                  <Th>State</Th>
                  <Th numeric>Amount</Th>
                </>
              }
            >
              {payments.map((payment) => (
                <tr key={payment.id}>
                  <Td className="text-muted">
                    <RelativeDate at={payment.createdAt} />
                  </Td>
                  <Td>
                    <PaymentState payment={payment} />
                  </Td>
                  <Td numeric>{money(payment.paid ?? payment.amount)}</Td>
                </tr>
              ))}
            </Table>
          </Card>
        )}
        <p className="text-sm text-muted">
          {cards ? "Another way to pay? " : "Cards are not taken here yet. "}
          Write to support in the chat: the team can top up your balance.
        </p>
      </div>
    </div>
  );
}
