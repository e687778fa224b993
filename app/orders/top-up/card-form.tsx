import { Form } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { CONTROL, Field } from "#app/components/forms/field.tsx";
import { useIsSubmitting } from "#app/components/forms/use-is-submitting.ts";
import { useFieldsAtHydration } from "#app/components/hydration/use-fields-at-hydration.ts";
import { Button } from "#app/components/ui/button.tsx";
import { decimal, MICRO, parseDecimal } from "#app/orders/rules/money.ts";
import { CURRENCY } from "#app/product.ts";
import type { TopUpResult } from "./top-up-form.server.ts";

const SUGGESTED_AMOUNTS = [10, 25, 50, 100, 250].map((units) => units * MICRO);
const DEFAULT_AMOUNT = 25 * MICRO;

export function CardForm({ limits, result }: { limits: { min: number; max: number }; result: TopUpResult | null }) {
  const { money, roundMoney } = useFormats();
  const own = result?.intent === "card" ? result : null;
  const [amount, setAmount] = useState(own && !own.ok ? own.typed : decimal(DEFAULT_AMOUNT));
  const form = useRef<HTMLFormElement>(null);
  useFieldsAtHydration(form, (fields) => setAmount(String(fields.get("amount") ?? amount)));
  const busy = useIsSubmitting("card");
  const url = own?.ok ? own.url : null;
  useEffect(() => {
    if (url) window.location.assign(url);
  }, [url]);
  const parsed = parseDecimal(amount);
  return (
    <Form ref={form} method="post" className="flex flex-col gap-4">
      <input type="hidden" name="intent" value="card" />
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
      <Field
        id="top-up-amount"
        label={`Amount in ${CURRENCY}`}
        help={`From ${money(limits.min)} to ${money(limits.max)}. Secure checkout by Stripe.`}
        error={own && !own.ok ? own.error : undefined}
      >
        {(control) => (
          <input
            {...control}
            name="amount"
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
            inputMode="decimal"
            autoComplete="off"
            className={`${CONTROL} h-11 sm:h-10`}
          />
        )}
      </Field>
      {url ? (
        // The content security policy keeps forms on this site, so without scripts a link leads to Stripe.
        <p role="status" className="text-sm">
          Opening the checkout page.{" "}
          <a href={url} className="inline-flex h-11 items-center underline underline-offset-4 sm:h-6">
            Continue to checkout
          </a>
        </p>
      ) : (
        <div>
          <Button type="submit" busy={busy}>
            {parsed ? `Pay ${money(parsed)} by card` : "Pay by card"}
          </Button>
        </div>
      )}
    </Form>
  );
}
