import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Field } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { decimal } from "#app/orders/rules/money.ts";
import { StaffField, StaffForm, type StaffFormResult } from "#app/orders/staff/staff-form.tsx";
import { CURRENCY } from "#app/product.ts";
import type { StaffService } from "./service-admin.server.ts";

export const SERVICE_INTENT = "service";

const FLAGS = [
  ["dripfeed", "Drip-feed", "Can be delivered in runs."],
  ["refill", "Refill", "Customers can request a refill."],
  ["cancel", "Cancel", "Customers can request a cancellation."],
  ["enabled", "On sale", "Shown in the catalog and the API."],
] as const;

export function ServiceForm({
  service,
  choices,
  once,
  result,
}: {
  /** Null for a new service. */
  service: StaffService | null;
  choices: {
    networks: string[];
    categories: string[];
    providers: { id: number; name: string }[];
    types: readonly string[];
  };
  once: string;
  result: StaffFormResult;
}) {
  const { number } = useFormats();
  const typed = result?.values;
  const fields = result?.fields;
  const isChecked = (name: "dripfeed" | "refill" | "cancel" | "enabled") =>
    typed ? typed[name] !== undefined : (service?.[name] ?? false);
  const shared = { result, intent: SERVICE_INTENT };
  return (
    <StaffForm
      intent={SERVICE_INTENT}
      result={result}
      button={service ? "Save service" : "Create service"}
      hidden={{ once }}
    >
      <StaffField {...shared} name="name" label="Name" initial={service?.name ?? ""} maxLength={300} />
      <div className="grid gap-4 sm:grid-cols-2">
        <StaffField {...shared} name="network" label="Network" initial={service?.network ?? ""} list="networks" />
        <StaffField {...shared} name="category" label="Category" initial={service?.category ?? ""} list="categories" />
      </div>
      <datalist id="networks">
        {choices.networks.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <datalist id="categories">
        {choices.categories.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field id="service-description" label="Description" optional error={fields?.description}>
        {(control) => (
          <Textarea
            {...control}
            name="description"
            rows={4}
            defaultValue={typed?.description ?? service?.description ?? ""}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field id="service-type" label="Type" help="Decides which fields an order has." error={fields?.type}>
          {(control) => (
            <Select {...control} name="type" defaultValue={typed?.type ?? service?.type ?? "Default"}>
              {choices.types.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </Select>
          )}
        </Field>
        <StaffField
          {...shared}
          name="rate"
          label={`Rate in ${CURRENCY}`}
          help={
            service?.providerRate
              ? `Per ${number(1000)}; packages per order. Provider rate: ${decimal(service.providerRate, 2)}.`
              : `Per ${number(1000)}; packages per order.`
          }
          initial={service ? decimal(service.rate, 2) : ""}
          inputMode="decimal"
        />
        <StaffField {...shared} name="min" label="Minimum" initial={service?.min ?? ""} inputMode="numeric" />
        <StaffField {...shared} name="max" label="Maximum" initial={service?.max ?? ""} inputMode="numeric" />
        <Field id="service-provider" label="Provider" error={fields?.providerId}>
          {(control) => (
            <Select {...control} name="providerId" defaultValue={typed?.providerId ?? service?.providerId ?? ""}>
              <option value="">None (manual)</option>
              {choices.providers.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <StaffField
          {...shared}
          name="providerServiceId"
          label="Provider service ID"
          optional
          initial={service?.providerServiceId ?? ""}
        />
        <StaffField
          {...shared}
          name="position"
          label="Position"
          help="Lower numbers come first."
          initial={service?.position ?? 0}
          inputMode="numeric"
        />
      </div>
      <fieldset className="grid gap-3 sm:grid-cols-2">
        <legend className="sr-only">Options</legend>
        {FLAGS.map(([name, label, help]) => (
          <label key={name} className="flex min-h-11 items-start gap-2.5 text-sm sm:min-h-0">
            <input
              type="checkbox"
              name={name}
              defaultChecked={isChecked(name)}
              className="mt-0.5 size-4 accent-accent"
            />
            <span>
              {label}
              <span className="block text-muted">{help}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </StaffForm>
  );
}
