import { Money } from "#app/components/formats/money-amount.tsx";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Button } from "#app/components/ui/button.tsx";
import type { QuotedPrice } from "../quotes/quoted-price.ts";
import type { usePercentCode } from "./use-percent-code.ts";

/** Where a customer enters a percent code. It counts when the order is placed; checking it shows the charge before. */
export function CodeField({
  code: { typed, type, checked, error, isBusy, check },
  fault,
}: {
  code: ReturnType<typeof usePercentCode>;
  fault: QuotedPrice["codeFault"];
}) {
  return (
    <details open={typed !== "" || undefined} className="-my-1 text-sm">
      <summary className="flex min-h-11 items-center text-muted lg:min-h-8">Have a code?</summary>
      <div className="flex items-end gap-2 pt-1">
        <Field id="order-code" label="Code" className="flex-1">
          {(control) => (
            <Input
              {...control}
              name="code"
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={60}
              value={typed}
              onChange={(event) => type(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== "Enter") return;
                // Enter would place the order before its charge with the code was shown.
                event.preventDefault();
                void check();
              }}
            />
          )}
        </Field>
        <Button variant="secondary" busy={isBusy} onClick={check} className="noscript:hidden">
          Apply
        </Button>
      </div>
      {error && (
        <p role="alert" className="pt-2 text-bad">
          {error}
        </p>
      )}
      {checked && fault !== null && (
        <p role="status" className="pt-2 text-warn">
          {fault === "network" && `This code is for ${checked.network} only.`}
          {fault === "too_small" && (
            <>
              This code is for orders from <Money micro={checked.minCharge} />.
            </>
          )}
          {fault === "tier_wins" && "Your own price is as low as with this code, so the code is kept."}
        </p>
      )}
    </details>
  );
}
