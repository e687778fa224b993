import { Form } from "@remix-run/react";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Button } from "#app/components/ui/button.tsx";

export type ServiceFilterValues = {
  search: string;
  state: string;
  network: string | null;
  providerId: number | null;
};

export function ServiceFilter({
  filter,
  states,
  networks,
  providers,
}: {
  filter: ServiceFilterValues;
  states: readonly string[];
  networks: string[];
  providers: { id: number; name: string }[];
}) {
  return (
    <Form
      method="get"
      role="search"
      className="mt-6 grid grid-cols-2 items-end gap-3 sm:grid-cols-[2fr_1fr_1fr_1fr_auto]"
    >
      <Field id="service-search" label="Search" className="max-sm:col-span-2">
        {(control) => <Input {...control} name="q" defaultValue={filter.search} placeholder="ID, name or category" />}
      </Field>
      <Field id="service-state" label="Status">
        {(control) => (
          <Select {...control} name="state" defaultValue={filter.state}>
            {states.map((state) => (
              <option key={state} value={state}>
                {state === "all" ? "All" : state === "enabled" ? "On sale" : "Off sale"}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field id="service-network" label="Network">
        {(control) => (
          <Select {...control} name="network" defaultValue={filter.network ?? ""}>
            <option value="">All</option>
            {networks.map((network) => (
              <option key={network}>{network}</option>
            ))}
          </Select>
        )}
      </Field>
      <Field id="service-provider" label="Provider">
        {(control) => (
          <Select {...control} name="provider" defaultValue={filter.providerId ?? ""}>
            <option value="">All</option>
            {providers.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Button type="submit" variant="secondary" className="max-sm:mt-auto sm:h-10">
        Search
      </Button>
    </Form>
  );
}
