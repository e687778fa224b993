import { useCallback, useEffect, useState } from "react";
import type { Catalog } from "./offers.server.ts";

export type CatalogState = { catalog: Catalog | null; failed: boolean; retry: () => void };

/**
 * Loads the whole catalog, so that a search does not wait for the network. The browser's cache keeps it between pages. With
 * a `tier`, it has the rates of the customer's tier; another tier is another address.
 */
export function useCatalog(tier: number | null): CatalogState {
  const [catalog, setCatalog] = useState<Catalog | null>(null);
  const [failed, setFailed] = useState(false);

  const address = tier === null ? "/catalog.json" : `/catalog.json?tier=${tier}`;
  const load = useCallback(
    async (signal?: AbortSignal) => {
      setFailed(false);
      try {
        const response = await fetch(address, { signal });
        if (!response.ok) throw new Error(`HTTP ${response.status}`);
        setCatalog((await response.json()) as Catalog);
      } catch {
        if (!signal?.aborted) setFailed(true);
      }
    },
    [address],
  );

  useEffect(() => {
    const leaving = new AbortController();
    void load(leaving.signal);
    return () => leaving.abort();
  }, [load]);

  return { catalog, failed, retry: () => void load() };
}
