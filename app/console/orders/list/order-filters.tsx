import type { ReactNode } from "react";
import { Field, Input } from "#app/components/forms/field.tsx";
import { FilterBox, FilterChoice } from "#app/components/table/filter-fields.tsx";
import { type Days, ListFilters } from "#app/components/table/list-filters.tsx";
import { HOLD_REASON_NAMES } from "#app/console/orders/hold-reasons.ts";
import type { OrderFilter } from "./order-source.server.ts";

type Narrowing = { filter: OrderFilter; search: string; days: Days };

/** Returns the parameters of a list of orders: what is narrowed, with some of them changed. */
export function orderListQuery({ filter, search, days }: Narrowing, changes: Record<string, string>): string {
  const { view, service, provider, source, heldFor, late, still } = filter;
  const named = {
    q: search,
    state: view,
    service: String(service ?? ""),
    provider: String(provider ?? ""),
    source: source ?? "",
    held: heldFor ?? "",
    late: late ? "1" : "",
    still: still ? "1" : "",
    from: days.from,
    to: days.to,
    zone: days.from === "" && days.to === "" ? "" : days.zone,
    ...changes,
  };
  return `?${new URLSearchParams(Object.entries(named).filter(([, value]) => value !== ""))}`;
}

/** Returns whether a list of orders is narrowed by more than its view and its search. */
export function isNarrowed({ filter, days }: Pick<Narrowing, "filter" | "days">): boolean {
  const { service, provider, source, heldFor, late, still } = filter;
  const hasDays = days.from !== "" || days.to !== "";
  return hasDays || late || still || [service, provider, source, heldFor].some((value) => value !== null);
}

export function OrderFilters({
  filter,
  search,
  days,
  providers,
  serviceName,
  tools,
}: Narrowing & { providers: { id: number; name: string }[]; serviceName: string | null; tools: ReactNode }) {
  const { view, service, provider, source, heldFor, late, still } = filter;
  const isFiltered = search !== "" || isNarrowed({ filter, days });
  return (
    <ListFilters
      id="orders"
      search={{ value: search, label: "Search", placeholder: "ID, link, reference or customer" }}
      days={days}
      kept={{ state: search === "" && heldFor === null && !late && !still ? view : null }}
      clearTo={isFiltered ? `?state=${view}` : null}
      tools={tools}
    >
      <Field id="orders-service" label="Service ID" help={serviceName ?? undefined} className="sm:w-32">
        {(control) => (
          <Input
            {...control}
            key={service}
            name="service"
            inputMode="numeric"
            defaultValue={service ?? ""}
            autoComplete="off"
          />
        )}
      </Field>
      <FilterChoice
        id="orders-provider"
        name="provider"
        label="Provider"
        value={String(provider ?? "")}
        options={[["none", "None"], ...providers.map(({ id, name }): [string, string] => [String(id), name])]}
      />
      <FilterChoice
        id="orders-source"
        name="source"
        label="Placed on"
        value={source ?? ""}
        options={[
          ["web", "Website"],
          ["api", "API"],
        ]}
      />
      <FilterChoice
        id="orders-held"
        name="held"
        label="Held because"
        value={heldFor ?? ""}
        options={HOLD_REASON_NAMES}
      />
      <div className="col-span-2 flex flex-wrap gap-x-4 gap-y-1 sm:h-10 sm:items-center">
        <FilterBox name="late" label="Late" checked={late} />
        <FilterBox name="still" label="Unchanged for a day" checked={still} />
      </div>
    </ListFilters>
  );
}
