import { useEffect, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { decimal, parseDecimal } from "#app/orders/rules/money-text.ts";
import { CURRENCY, MICRO } from "#app/product.ts";
import type { TopUpResult } from "./top-up-form.server.ts";

const SUGGESTED_AMOUNTS = [10, 25, 50, 100, 250].map((units) => units * MICRO);
const DEFAULT_AMOUNT = 25 * MICRO;

/** `missing` is what an order needs more than the balance, in micro-units, or 0. */
export function CardForm({
  limits,
  missing,
  result,
  variant,
}: {
  limits: { min: number; max: number };
  missing: number;
  result: TopUpResult | null;
  variant: "primary" | "secondary";
}) {
  const { money, roundMoney } = useFormats();
  const [amount, setAmount] = useState(result?.values?.amount ?? decimal(startAmount(missing, limits)));
  const url = result?.url;
  useEffect(() => {
    if (url) window.location.assign(url);
  }, [url]);
  const parsed = parseDecimal(amount);
  return (
    <ActionForm
      intent="card"
      result={result}
      readFields={(fields) => setAmount(String(fields.get("amount") ?? amount))}
    >
      <div className="flex flex-wrap gap-2 noscript:hidden">
        {SUGGESTED_AMOUNTS.map((suggested) => (
          <Button
            key={suggested}
            variant="secondary"
            aria-pressed={parsed === suggested}
            className="aria-pressed:border-accent"
            onClick={() => setAmount(decimal(suggested))}
          >
            {roundMoney(suggested)}
          </Button>
        ))}
      </div>
      <FormField
        name="amount"
        label={`Amount in ${CURRENCY}`}
        help={`From ${money(limits.min)} to ${money(limits.max)}. Secure checkout by Stripe.`}
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
        inputMode="decimal"
      />
      {url ? (
        // The content security policy keeps forms on this site, so without scripts a link leads to Stripe.
        <p role="status" className="text-sm">
          Opening the checkout page.{" "}
          <a href={url} className="inline-flex h-11 items-center underline underline-offset-4 sm:h-6">
            Continue to checkout
          </a>
        </p>
      ) : (
        <SubmitButton variant={variant} className="self-start">
          {parsed ? `Pay ${money(parsed)} by card` : "Pay by card"}
        </SubmitButton>
      )}
    </ActionForm>
  );
}

/** Returns the amount that the form starts with: what an order is short of, in whole units and within the limits. */
function startAmount(missing: number, { min, max }: { min: number; max: number }): number {
  if (missing <= 0) return DEFAULT_AMOUNT;
  return Math.min(max, Math.max(min, Math.ceil(missing / MICRO) * MICRO));
}
