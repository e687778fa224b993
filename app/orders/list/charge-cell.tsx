import { Money } from "#app/components/formats/money-amount.tsx";
import { Td } from "#app/components/ui/table.tsx";

/** A table cell with an order's charge, and what was refunded of it. Amounts in micro-units. */
export function ChargeCell({ charge, refunded }: { charge: number; refunded: number }) {
  return (
    <Td numeric>
      <Money micro={charge} />
      {refunded > 0 && (
        <span className="block text-xs text-muted">
          <Money micro={refunded} /> refunded
        </span>
      )}
    </Td>
  );
}
