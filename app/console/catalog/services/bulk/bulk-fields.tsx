import { Form } from "@remix-run/react";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Button } from "#app/components/ui/button.tsx";
import type { BulkInput } from "./bulk-input.server.ts";

const STEPS = ["0.01", "0.05", "0.10", "0.25", "0.50", "1.00"];

/** The fields of a change of many services. They go into the URL, so that a preview can be shown to a colleague. */
export function BulkFields({
  kind,
  values,
  fieldErrors,
  kept,
  categories,
}: Pick<BulkInput, "kind" | "values" | "fieldErrors"> & { kept: [string, string][]; categories: string[] }) {
  const hasPercent = kind === "price" || kind === "margin";
  const hasStep = hasPercent || kind === "round";
  return (
    <Form method="get" preventScrollReset className="flex flex-wrap items-start gap-4">
      {kept.map(([name, value]) => (
        <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
      ))}
      <input type="hidden" name="change" value={kind} />
      {hasPercent && (
        <Field
          id="bulk-by"
          label={kind === "price" ? "Change in percent" : "Margin in percent"}
          help={kind === "price" ? "10 raises prices, -5 lowers them." : "Of the price: 35 keeps $0.35 of each $1.00."}
          error={fieldErrors.by}
          className="w-full sm:w-60"
        >
          {(control) => <Input {...control} name="by" defaultValue={values.by} inputMode="text" autoComplete="off" />}
        </Field>
      )}
      {hasStep && (
        <Field
          id="bulk-step"
          label="Round up to"
          help={kind === "round" ? "Never lowers a rate." : "Never lowers a margin."}
          error={fieldErrors.step}
          className="w-full sm:w-48"
        >
          {(control) => (
            <Select {...control} name="step" defaultValue={values.step}>
              <option value="">{kind === "round" ? "Choose" : "No rounding"}</option>
              {STEPS.map((step) => (
                <option key={step} value={step}>
                  ${step}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {kind === "category" && (
        <Field id="bulk-to" label="Category" error={fieldErrors.to} className="w-full sm:w-80">
          {(control) => (
            <>
              <Input {...control} name="to" defaultValue={values.category} list="bulk-categories" autoComplete="off" />
              <datalist id="bulk-categories">
                {categories.map((category) => (
                  <option key={category} value={category} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      )}
      {(hasStep || kind === "category") && (
        <Button type="submit" variant="secondary" className="max-sm:w-full sm:mt-6.5">
          Preview
        </Button>
      )}
    </Form>
  );
}
