import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { Money } from "#app/components/formats/money-amount.tsx";
import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { readPayment } from "#app/console/customers/payment-admin.server.ts";
import { submitPaymentForm } from "#app/console/customers/payment-admin-form.server.ts";
import { PaymentDetails } from "#app/console/customers/payment-details.tsx";
import { PaymentForms } from "#app/console/customers/payment-forms.tsx";
import { PaymentReversals } from "#app/console/customers/payment-reversals.tsx";
import { staffForm } from "#app/console/staff-action.server.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Payment · ${PRODUCT_NAME}` }];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const found = await readPayment(context.db, requireTextId(params.id));
  if (!found) throw new Response(null, { status: 404 });
  return { ...found, once: crypto.randomUUID() };
}

export const action = staffForm({}, ({ context, actor, params, form }) =>
  submitPaymentForm(context.db, actor, requireTextId(params.id), form),
);

/** Reloads the payment after a conflict, so that the page shows its current state. */
export const shouldRevalidate = reloadAfterConflict;

export default function PaymentPage() {
  const { payment, email, reversals, once } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  const inReview = payment.status === "review";
  return (
    <>
      <BackLink to="/admin/payments">Payments</BackLink>
      <h1 className="text-2xl">
        Card payment of <Money micro={payment.amount} />
      </h1>
      {!inReview && result?.message && (
        <div className="mt-4 max-w-xl">
          <Notice tone="bad">{result.message}</Notice>
        </div>
      )}
      <div className="mt-6 grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-2">
        <Card title="Details" titleId="details">
          <PaymentDetails payment={payment} email={email} />
        </Card>
        {inReview && <PaymentForms payment={payment} once={once} result={result} />}
      </div>
      {reversals.length > 0 && (
        <div className="mt-6">
          <Card title="Refunds and disputes" titleId="reversals" flush>
            <PaymentReversals payment={payment} reversals={reversals} />
          </Card>
        </div>
      )}
    </>
  );
}
