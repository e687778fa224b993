import { useCallback, useEffect, useState } from "react";
import type { Catalogue } from "./offers.server.ts";

export type CatalogueState = { catalogue: Catalogue | null; failed: boolean; retry: () => void };

/** The whole catalogue, so that a search does not wait for the network. The browser's cache keeps it between pages. */
export function useCatalogue(): CatalogueState {
  const [catalogue, setCatalogue] = useState<Catalogue | null>(null);
  const [failed, setFailed] = useState(false);

  const load = useCallback(async (signal?: AbortSignal) => {
    setFailed(false);
    try {
      const response = await fetch("/catalogue.json", { signal });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      setCatalogue((await response.json()) as Catalogue);
    } catch {
      if (!signal?.aborted) setFailed(true);
    }
  }, []);

  useEffect(() => {
    const leaving = new AbortController();
    void load(leaving.signal);
    return () => leaving.abort();
  }, [load]);

  return { catalogue, failed, retry: () => void load() };
}
