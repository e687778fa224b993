import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { withParams } from "#app/http/requests/query-params.ts";
import type { PlannedMass } from "./planned-mass.ts";

/** The mass order that a customer tops up for, and the way back to its lines. */
export function PlannedMassCard({
  mass: { draft, uploadId, lines, charge },
  missing,
}: {
  mass: PlannedMass;
  /** Micro-units, 0 once the balance covers the lines. */
  missing: number;
}) {
  const { number } = useFormats();
  return (
    <Card title="Finish your mass order" titleId="planned">
      <div className="flex flex-col gap-3 text-sm">
        <p className="tabular text-base font-medium">
          {number(lines)} {lines === 1 ? "line" : "lines"} · <Money micro={charge} />
        </p>
        {missing > 0 && (
          <p className="text-warn">
            You need <Money micro={missing} /> more. Add it below; your lines wait.
          </p>
        )}
        <ButtonLink
          to={withParams("/dashboard/orders/mass", { draft, upload: uploadId })}
          variant={missing > 0 ? "secondary" : "primary"}
          size="large"
          className="self-start"
        >
          Back to your {lines === 1 ? "line" : `${number(lines)} lines`}
        </ButtonLink>
      </div>
    </Card>
  );
}
