import { Form } from "@remix-run/react";
import { Button } from "#app/components/ui/button.tsx";
import { Field, Input } from "./field.tsx";

/** Searches the page by `q`, with and without scripts. `search` is the current search. `kept`: other fields of the URL. */
export function SearchForm({
  id,
  search,
  placeholder,
  kept = {},
}: {
  id: string;
  search: string;
  placeholder: string;
  kept?: Record<string, string>;
}) {
  return (
    <Form method="get" role="search" className="flex w-full items-end gap-2 sm:w-auto">
      {Object.entries(kept).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Field id={id} label="Search" className="flex-1 sm:w-80">
        {(control) => (
          <Input
            {...control}
            key={search}
            name="q"
            defaultValue={search}
            placeholder={placeholder}
            autoComplete="off"
          />
        )}
      </Field>
      <Button type="submit" variant="secondary" className="sm:h-10">
        Search
      </Button>
    </Form>
  );
}
