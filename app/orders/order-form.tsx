import type { FetcherWithComponents } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { Button } from "#app/components/button.tsx";
import { Field, Input } from "#app/components/field.tsx";
import { Notice } from "#app/components/notice.tsx";
import { Select } from "#app/components/select.tsx";
import { CURRENCY } from "#app/product.ts";
import { formatMoney } from "./money.ts";
import type { Offer } from "./offers.server.ts";
import { OrderDetail } from "./order-detail.tsx";
import { quote } from "./quote.ts";
import { Receipt, withCharge } from "./receipt.tsx";
import { limitsText, ServiceOptions, startQuantity } from "./service-options.tsx";

/** `nextKey` is the idempotency key that the form carries from then on. */
export type OrderResult =
  | {
      ok: true;
      orderId: number;
      serviceId: number;
      charge: number;
      balance: number;
      replayed: boolean;
      nextKey: string;
    }
  | { ok: false; field: string | null; text: string; values: Record<string, string>; nextKey: string };

/** The values are those of a form that was sent without scripts, or what a link carried. */
export function OrderForm({
  offers,
  first,
  balance,
  idempotencyKey,
  values,
  result,
  sender,
}: {
  offers: Offer[];
  first: Offer;
  balance: number;
  idempotencyKey: string;
  values: Record<string, string>;
  result: OrderResult | null;
  sender: FetcherWithComponents<unknown>;
}) {
  const busy = sender.state !== "idle";
  const [offer, setOffer] = useState(offers.find(({ id }) => String(id) === values.service) ?? first);
  const [network, setNetwork] = useState("");
  const [category, setCategory] = useState("");
  const [quantity, setQuantity] = useState(values.quantity ?? startQuantity(offer));
  const [runs, setRuns] = useState(values.runs ?? "");
  const [list, setList] = useState(offer.countedBy ? (values[offer.countedBy] ?? "") : "");
  // Kept while the page refreshes itself: a second try after a lost answer must carry the key of the first.
  const [keyAtStart] = useState(idempotencyKey);
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (!result || result.ok) return;
    const control = result.field && form.current?.elements.namedItem(result.field);
    if (control instanceof HTMLElement) control.focus();
    else document.getElementById(NOTICE)?.focus();
  }, [result]);

  const ofNetwork = offers.filter((other) => network === "" || other.network === network);
  const ofCategory = ofNetwork.filter((other) => category === "" || other.category === category);
  const quoted = quote(offer, { quantity, list, runs });
  const after = quoted.charge === null ? null : balance - quoted.charge;
  const short = after !== null && after < 0;

  function choose(next: Offer | undefined) {
    if (!next || next.id === offer.id) return;
    const fits = Number(quantity) >= next.min && Number(quantity) <= next.max;
    if (!fits) setQuantity(startQuantity(next));
    if (next.countedBy !== offer.countedBy) setList("");
    if (!next.asksRuns) setRuns("");
    setOffer(next);
  }

  function narrow(toNetwork: string, toCategory: string) {
    setNetwork(toNetwork);
    setCategory(toCategory);
    const left = offers.filter(
      (other) =>
        (toNetwork === "" || other.network === toNetwork) && (toCategory === "" || other.category === toCategory),
    );
    if (!left.includes(offer)) choose(left[0]);
  }

  const shownFields = new Set(["service", "link", "quantity", "runs", "interval", ...offer.needs.map((n) => n.name)]);
  const beside = (name: string) => (result && !result.ok && result.field === name ? result.text : undefined);
  const atButton = result && !result.ok && !(result.field && shownFields.has(result.field)) ? result.text : null;

  return (
    <sender.Form
      ref={form}
      method="post"
      noValidate
      aria-label="New order"
      className="grid overflow-clip rounded-md border border-line bg-raised lg:grid-cols-[1fr_380px]"
    >
      <input type="hidden" name="intent" value="order" />
      <input type="hidden" name="idempotencyKey" value={result?.nextKey ?? keyAtStart} />
      <div className="grid min-w-0 content-start gap-5 p-5 sm:grid-cols-2 sm:p-6">
        <Field id="order-network" label="Network" className="noscript:hidden">
          {(control) => (
            <Select {...control} value={network} onChange={(event) => narrow(event.target.value, "")}>
              <option value="">All networks</option>
              {unique(offers.map((other) => other.network)).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field id="order-category" label="Category" className="noscript:hidden">
          {(control) => (
            <Select {...control} value={category} onChange={(event) => narrow(network, event.target.value)}>
              <option value="">All categories</option>
              {unique(ofNetwork.map((other) => other.category)).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field
          id="order-service"
          label="Service"
          className="sm:col-span-2"
          help={offer.description || undefined}
          error={beside("service")}
        >
          {(control) => (
            <Select
              {...control}
              name="service"
              value={offer.id}
              onChange={(event) => choose(offers.find(({ id }) => id === Number(event.target.value)))}
            >
              <ServiceOptions offers={ofCategory} />
            </Select>
          )}
        </Field>
        <Field
          id="order-link"
          label="Link"
          className="sm:col-span-2"
          help="The public address of the post, video or profile."
          error={beside("link")}
        >
          {(control) => (
            <Input
              {...control}
              type="url"
              name="link"
              inputMode="url"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              defaultValue={values.link}
              placeholder="https://"
            />
          )}
        </Field>
        {offer.needs.map((need) => (
          <OrderDetail
            key={`${offer.id} ${need.name}`}
            need={need}
            initial={values[need.name] ?? ""}
            error={beside(need.name)}
            onChange={need.name === offer.countedBy ? setList : undefined}
            help={need.name === offer.countedBy ? limitsText(offer) : undefined}
          />
        ))}
        {offer.asksQuantity && (
          <Field id="order-quantity" label="Quantity" help={limitsText(offer)} error={beside("quantity")}>
            {(control) => (
              <Input
                {...control}
                name="quantity"
                inputMode="numeric"
                autoComplete="off"
                value={quantity}
                onChange={(event) => setQuantity(event.target.value)}
              />
            )}
          </Field>
        )}
        {offer.asksRuns && (
          <div className="grid grid-cols-2 gap-3">
            <Field id="order-runs" label="Runs" optional error={beside("runs")} help="Drip-feed: the quantity again.">
              {(control) => (
                <Input
                  {...control}
                  name="runs"
                  inputMode="numeric"
                  autoComplete="off"
                  value={runs}
                  onChange={(event) => setRuns(event.target.value)}
                />
              )}
            </Field>
            <Field id="order-interval" label="Every" error={beside("interval")} help="Minutes between runs.">
              {(control) => (
                <Input
                  {...control}
                  name="interval"
                  inputMode="numeric"
                  autoComplete="off"
                  defaultValue={values.interval}
                />
              )}
            </Field>
          </div>
        )}
      </div>
      <Receipt offer={offer} quoted={quoted} after={after}>
        {atButton && (
          <Notice tone="bad" id={NOTICE}>
            {atButton}
          </Notice>
        )}
        {short && !atButton && (
          <p className="text-sm text-warn">
            This is {formatMoney(-after, CURRENCY)} more than your balance. Support can add to it.
          </p>
        )}
        <Button type="submit" size="large" busy={busy}>
          {withCharge("Place order", quoted)}
        </Button>
        {result?.ok && !busy && (
          <Notice tone="good">
            {result.replayed
              ? `Order ${result.orderId} was placed already. Nothing was charged again.`
              : `Order ${result.orderId} is placed. ${formatMoney(result.charge, CURRENCY)} was taken, ${formatMoney(result.balance, CURRENCY)} is left.`}
          </Notice>
        )}
      </Receipt>
    </sender.Form>
  );
}

const NOTICE = "order-notice";

function unique(names: string[]): string[] {
  return [...new Set(names)];
}
