import { Rate } from "#app/components/formats/money-amount.tsx";
import { marginOf, shareText } from "#app/orders/rules/margin.ts";

/** A rate before and after a change, or one of them if that is all there is. Micro-units. */
export function RateChange({ before, after }: { before: number | null; after: number | null }) {
  if (before === null && after === null) return "—";
  if (before === null || after === null || before === after) return <Rate micro={before ?? after ?? 0} />;
  return (
    <>
      <span className="text-muted">
        <Rate micro={before} />
      </span>
      <span className="sr-only"> becomes </span>
      <span aria-hidden> → </span>
      <Rate micro={after} />
    </>
  );
}

/** Shows what is left of a price, in red if nothing is. */
export function Margin({ price, cost }: { price: number | null; cost: number | null }) {
  const margin = price === null || cost === null ? null : marginOf(price, cost);
  if (margin === null) return <span className="text-muted">—</span>;
  const shown = shareText(margin);
  return margin < 0 ? (
    <span className="tabular font-medium text-bad">{shown}</span>
  ) : (
    <span className="tabular">{shown}</span>
  );
}

export function MarginChange({
  before,
  after,
}: {
  before: { price: number | null; cost: number | null };
  after: { price: number | null; cost: number | null };
}) {
  const isSame = before.price === after.price && before.cost === after.cost;
  if (isSame || before.price === null || before.cost === null) return <Margin {...after} />;
  return (
    <span className="whitespace-nowrap">
      <span className="text-muted">
        <Margin {...before} />
      </span>
      <span className="sr-only"> becomes </span>
      <span aria-hidden> → </span>
      <Margin {...after} />
    </span>
  );
}
