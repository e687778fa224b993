import { Form, useNavigate } from "@remix-run/react";
import Check from "lucide-react/icons/check";
import { type FormEvent, useRef } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { useFieldsAtHydration } from "#app/components/hydration/use-fields-at-hydration.ts";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Button } from "#app/components/ui/button.tsx";
import type { Offer } from "#app/orders/catalog/offers.server.ts";
import { limitsText, ServiceOptions, startQuantity } from "#app/orders/catalog/service-options.tsx";
import { quote } from "./quote.ts";
import { Receipt, withCharge } from "./receipt.tsx";

export type Choice = { offer: Offer; quantity: string };

/** The landing page's calculator: network, service, quantity and the exact charge. */
export function Calculator({
  offers,
  choice,
  onChoose,
  signedIn,
}: {
  offers: Offer[];
  choice: Choice;
  onChoose: (choice: Choice) => void;
  signedIn: boolean;
}) {
  const formats = useFormats();
  const navigate = useNavigate();
  const { offer, quantity } = choice;
  const isHydrated = useIsHydrated();
  const form = useRef<HTMLFormElement>(null);
  const networks = [...new Set(offers.map(({ network }) => network))];
  const quoted = quote(offer, { quantity, list: "", runs: "" });
  // The order form counts the lines of a list. Here the quantity alone gives the charge.
  const shown = offer.countedBy ? quote({ ...offer, countedBy: null }, { quantity, list: "", runs: "" }) : quoted;
  const outOfLimits = shown.charge === null && shown.why !== "none";

  useFieldsAtHydration(form, (fields) => {
    const early = offers.find(({ id }) => id === Number(fields.get("service"))) ?? offer;
    onChoose({ offer: early, quantity: String(fields.get("quantity") ?? quantity) });
  });

  function chooseOffer(next: Offer | undefined) {
    if (!next) return;
    const fits = Number(quantity) >= next.min && Number(quantity) <= next.max;
    onChoose({ offer: next, quantity: fits ? quantity : startQuantity(next) });
  }

  function order(event: FormEvent) {
    event.preventDefault();
    const orderForm = `/dashboard?${new URLSearchParams({ service: String(offer.id), quantity })}`;
    navigate(signedIn ? orderForm : `/auth/signup?${new URLSearchParams({ redirectTo: orderForm })}`);
  }

  return (
    <Form
      ref={form}
      action="/dashboard"
      onSubmit={order}
      aria-label="Price calculator"
      className="grid overflow-clip rounded-md border border-line bg-raised lg:grid-cols-[1fr_380px]"
    >
      <div className="flex min-w-0 flex-col gap-6 p-5 sm:p-6">
        <fieldset disabled={!isHydrated} className="min-w-0 disabled:opacity-50 noscript:hidden">
          <legend className="mb-1.5 text-sm font-medium">Network</legend>
          <div className="flex flex-wrap gap-2">
            {networks.map((network) => (
              <label
                key={network}
                className="flex h-11 cursor-pointer items-center gap-1.5 rounded-md border border-line px-3 text-sm text-muted transition-colors select-none hover:border-line-strong hover:text-text has-checked:border-accent has-checked:text-text has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent sm:h-9"
              >
                <input
                  type="radio"
                  name="network"
                  value={network}
                  checked={network === offer.network}
                  onChange={() => chooseOffer(offers.find((other) => other.network === network))}
                  className="peer sr-only"
                />
                <Check aria-hidden className="hidden size-3.5 text-accent peer-checked:block" strokeWidth={2.5} />
                {network}
              </label>
            ))}
          </div>
        </fieldset>
        <Field id="calculator-service" label="Service" help={offer.description || undefined}>
          {(control) => (
            <Select
              {...control}
              name="service"
              value={offer.id}
              onChange={(event) => chooseOffer(offers.find(({ id }) => id === Number(event.target.value)))}
            >
              <ServiceOptions offers={offers.filter(({ network }) => network === offer.network)} />
            </Select>
          )}
        </Field>
        {!offer.perOrder && (
          <Field
            id="calculator-quantity"
            label="Quantity"
            help={limitsText(offer, formats)}
            error={outOfLimits ? `Enter ${formats.number(offer.min)}–${formats.number(offer.max)}` : undefined}
          >
            {(control) => (
              <div className="flex flex-wrap gap-2">
                <Input
                  {...control}
                  name="quantity"
                  inputMode="numeric"
                  autoComplete="off"
                  value={quantity}
                  onChange={(event) => onChoose({ offer, quantity: event.target.value })}
                  className="sm:max-w-44"
                />
                {presets(offer).map((preset) => (
                  <Button
                    key={preset}
                    variant="secondary"
                    onClick={() => onChoose({ offer, quantity: String(preset) })}
                    className="sm:h-10 noscript:hidden"
                  >
                    {formats.number(preset)}
                  </Button>
                ))}
              </div>
            )}
          </Field>
        )}
      </div>
      <Receipt offer={offer} quoted={shown}>
        <Button type="submit" size="large">
          {withCharge("Order", shown, formats)}
        </Button>
        <p className="text-sm text-muted">
          {signedIn
            ? "Next, enter the link. You aren't charged until you place the order."
            : "Next, create an account and enter the link. You aren't charged until you place the order."}
        </p>
      </Receipt>
    </Form>
  );
}

function presets({ min, max }: Offer): number[] {
  return [100, 1000, 5000, 10_000, 100_000].filter((preset) => preset >= min && preset <= max).slice(0, 4);
}
