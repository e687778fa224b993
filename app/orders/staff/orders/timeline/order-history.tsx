import { Money } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { ActivityCard } from "#app/orders/staff/audit/activity-card.tsx";
import { ProviderLog } from "#app/orders/staff/services/provider-log.tsx";
import { KIND_NAMES } from "#app/orders/wallet/ledger-table.tsx";
import type { StaffOrder } from "./staff-order.server.ts";

/** An order's refills, ledger entries, staff actions and, for admins, responses of the provider, which name prices. */
export function OrderHistory({
  shown: { refills, entries, log, history },
  isAdmin,
}: {
  shown: Pick<StaffOrder, "refills" | "entries" | "log" | "history">;
  isAdmin: boolean;
}) {
  return (
    <div className="mt-6 flex flex-col gap-6">
      {refills.length > 0 && (
        <Card title="Refills" titleId="refills">
          <ul className="flex flex-col gap-2 text-sm">
            {refills.map((refill) => (
              <li key={refill.id} className="flex flex-wrap items-center gap-3">
                <span className="font-mono">{refill.id}</span>
                <Badge>{refill.status}</Badge>
                <span className="text-muted">
                  requested <RelativeDate at={refill.createdAt} />
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Card title="Transactions" titleId="money">
        <ul className="flex flex-col gap-2 text-sm">
          {entries.map((entry) => (
            <li key={entry.id} className="flex flex-wrap gap-x-3">
              <span>{KIND_NAMES[entry.kind]}</span>
              <Money micro={entry.amount} />
              <span className="text-muted">
                <RelativeDate at={entry.createdAt} /> {entry.note}
              </span>
            </li>
          ))}
        </ul>
      </Card>
      {isAdmin && (
        <Card title="Provider responses" titleId="provider-log" flush>
          <ProviderLog calls={log} />
        </Card>
      )}
      <ActivityCard entries={history} opens={isAdmin} />
    </div>
  );
}
