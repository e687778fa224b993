import { type FetcherWithComponents, Link, useFetcher } from "@remix-run/react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Field, Input } from "#app/components/forms/field.tsx";
import { useFieldsAtHydration } from "#app/components/hydration/use-fields-at-hydration.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { ChosenService } from "#app/orders/catalog/chosen-service.tsx";
import { offerOfEntry } from "#app/orders/catalog/offer-of-entry.ts";
import type { CatalogEntry, ChosenOffer } from "#app/orders/catalog/offers.server.ts";
import { limitsText, startQuantity } from "#app/orders/catalog/service-options.tsx";
import { ServicePicker } from "#app/orders/catalog/service-picker.tsx";
import type { CatalogState } from "#app/orders/catalog/use-catalog.ts";
import { OrderDetail } from "./order-fields.tsx";
import { keyToSend, settlePending } from "./pending-order.ts";
import { quote } from "./quote.ts";
import { Receipt, withCharge } from "./receipt.tsx";
import { useOrderDraft } from "./use-order-draft.ts";

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
  | {
      ok: false;
      field: string | null;
      text: string;
      values: Record<string, string>;
      nextKey: string;
      /** The order of the same content that was just placed. Sending the form again places a second one. */
      duplicate?: number;
    };

const NOTICE = "order-notice";

/**
 * The values are those of a form that was sent without scripts, or what a link carried. `draftKey` names whose form it
 * is, and what the link asked for.
 */
export function OrderForm({
  draftKey,
  catalog,
  chosen,
  onChoose,
  favorites,
  balance,
  idempotencyKey,
  values,
  result,
  sender,
}: {
  draftKey: string;
  catalog: CatalogState;
  chosen: ChosenOffer;
  onChoose: (offer: ChosenOffer) => void;
  favorites: ReadonlySet<number>;
  balance: number;
  idempotencyKey: string;
  values: Record<string, string>;
  result: OrderResult | null;
  sender: FetcherWithComponents<unknown>;
}) {
  const formats = useFormats();
  const { money } = formats;
  const busy = sender.state !== "idle";
  const detail = useFetcher<{ offer: ChosenOffer | null }>();
  // What the server told of the chosen service is newer than what the catalog had.
  const told = detail.data?.offer;
  const offer = told?.id === chosen.id ? told : chosen;
  const [filled, setFilled] = useState<Record<string, string>>(() => ({
    ...values,
    quantity: values.quantity ?? startQuantity(chosen),
  }));
  // Kept while the page refreshes itself: a second try after a lost answer must carry the key of the first.
  const [keyAtStart] = useState(idempotencyKey);
  const keyField = useRef<HTMLInputElement>(null);

  const { ref: form, keepService } = useOrderDraft(draftKey, {
    catalog,
    chosen: offer.id,
    choose,
    placed: result?.ok === true,
  });

  useFieldsAtHydration(form, (fields) => {
    for (const [name, value] of fields) if (typeof value === "string") fill(name, value);
  });

  useEffect(() => {
    if (!result) return;
    settlePending();
    if (result.ok) return;
    const control = result.field && form.current?.elements.namedItem(result.field);
    if (control instanceof HTMLElement && control.getAttribute("type") !== "hidden") control.focus();
    else document.getElementById(NOTICE)?.focus();
  }, [result, form]);

  const quoted = quote(offer, {
    quantity: filled.quantity ?? "",
    list: offer.countedBy ? (filled[offer.countedBy] ?? "") : "",
    runs: offer.asksRuns ? (filled.runs ?? "") : "",
    max: filled.max,
    posts: filled.posts,
    oldPosts: filled.old_posts,
  });
  const after = quoted.charge === null ? null : balance - quoted.charge;
  const short = after !== null && after < 0;

  function fill(name: string, value: string) {
    setFilled((before) => ({ ...before, [name]: value }));
  }

  function choose(entry: CatalogEntry) {
    const types = catalog.catalog?.types;
    if (!types || entry.id === offer.id) return;
    const next = offerOfEntry(entry, types);
    const quantity = Number(filled.quantity);
    if (!(quantity >= next.min && quantity <= next.max)) fill("quantity", startQuantity(next));
    onChoose(next);
    keepService(entry.id);
    detail.load(`/dashboard/services/${entry.id}`);
  }

  function send({ currentTarget }: FormEvent<HTMLFormElement>) {
    const content = [...new FormData(currentTarget)].filter(([name]) => name !== "idempotencyKey" && name !== "again");
    const key = keyField.current;
    if (key) key.value = keyToSend(JSON.stringify(content), result?.nextKey ?? keyAtStart);
  }

  const again = (result && !result.ok && result.duplicate) || values.again || "";
  const shownFields = new Set([
    "service",
    ...(offer.asksLink ? ["link"] : []),
    ...(offer.asksQuantity ? ["quantity"] : []),
    ...(offer.asksRuns ? ["runs", "interval"] : []),
    ...offer.needs.map((need) => need.name),
  ]);
  const beside = (name: string) => (result && !result.ok && result.field === name ? result.text : undefined);
  const atButton = result && !result.ok && !(result.field && shownFields.has(result.field)) ? result.text : null;

  return (
    <sender.Form
      ref={form}
      method="post"
      noValidate
      aria-label="New order"
      onSubmit={send}
      className="grid overflow-clip rounded-md border border-line bg-raised lg:grid-cols-[1fr_380px]"
    >
      <input type="hidden" name="intent" value="order" />
      <input ref={keyField} type="hidden" name="idempotencyKey" defaultValue={result?.nextKey ?? keyAtStart} />
      <input type="hidden" name="service" value={offer.id} />
      <input type="hidden" name="again" value={again} />
      <div className="grid min-w-0 content-start gap-5 p-5 sm:grid-cols-2 sm:p-6">
        <ServicePicker
          state={catalog}
          chosen={offer.id}
          favorites={favorites}
          error={beside("service")}
          onChoose={choose}
        />
        <ChosenService offer={offer} favorite={favorites.has(offer.id)} />
        {offer.asksLink && (
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
        )}
        {offer.needs.map((need) => (
          <OrderDetail
            key={`${offer.id} ${need.name}`}
            need={need}
            initial={filled[need.name] ?? ""}
            error={beside(need.name)}
            onChange={(value) => fill(need.name, value)}
            help={need.name === offer.countedBy ? limitsText(offer, formats) : undefined}
          />
        ))}
        {offer.asksQuantity && (
          <Field id="order-quantity" label="Quantity" help={limitsText(offer, formats)} error={beside("quantity")}>
            {(control) => (
              <Input
                {...control}
                name="quantity"
                inputMode="numeric"
                autoComplete="off"
                value={filled.quantity}
                onChange={(event) => fill("quantity", event.target.value)}
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
                  value={filled.runs ?? ""}
                  onChange={(event) => fill("runs", event.target.value)}
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
      <Receipt offer={offer} quoted={quoted} after={after} follow>
        {atButton && (
          <Notice tone="bad" id={NOTICE}>
            {atButton}
          </Notice>
        )}
        {short && !atButton && (
          <p className="text-sm text-warn">
            This is <Money micro={-after} /> more than your balance.{" "}
            <Link to="/dashboard/top-up" className="underline underline-offset-4">
              Top up
            </Link>
          </p>
        )}
        <Button type="submit" size="large" busy={busy}>
          {withCharge("Place order", quoted, formats)}
        </Button>
        {result?.ok && !busy && (
          <Notice tone="good">
            {result.replayed
              ? `Order ${result.orderId} was already placed. You weren't charged again.`
              : `Order ${result.orderId} is placed. ${money(result.charge)} was taken, ${money(result.balance)} is left.`}
          </Notice>
        )}
      </Receipt>
    </sender.Form>
  );
}
