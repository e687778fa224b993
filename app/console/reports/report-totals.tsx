import { useFormats } from "#app/components/formats/formats-provider.tsx";
import type { Report } from "#app/orders/reports/read-report.server.ts";
import { refundedPart } from "#app/orders/reports/refunded-part.ts";
import { differenceText, pointsText } from "#app/orders/reports/report-comparison.ts";
import { partText } from "./report-columns.tsx";

/** What the whole period adds up to, each figure with its difference in words. */
export function ReportTotals({ total: { now, before } }: { total: Report["total"] }) {
  const { money, number } = useFormats();
  const share = (now: number | null, before: number | null) => pointsText(now, before) ?? "nothing to compare with";
  return (
    <dl className="mt-6 grid grid-cols-2 gap-px overflow-clip rounded-md border border-line bg-line sm:grid-cols-3 lg:grid-cols-6">
      <Total name="Revenue" value={money(now.revenue)} than={differenceText(now.revenue, before.revenue, money)} />
      <Total name="Orders" value={number(now.orders)} than={differenceText(now.orders, before.orders, number)} />
      <Total name="Cost" value={money(now.cost)} than={differenceText(now.cost, before.cost, money)} />
      <Total name="Earned" value={money(now.earned)} than={differenceText(now.earned, before.earned, money)} />
      <Total name="Margin" value={partText(now.margin)} than={share(now.margin, before.margin)} />
      <Total
        name="Refunded"
        value={partText(refundedPart(now))}
        than={share(refundedPart(now), refundedPart(before))}
      />
    </dl>
  );
}

function Total({ name, value, than }: { name: string; value: string; than: string }) {
  return (
    <div className="bg-raised p-4">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="tabular mt-1 text-xl">{value}</dd>
      <dd className="mt-1 text-xs text-muted">{than}</dd>
    </div>
  );
}
