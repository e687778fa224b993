import { Money } from "#app/components/formats/money-amount.tsx";
import { Td } from "#app/components/ui/table.tsx";

type Charge = { charge: number; refunded: number };

/** A table cell with an order's charge, and what was refunded of it. Amounts in micro-units. */
export function ChargeCell(order: Charge) {
  return (
    <Td numeric>
      <ChargeAmount {...order} />
    </Td>
  );
}

export function ChargeAmount({ charge, refunded }: Charge) {
  return (
    <>
      <Money micro={charge} />
      {refunded > 0 && (
        <span className="block text-xs text-muted">
          <Money micro={refunded} /> refunded
        </span>
      )}
    </>
  );
}
