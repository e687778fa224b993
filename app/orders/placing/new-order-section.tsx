import { type FetcherWithComponents, useSearchParams } from "@remix-run/react";
import { useState } from "react";
import { FavoriteLinks } from "#app/orders/catalog/favorite-links.tsx";
import { FavoriteNotices } from "#app/orders/catalog/favorite-notices.tsx";
import { FindWithoutScripts } from "#app/orders/catalog/find-without-scripts.tsx";
import type { ChosenOffer } from "#app/orders/catalog/offers.server.ts";
import { useCatalog } from "#app/orders/catalog/use-catalog.ts";
import type { OrderRow } from "#app/orders/list/order-rows.server.ts";
import { OrderForm } from "./order-form.tsx";
import type { readOrderForm } from "./order-form-data.server.ts";
import type { OrderResult } from "./order-result.ts";

/** The parameter that names an order placed on another page. */
const PLACED = "placed";

/** The response to the order form. `offer` is the chosen service, for a page without scripts. */
export type OrderFormResponse = { order: OrderResult; offer: ChosenOffer | null };

/** The order form of the dashboard. `sent` is the response to a form that was sent without scripts. */
export function NewOrderSection({
  data,
  balance,
  orders,
  sender,
  sent,
}: {
  data: Awaited<ReturnType<typeof readOrderForm>>["form"];
  balance: number;
  /** The newest orders as they are now. */
  orders: OrderRow[];
  sender: FetcherWithComponents<OrderFormResponse>;
  sent: OrderFormResponse | undefined;
}) {
  const { draftOwner, tier, first, favorites, notices, idempotencyKey, requested, carriedCode, find, found } = data;
  const catalog = useCatalog(tier);
  const result = sender.data?.order ?? sent?.order ?? data.placed;
  const requestedKey = JSON.stringify(requested);
  // A placed order starts a new form; a refused one keeps what was typed.
  const [placedId, setPlacedId] = useState(0);
  if (result?.ok && result.orderId !== placedId) setPlacedId(result.orderId);
  const [dismissed, setDismissed] = useState<OrderResult | null>(null);
  const [chosen, setChosen] = useState(sent?.offer ?? first);
  const [shownKey, setShownKey] = useState(requestedKey);
  if (shownKey !== requestedKey) {
    setShownKey(requestedKey);
    setChosen(first);
  }
  function read(offer: ChosenOffer | null) {
    setChosen((before) => (offer && before?.id === offer.id ? offer : before));
  }
  // Kept here, and not in the form, so that the form after a placed order shows the newest price, too.
  const answered = sender.data?.offer ?? null;
  const [taken, setTaken] = useState(answered);
  if (taken !== answered) {
    setTaken(answered);
    read(answered);
  }
  const [searchParams, setSearchParams] = useSearchParams();
  /** Begins the next order. The URL may name the placed one, which a reload would show again. */
  function goOn() {
    setDismissed(result);
    if (!searchParams.has(PLACED)) return;
    const without = (before: URLSearchParams) => {
      before.delete(PLACED);
      return before;
    };
    setSearchParams(without, { replace: true, preventScrollReset: true });
  }
  const values = sent && result && !result.ok ? result.values : requested;
  return (
    <section aria-labelledby="new-order" className="mt-6">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 id="new-order" className="scroll-mt-6 text-sm">
          New order
        </h2>
        <FavoriteLinks favorites={favorites} />
      </div>
      <FavoriteNotices notices={notices} />
      <FindWithoutScripts find={find} found={found} />
      {first && chosen === first && requested.service !== undefined && requested.service !== String(first.id) && (
        <p role="alert" className="mb-3 text-sm text-warn">
          The service you chose isn't on sale. Another one is selected below: check it before you order.
        </p>
      )}
      {chosen ? (
        <OrderForm
          key={`${placedId} ${requestedKey}`}
          draftKey={`order:${draftOwner}`}
          catalog={catalog}
          chosen={chosen}
          onChoose={(offer) => {
            setChosen(offer);
            goOn();
          }}
          onRead={read}
          favorites={new Set(favorites.map(({ id }) => id))}
          balance={balance}
          idempotencyKey={idempotencyKey}
          requested={requested}
          values={values}
          carriedCode={carriedCode}
          result={result}
          placed={orders.find(({ id }) => id === placedId)}
          isOver={result === dismissed}
          onNew={goOn}
          sender={sender}
        />
      ) : (
        <p className="rounded-md border border-line bg-raised p-5 text-sm text-muted">
          No services are on sale right now. Please come back later.
        </p>
      )}
    </section>
  );
}
