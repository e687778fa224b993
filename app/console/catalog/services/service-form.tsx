import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import { type EditFields, EditForm } from "#app/components/forms/edit-form.tsx";
import { FormCheckbox, FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { decimal } from "#app/orders/rules/money-text.ts";
import { statedRefillDays } from "#app/orders/terms/refill-terms.ts";
import { ownValue } from "#app/own-value.ts";
import { CURRENCY } from "#app/product.ts";
import { LOSS_FIELD, LossField } from "./loss-field.tsx";
import type { StaffService } from "./service-admin.server.ts";

const FLAGS = [
  ["dripfeed", "Drip-feed", "Can be delivered in runs."],
  ["refill", "Refill", "Customers can request a refill."],
  ["cancel", "Cancel", "Customers can request a cancellation."],
  ["enabled", "On sale", "Shown in the catalog and the API."],
] as const;

/** Names of the fields, by which a conflict lists them. */
const LABELS: Record<string, string> = {
  name: "Name",
  network: "Network",
  category: "Category",
  description: "Description",
  type: "Type",
  rate: "Rate",
  min: "Minimum",
  max: "Maximum",
  providerId: "Provider",
  providerServiceId: "Provider service ID",
  linkKind: "Link",
  linkCheck: "Other links",
  refillDays: "Refill days",
  position: "Position",
  ...Object.fromEntries(FLAGS.map(([name, label]) => [name, label])),
};

const LINK_CHECK_LABELS: Record<string, string> = {
  strict: "Refuse them",
  warn: "Ask before ordering on the web",
  off: "Don't check",
};

export function ServiceForm({
  service,
  edit,
  choices,
  once,
  result,
}: {
  /** Null for a new service. */
  service: StaffService | null;
  edit: EditFields | null;
  choices: {
    networks: string[];
    categories: string[];
    providers: { id: number; name: string }[];
    types: readonly string[];
    linkKinds: readonly string[];
    /** The default for a new service. */
    linkCheck: string;
  };
  once: string;
  result: FormResult | null;
}) {
  const { number } = useFormats();
  const isBelowCost = result?.fieldErrors?.[LOSS_FIELD] !== undefined;
  function textOf(name: string, text: string): string {
    if (FLAGS.some(([flag]) => flag === name)) return text === "" ? "Off" : "On";
    if (name === "providerId") return choices.providers.find(({ id }) => String(id) === text)?.name ?? "None (manual)";
    if (name === "linkKind") return linkKindLabel(text);
    return name === "linkCheck" ? (ownValue(LINK_CHECK_LABELS, text) ?? text) : text;
  }
  return (
    <EditForm
      asksIdentity
      intent="service"
      edit={edit}
      labels={LABELS}
      textOf={textOf}
      result={result}
      hidden={{ once }}
    >
      <FormField name="name" label="Name" initial={service?.name ?? ""} maxLength={300} />
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField name="network" label="Network" initial={service?.network ?? ""} list="networks" />
        <FormField name="category" label="Category" initial={service?.category ?? ""} list="categories" />
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
      <FormField name="description" label="Description" optional initial={service?.description ?? ""}>
        {(control, value) => <Textarea {...control} rows={4} defaultValue={value} />}
      </FormField>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField
          name="type"
          label="Type"
          help="Decides which fields an order has."
          initial={service?.type ?? "Default"}
        >
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              {choices.types.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </Select>
          )}
        </FormField>
        <FormField
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
        {isBelowCost && (
          <div className="sm:col-span-2">
            <LossField />
          </div>
        )}
        <FormField name="min" label="Minimum" initial={service?.min ?? ""} inputMode="numeric" />
        <FormField name="max" label="Maximum" initial={service?.max ?? ""} inputMode="numeric" />
        <FormField name="providerId" label="Provider" initial={service?.providerId ?? ""}>
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              <option value="">None (manual)</option>
              {choices.providers.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </FormField>
        <FormField
          name="providerServiceId"
          label="Provider service ID"
          optional
          initial={service?.providerServiceId ?? ""}
        />
        <FormField
          name="linkKind"
          label="Link"
          help="The kind of page that an order's link leads to."
          initial={service?.linkKind ?? "auto"}
        >
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              <option value="auto">By network, type and name</option>
              {choices.linkKinds.map((kind) => (
                <option key={kind} value={kind}>
                  {linkKindLabel(kind)}
                </option>
              ))}
            </Select>
          )}
        </FormField>
        <FormField
          name="linkCheck"
          label="Other links"
          help="The API answers “Bad link” where they are refused."
          initial={service?.linkCheck ?? choices.linkCheck}
        >
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              {Object.entries(LINK_CHECK_LABELS).map(([check, label]) => (
                <option key={check} value={check}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </FormField>
        <FormField
          name="refillDays"
          label="Refill days"
          optional
          help={refillHelp(service)}
          initial={service?.refillDays ?? ""}
          inputMode="numeric"
        />
        <FormField
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
          <FormCheckbox key={name} name={name} label={label} help={help} initial={service?.[name] ?? false} />
        ))}
      </fieldset>
      <div>
        <SubmitButton>{service ? "Save service" : "Create service"}</SubmitButton>
      </div>
    </EditForm>
  );
}

function linkKindLabel(kind: string): string {
  return kind === "any" ? "Any page of the network" : `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
}

function refillHelp(service: StaffService | null): string {
  const stated = service?.refillDays === null ? statedRefillDays(`${service.name}\n${service.description}`) : null;
  const help = "Counted from the end of an order. Empty: no limit. Orders keep the days they were placed with.";
  return stated === null ? help : `${help} The name or description says ${stated}.`;
}
