import { type KeyboardEvent, type UIEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { ownValue } from "#app/own-value.ts";
import { indexCatalog, search } from "./catalog-search.ts";
import type { CatalogEntry } from "./offers.server.ts";
import { optionId } from "./service-option.tsx";

/** Rows rendered at first, and added each time the list is scrolled near its end. */
const ROWS_AT_ONCE = 40;
const NEAR_END_PX = 200;
const PAGE_ROWS = 6;

/** Searches the catalog as the customer types, and moves through the results with the keys of the search field. */
export function useServiceSearch(
  entries: CatalogEntry[] | null,
  favorites: ReadonlySet<number>,
  onChoose: (entry: CatalogEntry) => void,
) {
  const [words, setWords] = useState("");
  const [network, setNetwork] = useState("");
  const [category, setCategory] = useState("");
  const [onlyFavorites, setOnlyFavorites] = useState(false);
  const [active, setActive] = useState(-1);
  const [rendered, setRendered] = useState(ROWS_AT_ONCE);
  const list = useRef<HTMLDivElement>(null);

  const indexed = useMemo(() => indexCatalog(entries ?? []), [entries]);
  const typed = useDeferredValue(words);
  const only = onlyFavorites ? favorites : null;
  const found = useMemo(
    () => search(indexed, { words: typed, network, category, only }),
    [indexed, typed, network, category, only],
  );
  const networks = useMemo(() => unique((entries ?? []).map((entry) => entry.network)), [entries]);
  const categories = useMemo(
    () =>
      unique(
        (entries ?? []).filter((entry) => network === "" || entry.network === network).map((entry) => entry.category),
      ),
    [entries, network],
  );

  useEffect(() => {
    const entry = found[active];
    if (entry) document.getElementById(optionId(entry))?.scrollIntoView({ block: "nearest" });
  }, [active, found]);

  function restart() {
    setActive(-1);
    setRendered(ROWS_AT_ONCE);
    list.current?.scrollTo({ top: 0 });
  }

  function move(to: number) {
    const next = Math.max(0, Math.min(found.length - 1, to));
    setActive(next);
    if (next >= rendered - 1) setRendered(next + ROWS_AT_ONCE);
  }

  function onKeyDown(event: KeyboardEvent) {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE_ROWS, PageUp: -PAGE_ROWS };
    const step = ownValue(steps, event.key);
    if (step !== undefined) move(active + step);
    else if (event.key === "Escape" && words !== "") filters.setWords("");
    else if (event.key === "Enter") {
      const entry = found[active] ?? (words === "" ? undefined : found[0]);
      if (entry) onChoose(entry);
    } else return;
    event.preventDefault();
  }

  function onScroll({ currentTarget: box }: UIEvent) {
    if (box.scrollTop + box.clientHeight > box.scrollHeight - NEAR_END_PX && rendered < found.length) {
      setRendered(rendered + ROWS_AT_ONCE);
    }
  }

  const filters = {
    words,
    network,
    category,
    onlyFavorites,
    setWords: (value: string) => {
      setWords(value);
      restart();
    },
    setNetwork: (value: string) => {
      setNetwork(value);
      setCategory("");
      restart();
    },
    setCategory: (value: string) => {
      setCategory(value);
      restart();
    },
    toggleFavorites: () => {
      setOnlyFavorites(!onlyFavorites);
      restart();
    },
  };

  return { filters, networks, categories, found, rendered, active, setActive, list, onKeyDown, onScroll };
}

export type ServiceSearch = ReturnType<typeof useServiceSearch>;

function unique(names: string[]): string[] {
  return [...new Set(names)];
}
