import type { ReactNode } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { DeliveryFigures } from "#app/orders/reports/delivery-report.server.ts";
import type { SalesFigures } from "#app/orders/sales/sales-figures.ts";
import { differenceOf, marginDifferenceOf } from "./difference.ts";
import { endedEarly, partText, timeText } from "./report-columns.tsx";

type Figure = "orders" | "revenue" | "refunds" | "refunded" | "cost" | "earned" | "margin" | "half" | "cutShort";
type Figures = Omit<SalesFigures, "costed"> & { delivery?: DeliveryFigures };

/** A period and its figures, and those that they are compared with. */
type Row = { key: string | number; name: ReactNode; figures: Figures; before?: SalesFigures | null };

const HEADERS: Record<Figure, string> = {
  orders: "Orders",
  revenue: "Revenue",
  refunds: "Refunds",
  refunded: "Refunded",
  cost: "Cost",
  earned: "Earned",
  margin: "Margin",
  half: "Half done in",
  cutShort: "Cut short",
};

/** Sales of periods and their cost, for admins. `isCards`: on a phone, each period is a card. */
export function SalesTable({
  label,
  periods,
  columns,
  rows,
  isCards = false,
}: {
  label: string;
  /** The header of the periods. */
  periods: string;
  columns: { figure: Figure; header?: string; isForWide?: boolean }[];
  rows: Row[];
  isCards?: boolean;
}) {
  const { number } = useFormats();
  const shown = columns.map(({ figure, header = HEADERS[figure], isForWide }) => ({
    figure,
    header,
    className: isForWide ? "max-sm:hidden" : "",
  }));
  return (
    <div className={isCards ? "data-table" : ""}>
      <Table
        label={label}
        head={
          <>
            <Th>{periods}</Th>
            {shown.map(({ figure, header, className }) => (
              <Th key={figure} numeric className={className}>
                {header}
              </Th>
            ))}
          </>
        }
      >
        {rows.map(({ key, name, figures, before }) => (
          <tr key={key}>
            <Td className="whitespace-nowrap">{name}</Td>
            {shown.map(({ figure, header, className }) => (
              <Td
                key={figure}
                numeric
                data-label={header}
                className={`${isCards ? "" : "py-1.5"} ${isLoss(figure, figures) ? "font-medium text-bad" : ""} ${className}`}
              >
                <span className="tabular">{shownFigure(figure, figures, number)}</span>
                {before && <Difference text={differenceText(figure, figures, before)} />}
              </Td>
            ))}
          </tr>
        ))}
      </Table>
    </div>
  );
}

function shownFigure(figure: Figure, figures: Figures, number: (value: number) => string): ReactNode {
  switch (figure) {
    case "orders":
    case "refunds":
      return number(figures[figure]);
    case "margin":
      return partText(figures.margin);
    case "half":
      return timeText(figures.delivery?.p50Ms ?? null);
    case "cutShort":
      return partText(endedEarly(figures.delivery ?? null));
    default:
      return <Money micro={figures[figure]} />;
  }
}

function differenceText(figure: Figure, figures: Figures, before: SalesFigures): string | null {
  if (figure === "half" || figure === "cutShort") return null;
  if (figure === "margin") return marginDifferenceOf(figures.margin, before.margin);
  return differenceOf(figures[figure], before[figure]);
}

function isLoss(figure: Figure, figures: Figures): boolean {
  return (figure === "earned" || figure === "margin") && (figures[figure] ?? 0) < 0;
}

function Difference({ text }: { text: string | null }) {
  return text && <span className="block text-xs font-normal text-muted max-sm:whitespace-normal">{text}</span>;
}
