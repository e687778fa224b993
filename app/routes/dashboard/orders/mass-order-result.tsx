import { data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { useEffect } from "react";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Pager } from "#app/components/navigation/pager.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { parseId, requireId } from "#app/http/requests/id-param.ts";
import { withParams } from "#app/http/requests/query-params.ts";
import { readOrderRows } from "#app/orders/list/order-rows.server.ts";
import { OrderTable } from "#app/orders/list/order-table.tsx";
import { forgetMassDraft } from "#app/orders/mass/mass-draft.ts";
import { listMassLines, readMassOrder, shownMassOrder } from "#app/orders/mass/read-mass-order.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const ORDERS_PER_PAGE = 50;

export const meta: MetaFunction = ({ params }) => [{ title: `Mass order ${params.id} · ${PRODUCT_NAME}` }];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const { searchParams } = new URL(request.url);
  const id = requireId(params.id);
  const massOrder = await readMassOrder(context.db, userId, id);
  if (!massOrder) throw data(null, 404);
  const after = parseId(searchParams.get("after")) ?? 0;
  const lines = await listMassLines(context.db, massOrder, after, ORDERS_PER_PAGE + 1);
  const shown = lines.slice(0, ORDERS_PER_PAGE);
  const rows = await readOrderRows(
    context.db,
    userId,
    shown.map((line) => line.id),
  );
  return {
    ...shownMassOrder(massOrder),
    again: searchParams.has("again"),
    after,
    next: lines.length > ORDERS_PER_PAGE ? (shown.at(-1)?.line ?? null) : null,
    // Sorted like the lines.
    orders: rows.sort((one, other) => one.id - other.id),
  };
}

export default function MassOrderResult() {
  const { number } = useFormats();
  const { id, idempotencyKey, placed, skipped, charge, source, again, after, next, orders } =
    useLoaderData<typeof loader>();
  useEffect(() => forgetMassDraft(idempotencyKey), [idempotencyKey]);
  const path = `/dashboard/orders/mass/${id}`;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-2xl">Mass order {id}</h1>
        <ButtonLink to="/dashboard/orders/mass" variant="secondary">
          New mass order
        </ButtonLink>
      </div>
      <div className="mt-4 max-w-3xl">
        <Notice tone="good">
          {again && "These lines were already placed. You weren't charged again. "}
          {number(placed)} {placed === 1 ? "order" : "orders"} placed for <Money micro={charge} />
          {source && ` from ${source}`}
          {skipped > 0 && `, ${number(skipped)} ${skipped === 1 ? "line" : "lines"} skipped`}.
        </Notice>
      </div>
      <section aria-label="Orders" className="mt-6 min-w-0 overflow-clip rounded-md border border-line bg-raised">
        <OrderTable orders={orders} label="Orders of this mass order" />
        <Pager
          newest={after === 0 ? null : path}
          older={next === null ? null : withParams(path, { after: next })}
          labels={["First lines", "Next lines"]}
        />
      </section>
    </>
  );
}
