import Search from "lucide-react/icons/search";
import Star from "lucide-react/icons/star";
import { useMemo, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import type { Formats } from "#app/components/formats/number-formats.ts";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import type { LinkFilter } from "./link-filter.ts";
import type { CatalogEntry } from "./offers.server.ts";
import { optionId, ServiceOption } from "./service-option.tsx";
import type { CatalogState } from "./use-catalog.ts";
import { type ServiceSearch, useServiceSearch } from "./use-service-search.ts";

const LIST_ID = "service-list";

/** A search over the whole catalog. Focus stays in the field: arrow keys move, Enter chooses. */
export function ServicePicker({
  state,
  chosen,
  favorites,
  error,
  linkFilter,
  onChoose,
}: {
  state: CatalogState;
  chosen: Pick<CatalogEntry, "id" | "rate">;
  favorites: ReadonlySet<number>;
  error: string | undefined;
  /** Leaves out the services that don't take the entered link. */
  linkFilter: LinkFilter | null;
  onChoose: (entry: CatalogEntry) => void;
}) {
  const formats = useFormats();
  const isHydrated = useIsHydrated();
  const all = state.catalog?.services ?? null;
  const [shownAllFor, setShownAllFor] = useState<LinkFilter | null>(null);
  const taking = useMemo(() => (linkFilter && all ? all.filter(linkFilter.takes) : []), [linkFilter, all]);
  const isFiltered = taking.length > 0 && shownAllFor !== linkFilter;
  const entries = isFiltered ? taking : all;
  const search = useServiceSearch(entries, favorites, onChoose);
  const { found, rendered, active, filters } = search;
  return (
    <fieldset disabled={!isHydrated} className="flex min-w-0 flex-col gap-3 sm:col-span-2 noscript:hidden">
      <SearchField search={search} isLoaded={entries !== null} error={error} />
      <Filters search={search} />
      {isFiltered && linkFilter && (
        <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
          Services for {linkFilter.name}.
          <button
            type="button"
            onClick={() => setShownAllFor(linkFilter)}
            className="min-h-11 text-text underline underline-offset-4 sm:min-h-0"
          >
            Show all services
          </button>
        </p>
      )}
      {state.failed ? (
        <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md border border-line p-3 text-sm">
          <p className="text-muted">Couldn't load the catalog. You can still order the selected service.</p>
          <Button variant="secondary" onClick={state.retry}>
            Reload catalog
          </Button>
        </div>
      ) : (
        <div
          ref={search.list}
          id={LIST_ID}
          role="listbox"
          aria-label="Services"
          aria-busy={entries === null}
          onScroll={search.onScroll}
          className="h-64 overflow-y-auto overscroll-contain rounded-md border border-line bg-surface"
        >
          {entries === null && <Loading />}
          {found.slice(0, rendered).map((entry, index) => (
            <ServiceOption
              key={entry.id}
              // The page knows the chosen service's price from its own response, which is newer than the list.
              entry={entry.id === chosen.id ? { ...entry, rate: chosen.rate } : entry}
              chosen={entry.id === chosen.id}
              active={index === active}
              favorite={favorites.has(entry.id)}
              onChoose={() => {
                search.setActive(index);
                onChoose(entry);
              }}
            />
          ))}
        </div>
      )}
      <p role="status" className="text-sm text-muted">
        {entries === null ? "" : countText(found.length, filters.onlyFavorites && favorites.size === 0, formats)}
      </p>
    </fieldset>
  );
}

function SearchField({
  search: { filters, found, active, onKeyDown },
  isLoaded,
  error,
}: {
  search: ServiceSearch;
  isLoaded: boolean;
  error: string | undefined;
}) {
  return (
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
            aria-expanded={isLoaded}
            aria-haspopup="listbox"
            aria-controls={LIST_ID}
            aria-autocomplete="list"
            aria-activedescendant={found[active] ? optionId(found[active]) : undefined}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="instagram likes, or an ID"
            value={filters.words}
            onChange={(event) => filters.setWords(event.target.value)}
            onKeyDown={onKeyDown}
            className="pl-9"
          />
        </div>
      )}
    </Field>
  );
}

function Filters({ search: { filters, networks, categories } }: { search: ServiceSearch }) {
  return (
    <div className="flex flex-wrap gap-2">
      <Choice
        label="Network"
        all="All networks"
        value={filters.network}
        values={networks}
        onChange={filters.setNetwork}
      />
      <Choice
        label="Category"
        all="All categories"
        value={filters.category}
        values={categories}
        onChange={filters.setCategory}
      />
      <Button
        variant="secondary"
        aria-pressed={filters.onlyFavorites}
        onClick={filters.toggleFavorites}
        className="sm:h-10"
      >
        <Star aria-hidden className={`size-4 ${filters.onlyFavorites ? "fill-accent text-accent" : ""}`} />
        Favorites
      </Button>
    </div>
  );
}

function Choice({
  label,
  all,
  value,
  values,
  onChange,
}: {
  label: string;
  all: string;
  value: string;
  values: string[];
  onChange: (value: string) => void;
}) {
  return (
    <div className="min-w-36 flex-1">
      <Select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{all}</option>
        {values.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
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
  if (count === 0) return "No matching services. Try fewer words or another category.";
  return `${number(count)} ${count === 1 ? "service" : "services"}. Prices per ${number(1000)}; packages per order.`;
}
