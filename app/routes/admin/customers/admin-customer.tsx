import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import Receipt from "lucide-react/icons/receipt";
import { actorOf, requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Field } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { flashCookie } from "#app/components/toast/flash-cookie.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { parseId, requireTextId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { formatMoney } from "#app/orders/rules/money.ts";
import { AuditList } from "#app/orders/staff/audit-list.tsx";
import { adjustBalance, readCustomer } from "#app/orders/staff/customers/customer-admin.server.ts";
import { Detail, Details } from "#app/orders/staff/details.tsx";
import { ADJUSTMENT_TEXTS } from "#app/orders/staff/staff-action-texts.ts";
import { ReasonField, StaffField, StaffForm } from "#app/orders/staff/staff-form.tsx";
import { adjustmentInput, parseStaffForm, textsOf } from "#app/orders/staff/staff-input.server.ts";
import { PaymentState } from "#app/orders/top-up/payment-state.tsx";
import { KIND_NAMES } from "#app/orders/wallet/ledger-table.tsx";
import { CURRENCY, PRODUCT_NAME } from "#app/product.ts";

const A_PAGE = 50;
const INTENT = "move";

export const meta: MetaFunction<typeof loader> = ({ data: shown }) => [
  { title: `${shown?.person.email ?? "Customer"} · ${PRODUCT_NAME}` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const before = parseId(new URL(request.url).searchParams.get("before"));
  const found = await readCustomer(context.db, requireTextId(params.id), before, A_PAGE);
  if (!found) throw new Response(null, { status: 404 });
  const { entries, ...rest } = found;
  return { ...rest, ledger: pageOf(entries, A_PAGE, ({ id }) => id), once: crypto.randomUUID() };
}

export async function action({ request, params, context }: ActionFunctionArgs) {
  const viewer = await requireRole(request, context, "admin");
  const form = await readForm(request);
  const parsed = parseStaffForm(adjustmentInput, INTENT, form);
  if (!parsed.ok) return data(parsed.answer, { status: 400 });
  const { direction, amount, reason, once } = parsed.input;
  const move = {
    kind: direction === "topup" ? ("topup" as const) : ("adjustment" as const),
    amount: direction === "debit" ? -amount : amount,
    reason,
  };
  const actor = actorOf(viewer);
  const act = await adjustBalance(context.db, actor, requireTextId(params.id), move, once);
  if (!act.ok && act.reason === "not_found") throw new Response(null, { status: 404 });
  if (!act.ok) {
    const answer = { intent: INTENT, error: ADJUSTMENT_TEXTS[act.reason], values: textsOf(form), fields: undefined };
    return data(answer, { status: 409 });
  }
  const said = `Done. The balance is ${formatMoney(act.balance)} now.`;
  return redirect(new URL(request.url).pathname, { headers: { "Set-Cookie": flashCookie(said) } });
}

export default function CustomerPage() {
  const { money } = useFormats();
  const { person, ledger, payments, history, once } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>() ?? null;
  const typed = answer?.values;
  return (
    <>
      <BackLink to="/admin/customers">Customers</BackLink>
      <h1 className="text-2xl break-all">{person.email}</h1>
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-2">
        <Card title="Details" titleId="details">
          <Details>
            <Detail name="Name">{person.fullName || "—"}</Detail>
            <Detail name="Balance">
              <b className="font-medium">{money(person.balance)}</b>
            </Detail>
            {person.owed > 0 && (
              <Detail name="Owes">
                <b className="font-medium text-bad">{money(person.owed)}</b>
                <span className="block text-muted">For card payments that went back. Nothing can be ordered.</span>
              </Detail>
            )}
            <Detail name="Role">{person.role}</Detail>
            <Detail name="Since">
              <RelativeDate at={person.createdAt} />
            </Detail>
            <Detail name="Id">
              <code className="font-mono text-xs break-all">{person.userId}</code>
            </Detail>
          </Details>
          <ButtonLink
            to={`/admin/orders?${new URLSearchParams({ q: person.email })}`}
            variant="secondary"
            className="mt-4"
          >
            Orders of this customer
          </ButtonLink>
        </Card>
        <Card title="Credit or debit" titleId="move">
          <StaffForm key={once} intent={INTENT} answer={answer} button="Move the balance" hidden={{ once }}>
            <div className="grid gap-4 sm:grid-cols-2">
              <Field id="move-direction" label="What">
                {(control) => (
                  <Select {...control} name="direction" defaultValue={typed?.direction ?? "topup"}>
                    <option value="topup">Top-up: money came in</option>
                    <option value="credit">Credit: correction, goodwill</option>
                    <option value="debit">Debit: take off the balance</option>
                  </Select>
                )}
              </Field>
              <StaffField
                answer={answer}
                intent={INTENT}
                name="amount"
                label={`Amount in ${CURRENCY}`}
                inputMode="decimal"
              />
            </div>
            <ReasonField
              answer={answer}
              intent={INTENT}
              help="The customer reads it in the transactions; it is in the audit log too."
            />
          </StaffForm>
        </Card>
      </div>
      <div className="mt-6 flex flex-col gap-6">
        <Card title="Transactions" titleId="ledger" flush>
          {ledger.rows.length === 0 ? (
            <EmptyState icon={Receipt} title="Nothing has moved this balance yet" />
          ) : (
            <Table
              label="Transactions"
              head={
                <>
                  <Th>When</Th>
                  <Th>What</Th>
                  <Th>Note</Th>
                  <Th numeric>Amount</Th>
                  <Th numeric>Balance</Th>
                </>
              }
            >
              {ledger.rows.map((entry) => (
                <tr key={entry.id}>
                  <Td className="text-muted">
                    <RelativeDate at={entry.createdAt} />
                  </Td>
                  <Td className="whitespace-nowrap">{KIND_NAMES[entry.kind]}</Td>
                  <Td>
                    {entry.orderId !== null && (
                      <Link to={`/admin/orders/${entry.orderId}`} className="mr-2 underline underline-offset-4">
                        Order {entry.orderId}
                      </Link>
                    )}
                    {entry.note}
                  </Td>
                  <Td numeric>
                    <Money text={money(entry.amount)} direction={entry.amount > 0 ? "in" : "out"} />
                  </Td>
                  <Td numeric className="text-muted">
                    {money(entry.balanceAfter)}
                  </Td>
                </tr>
              ))}
            </Table>
          )}
          <MoreLink name="before" next={ledger.next} />
        </Card>
        {payments.length > 0 && (
          <Card title="Card payments" titleId="payments" flush>
            <Table
              label="Card payments"
              head={
                <>
                  <Th>Begun</Th>
                  <Th>State</Th>
                  <Th numeric>Asked</Th>
                  <Th numeric>Paid</Th>
                  <Th>Stripe’s id</Th>
                </>
              }
            >
              {payments.map((payment) => (
                <tr key={payment.id}>
                  <Td>
                    <Link
                      to={`/admin/payments/${payment.id}`}
                      className="inline-flex h-11 items-center underline underline-offset-4 sm:h-10"
                    >
                      <RelativeDate at={payment.createdAt} />
                    </Link>
                  </Td>
                  <Td>
                    <PaymentState payment={payment} />
                  </Td>
                  <Td numeric>{money(payment.amount)}</Td>
                  <Td numeric>{payment.paid === null ? "—" : money(payment.paid)}</Td>
                  <Td className="font-mono text-xs">{payment.sessionId ?? "—"}</Td>
                </tr>
              ))}
            </Table>
          </Card>
        )}
        <Card title="What staff did" titleId="history" flush>
          <AuditList entries={history} />
        </Card>
      </div>
    </>
  );
}
