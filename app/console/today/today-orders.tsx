import { Link } from "@remix-run/react";
import ListChecks from "lucide-react/icons/list-checks";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { shortDurationText } from "#app/orders/delivery/delivery-time.ts";
import type { TodayFigures } from "./today-figures.server.ts";

const COUNT_LINK = "inline-flex min-h-11 items-center underline underline-offset-4 sm:min-h-8";

/** The open orders by status, with the late ones and those that nothing has changed for a day. */
export function TodayOrders({ open, countedAt }: Pick<TodayFigures, "open" | "countedAt">) {
  const { number } = useFormats();
  const { statuses, total, queued, atProviders } = open;
  return (
    <Card
      title="Open orders"
      titleId="open-orders"
      flush
      aside={
        countedAt !== null && (
          <span className="text-xs text-muted">
            Counted <RelativeDate at={countedAt} />
          </span>
        )
      }
    >
      {total.orders === 0 ? (
        <EmptyState icon={ListChecks} title="No order is open">
          Open orders are counted every ten minutes.
        </EmptyState>
      ) : (
        <>
          <Table
            label="Open orders"
            head={
              <>
                <Th>Status</Th>
                <Th numeric>Orders</Th>
                <Th numeric>Late</Th>
                <Th numeric>Stand still</Th>
                <Th className="max-sm:hidden">Oldest</Th>
              </>
            }
          >
            {statuses.map(({ status, orders, late, still, oldestAt }) => (
              <tr key={status}>
                <Td>
                  <Link to={`/admin/orders?${new URLSearchParams({ state: status })}`} className={COUNT_LINK}>
                    {status}
                  </Link>
                </Td>
                <Td numeric>{number(orders)}</Td>
                <Td numeric>{number(late)}</Td>
                <Td numeric>{number(still)}</Td>
                <Td className="max-sm:hidden">{oldestAt !== null && <RelativeDate at={oldestAt} />}</Td>
              </tr>
            ))}
            <tr className="font-medium">
              <Td>All</Td>
              <Td numeric>{number(total.orders)}</Td>
              <Td numeric>
                <CountLink count={total.late} to="/admin/orders?late=1" />
              </Td>
              <Td numeric>
                <CountLink count={total.still} to="/admin/orders?still=1" />
              </Td>
              <Td className="max-sm:hidden">{total.oldestAt !== null && <RelativeDate at={total.oldestAt} />}</Td>
            </tr>
          </Table>
          <p className="border-t border-line p-4 text-xs text-muted sm:px-5">
            {number(atProviders)} at providers, {number(queued)} to be sent. Late: past the time that nine of ten orders
            took when it was placed. Stands still: nothing has changed for a day.
          </p>
        </>
      )}
    </Card>
  );
}

/** Services whose open orders take longer than nine of ten did. */
export function LateServices({ late }: Pick<TodayFigures, "late">) {
  const { number } = useFormats();
  return (
    <Card title="Services slower than usual" titleId="late-services" flush>
      {late.length === 0 ? (
        <p className="p-4 text-sm text-muted sm:px-5">
          None. A service appears here once three of its open orders are late, and over a tenth of all open ones.
        </p>
      ) : (
        <Table
          label="Services slower than usual"
          head={
            <>
              <Th>Service</Th>
              <Th numeric>Late</Th>
              <Th numeric className="max-sm:hidden">
                Open
              </Th>
              <Th numeric>Usually done</Th>
            </>
          }
        >
          {late.map(({ serviceId, name, late: count, open, p50Ms, p90Ms }) => (
            <tr key={serviceId}>
              <Td className="max-sm:py-1.5">
                <Link
                  to={`/admin/services/${serviceId}`}
                  className="inline-flex min-h-11 items-center wrap-anywhere underline underline-offset-4 sm:min-h-8"
                >
                  {name}
                </Link>
              </Td>
              <Td numeric>
                <CountLink count={count} to={`/admin/orders?late=1&service=${serviceId}`} />
              </Td>
              <Td numeric className="max-sm:hidden">
                {number(Math.max(open, count))}
              </Td>
              <Td numeric>{usualTime(p50Ms, p90Ms)}</Td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}

function CountLink({ count, to }: { count: number; to: string }) {
  const { number } = useFormats();
  if (count === 0) return <>0</>;
  return (
    <Link to={to} className={COUNT_LINK}>
      {number(count)}
    </Link>
  );
}

/** The slow orders say nothing while most of the latest are open. */
function usualTime(p50Ms: number | null, p90Ms: number | null): string {
  if (p90Ms !== null) return `9 of 10 in ${shortDurationText(p90Ms)}`;
  return p50Ms === null ? "Not known" : `Half in ${shortDurationText(p50Ms)}`;
}
