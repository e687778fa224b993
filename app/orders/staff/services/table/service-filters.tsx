import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
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
}: {
  filter: ServiceFilter;
  /** The list's order, which stays. */
  sort: string;
  isFiltered: boolean;
  networks: string[];
  categories: string[];
  providers: { id: number; name: string }[];
}) {
  const { search, network, category, provider, state, marginBelow, belowCost, idle } = filter;
  return (
    <ListFilters
      id="services"
      search={{ value: search, label: "Search", placeholder: "ID, name or category" }}
      kept={{ sort }}
      clearTo={isFiltered ? `?sort=${sort}` : null}
    >
      <Choice name="network" label="Network" value={network ?? ""} options={named(networks)} />
      <Choice name="category" label="Category" value={category ?? ""} options={named(categories)} />
      <Choice
        name="provider"
        label="Provider"
        value={String(provider ?? "")}
        options={[["manual", "Manual"], ...providers.map(({ id, name }): [string, string] => [String(id), name])]}
      />
      <Choice
        name="state"
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
        <Box name="loss" label="Sells below cost" checked={belowCost} />
        <Box name="idle" label="No orders in 30 days" checked={idle} />
      </div>
    </ListFilters>
  );
}

function Choice({
  name,
  label,
  value,
  options,
}: {
  name: string;
  label: string;
  value: string;
  options: [string, string][];
}) {
  return (
    <Field id={`services-${name}`} label={label} className="sm:w-36">
      {(control) => (
        <Select {...control} key={value} name={name} defaultValue={value}>
          <option value="">All</option>
          {options.map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function Box({ name, label, checked }: { name: string; label: string; checked: boolean }) {
  return (
    <label className="flex min-h-11 items-center gap-2 text-sm sm:min-h-0">
      <input
        key={String(checked)}
        type="checkbox"
        name={name}
        value="1"
        defaultChecked={checked}
        className="size-4 accent-accent"
      />
      {label}
    </label>
  );
}

function named(names: string[]): [string, string][] {
  return names.map((name) => [name, name]);
}
