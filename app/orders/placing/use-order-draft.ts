import { type RefObject, useEffect, useState } from "react";
import { forgetDraft, readDraft, useFormDraft, writeDraft } from "#app/components/forms/use-draft.ts";
import type { CatalogEntry } from "#app/orders/catalog/offers.server.ts";
import type { CatalogState } from "#app/orders/catalog/use-catalog.ts";

type Values = Record<string, string>;

/**
 * Restores the unsent order form after a reload or on the way back from another page, until the order is placed. There is
 * one draft: a link to the form replaces what it names. `ref` goes on the <form>. `keepService` stores the chosen service,
 * whose type decides which fields there are to restore.
 */
export function useOrderDraft(
  key: string,
  {
    catalog,
    chosen,
    choose,
    requested,
    placed,
  }: {
    catalog: CatalogState;
    chosen: number;
    choose: (entry: CatalogEntry) => void;
    requested: Values;
    /** The order that was placed last, or null. */
    placed: number | null;
  },
): { ref: RefObject<HTMLFormElement>; keepService: (id: number) => void } {
  const serviceKey = `${key} service`;
  const linkKey = `${key} link`;
  const placedKey = `${key} placed`;
  const link = JSON.stringify(requested);
  const [ready, setReady] = useState(false);

  // Runs before the form is restored, so that the form after a placed order starts empty. Once for each order: the page
  // that shows it may be opened again while the next one is being typed.
  useEffect(() => {
    if (placed === null || Number(readDraft(placedKey)) >= placed) return;
    writeDraft(placedKey, String(placed));
    forgetDraft(key);
    forgetDraft(serviceKey);
    writeDraft(linkKey, link);
  }, [placed, key, serviceKey, linkKey, placedKey, link]);

  useEffect(() => {
    if (ready || link === "{}" || readDraft(linkKey) === link) return;
    writeDraft(linkKey, link);
    const named = JSON.parse(link) as Values;
    const service = named.service ?? "";
    // The lists of the same order, which are too long for its link.
    const isSameOrder = service === readDraft(serviceKey) && named.again === undefined;
    const kept = isSameOrder ? (JSON.parse(readDraft(key) ?? "{}") as Values) : {};
    const rest = Object.entries(kept).filter(([name]) => !Object.hasOwn(named, name));
    writeDraft(key, rest.length === 0 ? "" : JSON.stringify(Object.fromEntries(rest)));
    writeDraft(serviceKey, service);
  }, [ready, key, serviceKey, linkKey, link]);

  useEffect(() => {
    if (ready) return;
    const kept = Number(readDraft(serviceKey));
    if (kept === 0 || kept === chosen || catalog.failed) return setReady(true);
    if (!catalog.catalog) return;
    const entry = catalog.catalog.services.find(({ id }) => id === kept);
    if (entry) choose(entry);
    setReady(true);
  }, [ready, serviceKey, chosen, catalog, choose]);

  const { ref } = useFormDraft(ready ? key : null);
  return { ref, keepService: (id) => writeDraft(serviceKey, String(id)) };
}
