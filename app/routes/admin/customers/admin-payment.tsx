import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Link, type ShouldRevalidateFunction, useActionData, useLoaderData } from "@remix-run/react";
import { actorOf, requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { flashCookie } from "#app/components/toast/flash-cookie.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { decimal, formatMoney } from "#app/orders/rules/money.ts";
import { decidePayment, readPayment } from "#app/orders/staff/customers/payment-admin.server.ts";
import { Detail, Details } from "#app/orders/staff/details.tsx";
import { PAYMENT_TEXTS } from "#app/orders/staff/staff-action-texts.ts";
import { ReasonField, StaffField, StaffForm } from "#app/orders/staff/staff-form.tsx";
import { parseStaffForm, paymentInput, textsOf } from "#app/orders/staff/staff-input.server.ts";
import { PaymentState, receivedText } from "#app/orders/top-up/payment-state.tsx";
import { CURRENCY, PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Payment · ${PRODUCT_NAME}` }];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const found = await readPayment(context.db, requireTextId(params.id));
  if (!found) throw new Response(null, { status: 404 });
  return { ...found, once: crypto.randomUUID() };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const viewer = await requireRole(request, context, "admin");
  const form = await readForm(request);
  const intent = String(form.get("intent"));
  const parsed = parseStaffForm(paymentInput, intent, form);
  if (!parsed.ok) return data(parsed.answer, { status: 400 });
  const { once, reason } = parsed.input;
  const decision =
    parsed.input.intent === "accept"
      ? ({ kind: "accept", amount: parsed.input.amount, reason } as const)
      : ({ kind: "refuse", reason } as const);
  const actor = actorOf(viewer);
  const act = await decidePayment(context.db, actor, requireTextId(params.id), decision, once);
  if (!act.ok && act.reason === "not_found") throw new Response(null, { status: 404 });
  if (!act.ok) {
    const answer = { intent, error: PAYMENT_TEXTS[act.reason], values: textsOf(form), fields: undefined };
    return data(answer, { status: 409 });
  }
  const said =
    decision.kind === "accept"
      ? `${formatMoney(decision.amount)} is credited.`
      : "The payment is not credited. Refund it in Stripe.";
  return redirect(new URL(request.url).pathname, { headers: { "Set-Cookie": flashCookie(said) } });
}

/** Who was too late sees what it is now. */
export const shouldRevalidate: ShouldRevalidateFunction = ({ actionStatus, defaultShouldRevalidate }) =>
  defaultShouldRevalidate || actionStatus === 409;

export default function Payment() {
  const formats = useFormats();
  const { money } = formats;
  const { payment, email, returns, once } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>() ?? null;
  return (
    <>
      <BackLink to="/admin/payments">Payments</BackLink>
      <h1 className="text-2xl">Card payment</h1>
      {payment.status !== "review" && answer?.error && (
        <div className="mt-4 max-w-xl">
          <Notice tone="bad">{answer.error}</Notice>
        </div>
      )}
      <div className="mt-6 grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-2">
        <Card title="Details" titleId="details">
          <Details>
            <Detail name="Customer">
              {email === null ? (
                "Deleted account"
              ) : (
                <Link to={`/admin/customers/${payment.userId}`} className="break-all underline underline-offset-4">
                  {email}
                </Link>
              )}
            </Detail>
            <Detail name="State">
              <PaymentState payment={payment} />
            </Detail>
            <Detail name="Asked for">{money(payment.amount)}</Detail>
            <Detail name="Came in">{receivedText(payment, formats)}</Detail>
            <Detail name="Credited">{payment.paid === null ? "—" : money(payment.paid)}</Detail>
            <Detail name="Begun">
              <RelativeDate at={payment.createdAt} />
            </Detail>
            <Detail name="Stripe’s page">
              <code className="font-mono text-xs break-all">{payment.sessionId ?? "—"}</code>
            </Detail>
            <Detail name="Stripe’s payment">
              <code className="font-mono text-xs break-all">{payment.paymentIntent ?? "—"}</code>
            </Detail>
          </Details>
        </Card>
        {payment.status === "review" && (
          <div className="flex min-w-0 flex-col gap-6">
            <Card title="Credit it" titleId="accept">
              <StaffForm key={once} intent="accept" answer={answer} button="Credit the payment" hidden={{ once }}>
                <StaffField
                  answer={answer}
                  intent="accept"
                  name="amount"
                  label={`Amount in ${CURRENCY}`}
                  inputMode="decimal"
                  initial={decimal(payment.amount, 2)}
                  help="Look in Stripe at what reached your account."
                />
                <ReasonField answer={answer} intent="accept" />
              </StaffForm>
            </Card>
            <Card title="Do not credit it" titleId="refuse">
              <StaffForm
                key={once}
                intent="refuse"
                answer={answer}
                button="Refuse the payment"
                variant="danger"
                hidden={{ once }}
              >
                <p className="text-sm text-muted">Nothing is sent back by this: refund the payment in Stripe.</p>
                <ReasonField answer={answer} intent="refuse" />
              </StaffForm>
            </Card>
          </div>
        )}
      </div>
      {returns.length > 0 && (
        <div className="mt-6">
          <Card title="What Stripe told of it going back" titleId="returns" flush>
            <Table
              label="Refunds and disputes"
              head={
                <>
                  <Th>What</Th>
                  <Th>State</Th>
                  <Th numeric>Amount</Th>
                  <Th>Told</Th>
                  <Th>Stripe’s id</Th>
                </>
              }
            >
              {returns.map((row) => (
                <tr key={row.id}>
                  <Td>{row.kind === "dispute" ? "Dispute" : "Refund"}</Td>
                  <Td>
                    <Badge tone={row.inEffect ? "bad" : "neutral"}>{row.status.replaceAll("_", " ")}</Badge>
                  </Td>
                  <Td numeric>
                    {receivedText({ received: row.amount, receivedCurrency: payment.receivedCurrency }, formats)}
                  </Td>
                  <Td className="text-muted">
                    <RelativeDate at={row.eventAt} />
                  </Td>
                  <Td className="font-mono text-xs">{row.id}</Td>
                </tr>
              ))}
            </Table>
          </Card>
        </div>
      )}
    </>
  );
}
