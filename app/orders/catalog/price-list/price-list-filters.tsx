import { Form, useSubmit } from "@remix-run/react";
import type { ChangeEvent } from "react";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { PRICE_LIST_PATH, type PriceListQuery } from "./price-list-paths.ts";

/** Searches the price list on the server. With scripts, choosing a network or a category searches at once. */
export function PriceListFilters({
  query,
  networks,
  categories,
}: {
  query: PriceListQuery;
  networks: string[];
  categories: string[];
}) {
  const submit = useSubmit();
  const send = ({ currentTarget }: ChangeEvent<HTMLSelectElement>) =>
    submit(currentTarget.form, { preventScrollReset: true });
  return (
    <Form
      action={PRICE_LIST_PATH}
      role="search"
      aria-label="Price list"
      preventScrollReset
      className="grid items-end gap-3 sm:grid-cols-[1fr_180px_180px_auto]"
    >
      <Field id="price-search" label="Search">
        {(control) => (
          <Input
            {...control}
            key={query.q}
            type="search"
            name="q"
            defaultValue={query.q}
            placeholder="instagram likes, or a service ID"
            maxLength={100}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
      </Field>
      <Choice
        id="price-network"
        name="network"
        label="Network"
        all="All networks"
        value={query.network}
        values={networks}
        onChange={send}
      />
      <Choice
        id="price-category"
        name="category"
        label="Category"
        all="All categories"
        value={query.category}
        values={categories}
        onChange={send}
      />
      <Button type="submit" variant="secondary" className="sm:h-10">
        Search
      </Button>
    </Form>
  );
}

function Choice({
  id,
  name,
  label,
  all,
  value,
  values,
  onChange,
}: {
  id: string;
  name: string;
  label: string;
  all: string;
  value: string;
  values: string[];
  onChange: (event: ChangeEvent<HTMLSelectElement>) => void;
}) {
  return (
    <Field id={id} label={label}>
      {(control) => (
        <Select {...control} key={value} name={name} defaultValue={value} onChange={onChange}>
          <option value="">{all}</option>
          {values.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </Select>
      )}
    </Field>
  );
}
