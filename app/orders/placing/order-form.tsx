import { type FetcherWithComponents, Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { ChosenService } from "#app/orders/catalog/chosen-service.tsx";
import type { ChosenOffer } from "#app/orders/catalog/offers.server.ts";
import { ServicePicker } from "#app/orders/catalog/service-picker.tsx";
import type { CatalogState } from "#app/orders/catalog/use-catalog.ts";
import { LazyPushOffer } from "#app/push/client/lazy-push-offer.tsx";
import { OrderFields, shownFields } from "./order-fields.tsx";
import type { OrderResult } from "./order-result.ts";
import type { Quote } from "./quote.ts";
import { Receipt, withCharge } from "./receipt.tsx";
import { useLinkCheck } from "./use-link-check.ts";
import { ORDER_NOTICE_ID, useOrderForm } from "./use-order-form.ts";

type Props = {
  /** The storage key of the draft, built from its owner and the values in the link. */
  draftKey: string;
  catalog: CatalogState;
  chosen: ChosenOffer;
  onChoose: (offer: ChosenOffer) => void;
  favorites: ReadonlySet<number>;
  /** Micro-units. */
  balance: number;
  idempotencyKey: string;
  /** Initial values, from a form sent without scripts or from the link to it. */
  values: Record<string, string>;
  result: OrderResult | null;
  sender: FetcherWithComponents<unknown>;
};

/** The order form with its receipt: any service of the catalog, and the exact charge before it is placed. */
export function OrderForm({ favorites, balance, sender, ...props }: Props) {
  const { catalog, values, result } = props;
  const { offer, filled, fill, choose, form, keyField, nextKey, quoted, setKey } = useOrderForm(props);
  const link = useLinkCheck(offer, fill);
  const refused = result?.ok === false ? result : null;
  const errorOf = (name: string) => (refused?.field === name ? refused.text : undefined);
  const noticeText = refused && !(refused.field && shownFields(offer).has(refused.field)) ? refused.text : null;
  return (
    <sender.Form
      ref={form}
      method="post"
      noValidate
      aria-label="New order"
      onSubmit={setKey}
      className="grid overflow-clip rounded-md border border-line bg-raised lg:grid-cols-[1fr_380px]"
    >
      <input type="hidden" name="intent" value="order" />
      <input ref={keyField} type="hidden" name="idempotencyKey" defaultValue={nextKey} />
      <input type="hidden" name="service" value={offer.id} />
      <input type="hidden" name="again" value={refused?.duplicate ?? values.again ?? ""} />
      <div className="grid min-w-0 content-start gap-5 p-5 sm:grid-cols-2 sm:p-6">
        <ServicePicker
          state={catalog}
          chosen={offer.id}
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
      <OrderReceipt
        offer={offer}
        quoted={quoted}
        balance={balance}
        noticeText={noticeText}
        result={result}
        busy={sender.state !== "idle"}
      />
    </sender.Form>
  );
}

function OrderReceipt({
  offer,
  quoted,
  balance,
  noticeText,
  result,
  busy,
}: {
  offer: ChosenOffer;
  quoted: Quote;
  balance: number;
  noticeText: string | null;
  result: OrderResult | null;
  busy: boolean;
}) {
  const formats = useFormats();
  const { money } = formats;
  const after = quoted.charge === null ? null : balance - quoted.charge;
  return (
    <Receipt offer={offer} quoted={quoted} after={after} follow>
      {noticeText && (
        <Notice tone="bad" id={ORDER_NOTICE_ID}>
          {noticeText}
        </Notice>
      )}
      {after !== null && after < 0 && !noticeText && (
        <p className="text-sm text-warn">
          You need <Money micro={-after} /> more.{" "}
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
            : `Order ${result.orderId} placed. Charged ${money(result.charge)}. Balance: ${money(result.balance)}`}
        </Notice>
      )}
      {result?.ok && <LazyPushOffer about="order" />}
    </Receipt>
  );
}
