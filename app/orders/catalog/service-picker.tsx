import Search from "lucide-react/icons/search";
import Star from "lucide-react/icons/star";
import { type KeyboardEvent, type UIEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Rate } from "#app/components/formats/money-amount.tsx";
import type { Formats } from "#app/components/formats/number-formats.ts";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { indexCatalog, search } from "./catalog-search.ts";
import type { CatalogEntry } from "./offers.server.ts";
import type { CatalogState } from "./use-catalog.ts";

const LIST = "service-list";
/** Rows that are drawn at first, and more of them as the list is scrolled. */
const DRAWN_AT_ONCE = 40;
const NEAR_END_PX = 200;
const PAGE_ROWS = 6;

/** A search over the whole catalog with the keyboard in the field: arrows choose, Enter takes. */
export function ServicePicker({
  state,
  chosen,
  favorites,
  error,
  onChoose,
}: {
  state: CatalogState;
  chosen: number | null;
  favorites: ReadonlySet<number>;
  error: string | undefined;
  onChoose: (entry: CatalogEntry) => void;
}) {
  const formats = useFormats();
  const isHydrated = useIsHydrated();
  const [words, setWords] = useState("");
  const [network, setNetwork] = useState("");
  const [category, setCategory] = useState("");
  const [onlyFavorites, setOnlyFavorites] = useState(false);
  const [active, setActive] = useState(-1);
  const [drawn, setDrawn] = useState(DRAWN_AT_ONCE);
  const list = useRef<HTMLDivElement>(null);

  const entries = state.catalog?.services ?? null;
  const indexed = useMemo(() => indexCatalog(entries ?? []), [entries]);
  const asked = useDeferredValue(words);
  const only = onlyFavorites ? favorites : null;
  const found = useMemo(
    () => search(indexed, { words: asked, network, category, only }),
    [indexed, asked, network, category, only],
  );
  const networks = useMemo(() => unique((entries ?? []).map((entry) => entry.network)), [entries]);
  const categories = useMemo(
    () =>
      unique(
        (entries ?? []).filter((entry) => network === "" || entry.network === network).map((entry) => entry.category),
      ),
    [entries, network],
  );

  function narrow(change: () => void) {
    change();
    setActive(-1);
    setDrawn(DRAWN_AT_ONCE);
    list.current?.scrollTo({ top: 0 });
  }

  function move(to: number) {
    const next = Math.max(0, Math.min(found.length - 1, to));
    setActive(next);
    if (next >= drawn - 1) setDrawn(next + DRAWN_AT_ONCE);
  }

  useEffect(() => {
    if (active >= 0) document.getElementById(`service-${found[active]?.id}`)?.scrollIntoView({ block: "nearest" });
  }, [active, found]);

  function onKeyDown(event: KeyboardEvent) {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE_ROWS, PageUp: -PAGE_ROWS };
    const step = steps[event.key];
    if (step !== undefined) move(active + step);
    else if (event.key === "Escape" && words !== "") narrow(() => setWords(""));
    else if (event.key === "Enter") {
      const entry = found[active] ?? (words === "" ? undefined : found[0]);
      if (entry) onChoose(entry);
    } else return;
    event.preventDefault();
  }

  function onScroll({ currentTarget: box }: UIEvent) {
    if (box.scrollTop + box.clientHeight > box.scrollHeight - NEAR_END_PX && drawn < found.length) {
      setDrawn(drawn + DRAWN_AT_ONCE);
    }
  }

  return (
    <fieldset disabled={!isHydrated} className="flex min-w-0 flex-col gap-3 sm:col-span-2 noscript:hidden">
      <Field id="order-find" label="Find a service" error={error}>
        {(control) => (
          <div className="relative">
            <Search
              aria-hidden
              className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
            />
            <Input
              {...control}
              autoFocus={undefined}
              type="search"
              role="combobox"
              aria-expanded={entries !== null}
              aria-haspopup="listbox"
              aria-controls={LIST}
              aria-autocomplete="list"
              aria-activedescendant={found[active] ? `service-${found[active].id}` : undefined}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="instagram likes, 30-day, a service number …"
              value={words}
              onChange={(event) => narrow(() => setWords(event.target.value))}
              onKeyDown={onKeyDown}
              className="pl-9"
            />
          </div>
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <div className="min-w-36 flex-1">
          <Select
            aria-label="Network"
            value={network}
            onChange={(event) =>
              narrow(() => {
                setNetwork(event.target.value);
                setCategory("");
              })
            }
          >
            <option value="">All networks</option>
            {networks.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </div>
        <div className="min-w-36 flex-1">
          <Select
            aria-label="Category"
            value={category}
            onChange={(event) => narrow(() => setCategory(event.target.value))}
          >
            <option value="">All categories</option>
            {categories.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </div>
        <Button
          variant="secondary"
          aria-pressed={onlyFavorites}
          onClick={() => narrow(() => setOnlyFavorites(!onlyFavorites))}
          className="sm:h-10"
        >
          <Star aria-hidden className={`size-4 ${onlyFavorites ? "fill-accent text-accent" : ""}`} />
          Favorites
        </Button>
      </div>
      {state.failed ? (
        <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md border border-line p-3 text-sm">
          <p className="text-muted">The catalog could not be loaded. The chosen service can still be ordered.</p>
          <Button variant="secondary" onClick={state.retry}>
            Load it again
          </Button>
        </div>
      ) : (
        <div
          ref={list}
          id={LIST}
          role="listbox"
          aria-label="Services"
          aria-busy={entries === null}
          onScroll={onScroll}
          className="h-64 overflow-y-auto overscroll-contain rounded-md border border-line bg-surface"
        >
          {entries === null && <Loading />}
          {found.slice(0, drawn).map((entry, at) => (
            <Option
              key={entry.id}
              entry={entry}
              chosen={entry.id === chosen}
              active={at === active}
              favorite={favorites.has(entry.id)}
              onChoose={() => {
                setActive(at);
                onChoose(entry);
              }}
            />
          ))}
        </div>
      )}
      <p role="status" className="text-sm text-muted">
        {entries === null ? "" : countText(found.length, onlyFavorites && favorites.size === 0, formats)}
      </p>
    </fieldset>
  );
}

function Option({
  entry,
  chosen,
  active,
  favorite,
  onChoose,
}: {
  entry: CatalogEntry;
  chosen: boolean;
  active: boolean;
  favorite: boolean;
  onChoose: () => void;
}) {
  const { number } = useFormats();
  return (
    // The keyboard is in the search field, which moves over the options.
    // biome-ignore lint/a11y/useFocusableInteractive: the field names it by aria-activedescendant
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
    <div
      id={`service-${entry.id}`}
      role="option"
      aria-selected={chosen}
      onClick={onChoose}
      className={`flex min-h-13 cursor-pointer items-center gap-3 border-l-2 px-3 py-1.5 text-sm ${chosen ? "border-accent bg-raised" : "border-transparent"} ${active ? "bg-sunken outline-2 -outline-offset-2 outline-line-strong" : "hover:bg-sunken"}`}
    >
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-1.5">
          <span className="truncate" title={entry.name}>
            {entry.name}
          </span>
          {favorite && <Star aria-label="Favorite" role="img" className="size-3.5 shrink-0 fill-accent text-accent" />}
        </p>
        <p className="truncate text-xs text-muted">
          <span className="font-mono">{entry.id}</span> · {entry.category} · {number(entry.min)} to {number(entry.max)}
        </p>
      </div>
      <Rate micro={entry.rate} />
    </div>
  );
}

function Loading() {
  return (
    <div className="flex flex-col gap-4 p-3">
      {[0, 1, 2, 3, 4].map((row) => (
        <div key={row} className="flex flex-col gap-1.5">
          <Skeleton className="h-4 w-2/3" />
          <Skeleton className="h-3 w-1/3" />
        </div>
      ))}
    </div>
  );
}

function countText(count: number, noFavorites: boolean, { number }: Formats): string {
  if (noFavorites) return "No favorites yet. Choose a service and press its star.";
  if (count === 0) return "No service fits. Try fewer words or another category.";
  return `${number(count)} ${count === 1 ? "service" : "services"}; the price is per ${number(1000)}, of a package for one.`;
}

function unique(names: string[]): string[] {
  return [...new Set(names)];
}
