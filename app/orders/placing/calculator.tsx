import { Form, Link, useNavigate } from "@remix-run/react";
import Check from "lucide-react/icons/check";
import { type FormEvent, useRef, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { useFieldsAtHydration } from "#app/components/hydration/use-fields-at-hydration.ts";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Button } from "#app/components/ui/button.tsx";
import type { LandingCatalog } from "#app/orders/catalog/landing-catalog.server.ts";
import type { Offer } from "#app/orders/catalog/offers.server.ts";
import { priceListPath } from "#app/orders/catalog/price-list/price-list-paths.ts";
import { limitsText, ServiceOptions, startQuantity } from "#app/orders/catalog/service-options.tsx";
import { useNetworkOffers } from "#app/orders/catalog/use-network-offers.ts";
import { quote } from "./quotes/quote.ts";
import { Receipt, withCharge } from "./receipt.tsx";

export type Choice = { offer: Offer; quantity: string };

/** The landing page's calculator: network, service, quantity and the exact charge. */
export function Calculator({
  catalog,
  choice,
  onChoose,
  signedIn,
}: {
  catalog: LandingCatalog & { version: number };
  choice: Choice;
  onChoose: (choice: Choice) => void;
  signedIn: boolean;
}) {
  const formats = useFormats();
  const navigate = useNavigate();
  const { offer, quantity } = choice;
  const isHydrated = useIsHydrated();
  const form = useRef<HTMLFormElement>(null);
  const { offersOf, load } = useNetworkOffers(catalog);
  // The network that was picked while its offers load, or that couldn't be loaded.
  const [picked, setPicked] = useState<{ network: string; failed: boolean } | null>(null);
  const latest = useRef({ network: "", quantity });
  latest.current.quantity = quantity;
  const network = picked?.network ?? offer.network;
  const count = catalog.networks.find(({ name }) => name === network)?.count ?? 0;
  const offers = offersOf(offer.network);
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
    const { quantity: typed } = latest.current;
    const fits = Number(typed) >= next.min && Number(typed) <= next.max;
    onChoose({ offer: next, quantity: fits ? typed : startQuantity(next) });
  }

  async function pick(name: string) {
    latest.current.network = name;
    setPicked({ network: name, failed: false });
    const [first] = (await load(name)) ?? [];
    // Another one was picked meanwhile.
    if (latest.current.network !== name) return;
    setPicked(first ? null : { network: name, failed: true });
    chooseOffer(first);
  }

  function order(event: FormEvent) {
    event.preventDefault();
    const orderForm = `/dashboard?${new URLSearchParams({ service: String(offer.id), quantity })}`;
    navigate(signedIn ? orderForm : `/auth/signup?${new URLSearchParams({ redirectTo: orderForm })}`);
  }

  return (
    <Form
      ref={form}
      action={signedIn ? "/dashboard" : "/auth/signup"}
      onSubmit={order}
      // The whole list of the shown network, before its select is opened.
      onPointerEnter={() => void load(network)}
      onFocus={() => void load(network)}
      aria-label="Price calculator"
      className="flex flex-col overflow-clip rounded-md border border-line bg-raised lg:grid lg:grid-cols-[1fr_380px]"
    >
      <div className="flex min-w-0 flex-col gap-6 p-5 sm:p-6">
        <fieldset disabled={!isHydrated} className="min-w-0 disabled:opacity-50 noscript:hidden">
          <legend className="mb-1.5 text-sm font-medium">Network</legend>
          <div className="flex flex-wrap gap-2">
            {catalog.networks.map(({ name }) => (
              <label
                key={name}
                onPointerEnter={() => void load(name)}
                className="flex h-11 cursor-pointer items-center gap-1.5 rounded-md border border-line px-3 text-sm text-muted transition-colors select-none hover:border-line-strong hover:text-text has-checked:border-accent has-checked:text-text has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent sm:h-9"
              >
                <input
                  type="radio"
                  name="network"
                  value={name}
                  checked={name === network}
                  onChange={() => void pick(name)}
                  className="peer sr-only"
                />
                <Check aria-hidden className="hidden size-3.5 text-accent peer-checked:block" strokeWidth={2.5} />
                {name}
              </label>
            ))}
          </div>
        </fieldset>
        {picked?.failed && (
          <p role="alert" className="text-sm text-bad">
            Couldn't load the services for {network}. Choose it again, or open the price list.
          </p>
        )}
        <Field
          id="calculator-service"
          label="Service"
          help={
            <>
              {offer.description && <span className="mb-1 block">{offer.description}</span>}
              <Link to={priceListPath({ network })} className="underline underline-offset-4 hover:text-text">
                {count === 1 ? `See it on the price list` : `All ${formats.number(count)} ${network} services`}
              </Link>
            </>
          }
        >
          {(control) => (
            <Select
              {...control}
              name="service"
              value={offer.id}
              aria-busy={picked !== null && !picked.failed}
              onChange={(event) => chooseOffer(offers.find(({ id }) => id === Number(event.target.value)))}
            >
              <ServiceOptions offers={offers} />
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
        <p className="text-sm text-muted max-lg:hidden">
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
