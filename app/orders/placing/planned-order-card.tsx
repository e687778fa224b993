import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { AgreedLink } from "./agreed-link.tsx";
import type { PlannedOrder } from "./planned-order.server.ts";
import { PlannedOrderLine } from "./planned-order-line.tsx";

/** The order that a customer tops up for, with what it still needs, or the button that places it. */
export function PlannedOrderCard({
  order,
  missing,
  hidden,
  result,
}: {
  order: PlannedOrder;
  /** Micro-units, 0 once the balance covers the order. */
  missing: number;
  /** The fields that place it. */
  hidden: Record<string, string>;
  result: FormResult | null;
}) {
  const { money } = useFormats();
  const refused = result?.intent === "order" && !result.ok ? result : null;
  const formPath = `/dashboard?${order.query}#new-order`;
  return (
    <Card
      title="Finish your order"
      titleId="planned"
      aside={
        <Link
          to={formPath}
          className="inline-flex h-11 items-center text-sm text-muted underline underline-offset-4 hover:text-text"
        >
          Change order
        </Link>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        <p>
          <b className="tabular text-base font-medium">
            <PlannedOrderLine order={order} />
          </b>
          {order.link !== "" && <span className="mt-0.5 block break-all text-muted">{order.link}</span>}
        </p>
        {order.codeRefusal !== null && <p className="text-warn">{order.codeRefusal}</p>}
        {order.charge === null ? (
          <>
            {refused && <Notice tone="bad">{refused.message}</Notice>}
            <p>Your order waits in its form. Add funds below, then continue it there.</p>
            <ButtonLink to={formPath} size="large" className="self-start">
              Continue order
            </ButtonLink>
          </>
        ) : missing > 0 ? (
          <>
            {refused && <Notice tone="bad">{refused.message}</Notice>}
            <p className="text-warn">
              You need <Money micro={missing} /> more. Add it below; your order waits here.
            </p>
          </>
        ) : (
          <ActionForm intent="order" result={refused} hidden={hidden}>
            {refused?.values?.agreedLink && <AgreedLink value={refused.values.agreedLink} />}
            <SubmitButton size="large" className="self-start">
              {`Place order · ${money(order.charge)}`}
            </SubmitButton>
          </ActionForm>
        )}
      </div>
    </Card>
  );
}
