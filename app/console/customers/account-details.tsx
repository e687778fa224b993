import { Link } from "@remix-run/react";
import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import type { listStaffOrders } from "#app/console/orders/list/staff-order-list.server.ts";
import { OrderState } from "#app/console/orders/order-state.tsx";

type Order = Pick<
  Awaited<ReturnType<typeof listStaffOrders>>[number],
  "id" | "service" | "status" | "fulfillment" | "charge" | "createdAt"
>;

/** The account, balance and latest orders of a signed-in visitor, shown beside the conversation. */
export function AccountDetails({
  account,
  orders,
}: {
  account: { userId: string; email: string; fullName: string; createdAt: number; balance: number };
  orders: Order[];
}) {
  return (
    <>
      <section aria-labelledby="account" className="flex flex-col gap-1.5">
        <h2 id="account" className="text-sm">
          Account
        </h2>
        <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1">
          <dt className="text-muted">Name</dt>
          <dd className="break-words">{account.fullName || "—"}</dd>
          <dt className="text-muted">Email</dt>
          <dd className="break-all">
            <Link to={`/admin/customers/${account.userId}`} className="underline underline-offset-4">
              {account.email}
            </Link>
          </dd>
          <dt className="text-muted">Joined</dt>
          <dd>
            <RelativeDate at={account.createdAt} />
          </dd>
          <dt className="text-muted">Balance</dt>
          <dd className="tabular font-medium">
            <Money micro={account.balance} />
          </dd>
        </dl>
      </section>
      <section aria-labelledby="last-orders" className="flex flex-col gap-1.5">
        <h2 id="last-orders" className="text-sm">
          Latest orders
        </h2>
        {orders.length === 0 ? (
          <p className="text-muted">No orders yet.</p>
        ) : (
          <ul className="divide-y divide-line">
            {orders.map((order) => (
              <li key={order.id} className="flex flex-col gap-1 py-2">
                <span className="flex items-center justify-between gap-2">
                  <Link to={`/admin/orders/${order.id}`} className="underline underline-offset-4">
                    Order {order.id}
                  </Link>
                  <OrderState status={order.status} fulfillment={order.fulfillment} />
                </span>
                <span className="flex justify-between gap-2 text-xs text-muted">
                  <span className="truncate" title={order.service}>
                    {order.service}
                  </span>
                  <span className="tabular shrink-0">
                    <Money micro={order.charge} />
                  </span>
                </span>
              </li>
            ))}
          </ul>
        )}
        <Link
          to={`/admin/orders?${new URLSearchParams({ q: account.email })}`}
          className="inline-flex h-11 items-center self-start underline underline-offset-4 sm:h-6"
        >
          All orders
        </Link>
      </section>
    </>
  );
}
