import type { FetcherWithComponents } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import type { Formats } from "#app/components/formats/number-formats.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { ChosenService } from "#app/orders/catalog/chosen-service.tsx";
import type { ChosenOffer } from "#app/orders/catalog/offers.server.ts";
import { ServicePicker } from "#app/orders/catalog/service-picker.tsx";
import type { CatalogState } from "#app/orders/catalog/use-catalog.ts";
import type { OrderRow } from "#app/orders/list/order-rows.server.ts";
import { PriceRuleText } from "#app/orders/prices/price-rule-text.tsx";
import { MICRO } from "#app/product.ts";
import { CodeField } from "./codes/code-field.tsx";
import { usePercentCode } from "./codes/use-percent-code.ts";
import { OrderFields, shownFields } from "./order-fields.tsx";
import type { OrderResult } from "./order-result.ts";
import { PlacedOrder } from "./placed-order.tsx";
import type { Quote } from "./quotes/quote.ts";
import { type CheckedCode, priceOfQuote } from "./quotes/quoted-price.ts";
import { writeShownPrice } from "./quotes/shown-price.ts";
import { Receipt, withCharge } from "./receipt.tsx";
import { useLinkCheck } from "./use-link-check.ts";
import { ORDER_NOTICE_ID, useOrderForm } from "./use-order-form.ts";

type Props = {
  /** The storage key of the draft. */
  draftKey: string;
  catalog: CatalogState;
  chosen: ChosenOffer;
  onChoose: (offer: ChosenOffer) => void;
  /** Gets the chosen service as the server has it, which is newer than the catalog. */
  onRead: (offer: ChosenOffer | null) => void;
  favorites: ReadonlySet<number>;
  /** Micro-units. */
  balance: number;
  idempotencyKey: string;
  /** Values of the link to the form, which replace those of a draft. */
  requested: Record<string, string>;
  /** Initial values, from a form sent without scripts or from the link to it. */
  values: Record<string, string>;
  /** Effect of the code in `values`. */
  carriedCode: CheckedCode | null;
  result: OrderResult | null;
  /** The placed order as it is now, unless the page does not list it. */
  placed: Pick<OrderRow, "status"> | undefined;
  /** Whether the customer goes on with another order than the placed one, and what tells so. */
  isOver: boolean;
  onNew: () => void;
  sender: FetcherWithComponents<unknown>;
};

/**
 * The order form with its receipt: any service of the catalog, and the exact charge before it is placed. The receipt of a
 * placed order becomes that order, until the next one is begun.
 */
export function OrderForm({ favorites, balance, sender, placed, isOver, onNew, ...props }: Props) {
  const { catalog, values, result } = props;
  const { offer, filled, fill, choose, form, keyField, nextKey, quoted: byRate, setKey } = useOrderForm(props);
  const refused = result?.ok === false ? result : null;
  const code = usePercentCode(values.code ?? "", props.carriedCode, refused);
  const { quoted, lowered, codeFault } = priceOfQuote(offer, byRate, code.checked);
  const link = useLinkCheck(offer, fill);
  const errorOf = (name: string) => (refused?.field === name ? refused.text : undefined);
  const noticeText = refused && !(refused.field && shownFields(offer).has(refused.field)) ? refused.text : null;
  const busy = sender.state !== "idle";
  const shown = result?.ok && !busy && !isOver ? result : null;
  return (
    <sender.Form
      ref={form}
      method="post"
      noValidate
      aria-label="New order"
      onSubmit={setKey}
      onInput={shown ? onNew : undefined}
      className="flex flex-col overflow-clip rounded-md border border-line bg-raised lg:grid lg:grid-cols-[1fr_380px]"
    >
      <input type="hidden" name="intent" value="order" />
      <input ref={keyField} type="hidden" name="idempotencyKey" defaultValue={nextKey} />
      <input type="hidden" name="service" value={offer.id} />
      <input type="hidden" name="shownPrice" value={writeShownPrice(offer)} />
      <input type="hidden" name="again" value={refused?.duplicate ?? values.again ?? ""} />
      <div className="grid min-w-0 content-start gap-5 p-5 sm:grid-cols-2 sm:p-6">
        <ServicePicker
          state={catalog}
          chosen={offer}
          favorites={favorites}
          error={errorOf("service")}
          linkFilter={link.filter}
          onChoose={choose}
        />
        <ChosenService offer={offer} favorite={favorites.has(offer.id)} />
        <OrderFields
          offer={offer}
          filled={filled}
          onFill={fill}
          errorOf={errorOf}
          link={link}
          doubtfulLink={refused?.doubtfulLink}
        />
      </div>
      {shown && <PlacedOrder result={shown} order={placed} balance={balance} onNew={onNew} />}
      {/* Without scripts, the next order is placed with the button below the placed one. */}
      <div className={shown ? "hidden noscript:contents" : "contents"}>
        <Receipt offer={offer} quoted={quoted} follow>
          {lowered && (
            <p className="-mt-2 text-sm text-muted">
              <PriceRuleText rule={lowered} usual={lowered.usual} />
            </p>
          )}
          <CodeField code={code} fault={codeFault} />
          <p className="-mt-2 flex items-baseline justify-between gap-4 text-sm text-muted">
            Balance <Money micro={balance} />
          </p>
          {noticeText && (
            <Notice tone="bad" id={ORDER_NOTICE_ID}>
              {noticeText}
            </Notice>
          )}
          <PlaceButton quoted={quoted} balance={balance} busy={busy} />
        </Receipt>
      </div>
    </sender.Form>
  );
}

/** Says what it leads to: an order that the balance doesn't cover goes along to the top-up page. */
function PlaceButton({ quoted, balance, busy }: { quoted: Quote; balance: number; busy: boolean }) {
  const formats = useFormats();
  const missing = quoted.charge === null ? 0 : quoted.charge - balance;
  return (
    <Button type="submit" size="large" busy={busy}>
      {missing > 0 ? topUpText(missing, formats) : withCharge("Place order", quoted, formats)}
    </Button>
  );
}

const CENT = MICRO / 100;

/** Rounds up to whole cents, so that topping up as much as it says is enough. */
export function topUpText(missing: number, { money }: Formats): string {
  return `Top up ${money(Math.ceil(missing / CENT) * CENT)} to order`;
}
