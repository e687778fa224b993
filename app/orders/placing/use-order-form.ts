import { type FormEvent, useEffect, useRef, useState } from "react";
import { useFieldsAtHydration } from "#app/components/hydration/use-fields-at-hydration.ts";
import type { Catalog, CatalogEntry, ChosenOffer } from "#app/orders/catalog/offers.server.ts";
import { startQuantity } from "#app/orders/catalog/service-options.tsx";
import type { CatalogState } from "#app/orders/catalog/use-catalog.ts";
import type { OrderResult } from "./order-result.ts";
import { keyToSend, settlePending } from "./pending-order.ts";
import { quote } from "./quotes/quote.ts";
import { filledOf } from "./quotes/quoted-fields.ts";
import { useOrderDraft } from "./use-order-draft.ts";

/** The notice beside the button, which is focused when no field has the error. */
export const ORDER_NOTICE_ID = "order-notice";

/** Fields that may differ when the same order is sent again. */
const NOT_CONTENT = new Set(["idempotencyKey", "again", "agreedLink", "shownPrice", "code"]);

/** Keeps the state of the order form: the chosen service, what was filled in, its quote and its idempotency key. */
export function useOrderForm({
  draftKey,
  catalog,
  chosen: offer,
  onChoose,
  onRead,
  idempotencyKey,
  requested,
  values,
  result,
}: {
  draftKey: string;
  catalog: CatalogState;
  chosen: ChosenOffer;
  onChoose: (offer: ChosenOffer) => void;
  /** Gets the chosen service as the server has it, which is newer than the catalog. */
  onRead: (offer: ChosenOffer | null) => void;
  idempotencyKey: string;
  requested: Record<string, string>;
  values: Record<string, string>;
  result: OrderResult | null;
}) {
  const [filled, setFilled] = useState<Record<string, string>>(() => ({
    ...values,
    quantity: values.quantity ?? startQuantity(offer),
  }));
  // Kept while the page revalidates: a retry after a lost response must carry the first attempt's key.
  const [keyAtStart] = useState(idempotencyKey);
  const nextKey = result?.nextKey ?? keyAtStart;
  const keyField = useRef<HTMLInputElement>(null);
  const { ref: form, keepService } = useOrderDraft(draftKey, {
    catalog,
    chosen: offer.id,
    choose,
    requested,
    placed: result?.ok ? result.orderId : null,
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
    else document.getElementById(ORDER_NOTICE_ID)?.focus();
  }, [result, form]);

  const quoted = quote(offer, filledOf(offer, filled));

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
    void loadOffer(entry.id).then(onRead);
  }

  function setKey({ currentTarget }: FormEvent<HTMLFormElement>) {
    keepService(offer.id);
    const content = [...new FormData(currentTarget)].filter(([name]) => !NOT_CONTENT.has(name));
    if (keyField.current) keyField.current.value = keyToSend(JSON.stringify(content), nextKey);
  }

  return { offer, filled, fill, choose, form, keyField, nextKey, quoted, setKey };
}

/**
 * Returns the service as it is on sale, or null without a response: the catalog's entry is enough then. Not a fetcher,
 * because Remix reloads the page if it can't load the route's module.
 */
async function loadOffer(id: number): Promise<ChosenOffer | null> {
  try {
    const response = await fetch(`/dashboard/services/${id}`);
    return response.ok ? ((await response.json()) as { offer: ChosenOffer | null }).offer : null;
  } catch {
    return null;
  }
}

/** Returns what the form can show before the service's description and what it takes are loaded. */
function offerOfEntry(entry: CatalogEntry, types: Catalog["types"]): ChosenOffer {
  const { runs, ...form } = types[entry.type];
  return { ...entry, description: "", ...form, asksRuns: runs && entry.dripfeed, takes: null, splitsComments: false };
}
