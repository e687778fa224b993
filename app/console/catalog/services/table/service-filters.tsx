import type { ReactNode } from "react";
import { Field, Input } from "#app/components/forms/field.tsx";
import { FilterBox, FilterChoice } from "#app/components/table/filter-fields.tsx";
import { ListFilters } from "#app/components/table/list-filters.tsx";
import { percentText } from "#app/orders/rules/margin.ts";
import { SERVICE_STATES, type ServiceFilter } from "./service-filter-names.ts";

const STATE_NAMES = { all: "All", enabled: "On sale", disabled: "Off sale" } as const;

export function ServiceFilters({
  filter,
  sort,
  isFiltered,
  networks,
  categories,
  providers,
  tools,
}: {
  filter: ServiceFilter;
  /** The list's order, which stays. */
  sort: string;
  isFiltered: boolean;
  networks: string[];
  categories: string[];
  providers: { id: number; name: string }[];
  tools: ReactNode;
}) {
  const { search, network, category, provider, state, marginBelow, belowCost, idle } = filter;
  return (
    <ListFilters
      id="services"
      search={{ value: search, label: "Search", placeholder: "ID, name or category" }}
      kept={{ sort }}
      clearTo={isFiltered ? `?sort=${sort}` : null}
      tools={tools}
    >
      <FilterChoice
        id="services-network"
        className="sm:w-36"
        name="network"
        label="Network"
        value={network ?? ""}
        options={named(networks)}
      />
      <FilterChoice
        id="services-category"
        className="sm:w-36"
        name="category"
        label="Category"
        value={category ?? ""}
        options={named(categories)}
      />
      <FilterChoice
        id="services-provider"
        name="provider"
        className="sm:w-36"
        label="Provider"
        value={String(provider ?? "")}
        options={[["manual", "Manual"], ...providers.map(({ id, name }): [string, string] => [String(id), name])]}
      />
      <FilterChoice
        id="services-state"
        name="state"
        className="sm:w-36"
        label="Status"
        value={state === "all" ? "" : state}
        options={SERVICE_STATES.filter((one) => one !== "all").map((one) => [one, STATE_NAMES[one]])}
      />
      <Field id="services-margin" label="Margin below" className="sm:w-28">
        {(control) => (
          <Input
            {...control}
            key={marginBelow}
            name="margin"
            defaultValue={marginBelow === null ? "" : percentText(marginBelow)}
            placeholder="20%"
            autoComplete="off"
          />
        )}
      </Field>
      <div className="col-span-2 flex flex-wrap gap-x-4 gap-y-1 sm:h-10 sm:items-center">
        <FilterBox name="loss" label="Sells below cost" checked={belowCost} />
        <FilterBox name="idle" label="No orders in 30 days" checked={idle} />
      </div>
    </ListFilters>
  );
}

function named(names: string[]): [string, string][] {
  return names.map((name) => [name, name]);
}
