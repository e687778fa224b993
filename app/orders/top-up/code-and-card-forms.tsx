import { Form, useNavigation } from "@remix-run/react";
import { useEffect, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { CONTROL, Field, Input } from "#app/components/forms/field.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import type { CheckoutStatus } from "#app/db/schema.server.ts";
import { decimal, MICRO, parseDecimal } from "#app/orders/rules/money.ts";
import { CURRENCY } from "#app/product.ts";
import type { TopUpResult } from "./top-up-form.server.ts";

const SUGGESTED = [10, 25, 50, 100, 250].map((units) => units * MICRO);
const FIRST = 25 * MICRO;

export function CodeForm({ answer }: { answer: TopUpResult | null }) {
  const mine = answer?.intent === "code" ? answer : null;
  const busy = useBusy("code");
  return (
    <Form method="post" key={mine?.ok ? mine.said : "code"} className="flex flex-col gap-4">
      <input type="hidden" name="intent" value="code" />
      {mine?.ok && <Notice tone="good">{mine.said}</Notice>}
      <Field
        id="top-up-code"
        label="Code"
        help="Capital or small letters, with or without the hyphens."
        error={mine && !mine.ok ? mine.error : undefined}
      >
        {(control) => (
          <Input
            {...control}
            name="code"
            maxLength={60}
            defaultValue={mine && !mine.ok ? mine.typed : ""}
            placeholder="GL-XXXX-XXXX-XXXX-XXXX"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            className="font-mono"
          />
        )}
      </Field>
      <div>
        <Button type="submit" busy={busy}>
          Redeem
        </Button>
      </div>
    </Form>
  );
}

export function CardForm({ limits, answer }: { limits: { min: number; max: number }; answer: TopUpResult | null }) {
  const { money, roundMoney } = useFormats();
  const mine = answer?.intent === "card" ? answer : null;
  const [amount, setAmount] = useState(mine && !mine.ok ? mine.typed : decimal(FIRST));
  const busy = useBusy("card");
  const url = mine?.ok ? mine.url : null;
  useEffect(() => {
    if (url) window.location.assign(url);
  }, [url]);
  const parsed = parseDecimal(amount);
  return (
    <Form method="post" className="flex flex-col gap-4">
      <input type="hidden" name="intent" value="card" />
      <div className="flex flex-wrap gap-2 noscript:hidden">
        {SUGGESTED.map((suggested) => (
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
        help={`From ${money(limits.min)} to ${money(limits.max)}. You pay at Stripe; no card number reaches us.`}
        error={mine && !mine.ok ? mine.error : undefined}
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
        // Without scripts a form may not lead to another site, but a link may.
        <p role="status" className="text-sm">
          Opening the payment page.{" "}
          <a href={url} className="inline-flex h-11 items-center underline underline-offset-4 sm:h-6">
            Go there now
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

export function CheckoutNotice({
  checkout,
  canceled,
}: {
  checkout: { status: CheckoutStatus; amount: number };
  canceled: boolean;
}) {
  const { money } = useFormats();
  const amount = money(checkout.amount);
  if (canceled && checkout.status === "open")
    return <Notice tone="good">The payment was canceled. Nothing was charged.</Notice>;
  switch (checkout.status) {
    case "paid":
      return <Notice tone="good">{amount} is on your balance. Thank you.</Notice>;
    case "open":
      return <Notice tone="good">We wait for Stripe to confirm {amount}. This page follows by itself.</Notice>;
    case "pending":
      return <Notice tone="good">Your bank has yet to send {amount}. It is credited as soon as it arrives.</Notice>;
    case "review":
      return (
        <Notice tone="bad">
          The payment came in, but not as it was asked for. It is in review: our team looks at it and credits it by
          hand.
        </Notice>
      );
    case "refused":
      return (
        <Notice tone="bad">Our team could not credit this payment. Write to support in the chat to sort it out.</Notice>
      );
    case "failed":
    case "expired":
      return <Notice tone="bad">The payment did not go through, and nothing was credited. You can try again.</Notice>;
    default:
      return checkout.status satisfies never;
  }
}

function useBusy(intent: string): boolean {
  const { formData, state } = useNavigation();
  return state !== "idle" && formData?.get("intent") === intent;
}
