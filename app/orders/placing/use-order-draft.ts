import { type RefObject, useEffect, useState } from "react";
import { forgetDraft, readDraft, useFormDraft, writeDraft } from "#app/components/forms/use-draft.ts";
import type { CatalogEntry } from "#app/orders/catalog/offers.server.ts";
import type { CatalogState } from "#app/orders/catalog/use-catalog.ts";

/**
 * Restores the unsent order form after a reload, until the order is placed. `ref` goes on the <form>. `keepService` stores
 * the chosen service, whose type decides which fields there are to restore.
 */
export function useOrderDraft(
  key: string,
  {
    catalog,
    chosen,
    choose,
    placed,
  }: { catalog: CatalogState; chosen: number; choose: (entry: CatalogEntry) => void; placed: boolean },
): { ref: RefObject<HTMLFormElement>; keepService: (id: number) => void } {
  const serviceKey = `${key} service`;
  const [ready, setReady] = useState(false);

  // Runs before the form is restored, so that the form after a placed order starts empty.
  useEffect(() => {
    if (!placed) return;
    forgetDraft(key);
    forgetDraft(serviceKey);
  }, [placed, key, serviceKey]);

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
