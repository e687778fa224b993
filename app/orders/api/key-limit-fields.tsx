import { FormField } from "#app/components/forms/form-field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { CURRENCY } from "#app/product.ts";

/** `initial` are the values of a key that has limits. Names of the fields: api-key-form.server.ts. */
export function KeyLimitFields({ initial }: { initial?: { addresses: string; dailyCap: string } }) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <div className="group flex min-w-0 flex-col gap-4">
        <FormField name="expires" label="Expires" initial={initial ? "keep" : "never"}>
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              {initial && <option value="keep">Don't change</option>}
              <option value="never">Never</option>
              <option value="30">In 30 days</option>
              <option value="90">In 90 days</option>
              <option value="365">In 365 days</option>
              <option value="date">After a date</option>
            </Select>
          )}
        </FormField>
        <FormField
          name="lastDay"
          label="Last day (UTC)"
          type="date"
          className="hidden group-has-[option[value=date]:checked]:flex"
        />
        <FormField
          name="dailyCap"
          label={`Daily spending cap in ${CURRENCY}`}
          optional
          inputMode="decimal"
          initial={initial?.dailyCap ?? ""}
          help="For orders with this key, per day in UTC. Refunds don't raise it."
        />
      </div>
      <FormField
        name="addresses"
        label="Allowed IP addresses"
        optional
        initial={initial?.addresses ?? ""}
        help="One per line: an address, or a range like 203.0.113.0/24. Empty allows all."
      >
        {(control, value) => (
          <Textarea {...control} defaultValue={value} rows={4} spellCheck={false} className="font-mono" />
        )}
      </FormField>
    </div>
  );
}
