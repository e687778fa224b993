import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import { type EditFields, EditForm } from "#app/components/forms/edit-form.tsx";
import { FormCheckbox, FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { LOSS_FIELD, LossField } from "#app/console/loss-field.tsx";
import { statedRefillDays } from "#app/orders/delivery/refill-terms.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { CURRENCY } from "#app/product.ts";
import { labelsOf, valueWords } from "#app/words/field-words.ts";
import { SERVICE_WORDS } from "#app/words/service-words.ts";
import type { StaffService } from "./service-admin.server.ts";

const FLAGS = [
  ["dripfeed", "Can be delivered in runs."],
  ["refill", "Customers can request a refill."],
  ["cancel", "Customers can request a cancellation."],
  ["enabled", "Shown in the catalog and the API."],
] as const;

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
    return valueWords(SERVICE_WORDS, name, text) ?? text;
  }
  return (
    <EditForm
      asksIdentity
      intent="service"
      edit={edit}
      labels={labelsOf(SERVICE_WORDS)}
      textOf={textOf}
      result={result}
      hidden={{ once }}
    >
      <FormField name="name" label={SERVICE_WORDS.name} initial={service?.name ?? ""} maxLength={300} />
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField name="network" label={SERVICE_WORDS.network} initial={service?.network ?? ""} list="networks" />
        <FormField name="category" label={SERVICE_WORDS.category} initial={service?.category ?? ""} list="categories" />
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
      <FormField name="description" label={SERVICE_WORDS.description} optional initial={service?.description ?? ""}>
        {(control, value) => <Textarea {...control} rows={4} defaultValue={value} />}
      </FormField>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField
          name="type"
          label={SERVICE_WORDS.type}
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
          label={`${SERVICE_WORDS.rate} in ${CURRENCY}`}
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
        <FormField name="min" label={SERVICE_WORDS.min} initial={service?.min ?? ""} inputMode="numeric" />
        <FormField name="max" label={SERVICE_WORDS.max} initial={service?.max ?? ""} inputMode="numeric" />
        <FormField name="providerId" label={SERVICE_WORDS.providerId} initial={service?.providerId ?? ""}>
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
          label={SERVICE_WORDS.providerServiceId}
          optional
          initial={service?.providerServiceId ?? ""}
        />
        <FormField
          name="linkKind"
          label={SERVICE_WORDS.linkKind}
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
          label={SERVICE_WORDS.linkCheck.label}
          help="The API answers “Bad link” where they are refused."
          initial={service?.linkCheck ?? choices.linkCheck}
        >
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              {Object.entries(SERVICE_WORDS.linkCheck.values).map(([check, label]) => (
                <option key={check} value={check}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </FormField>
        <FormField
          name="refillDays"
          label={SERVICE_WORDS.refillDays}
          optional
          help={refillHelp(service)}
          initial={service?.refillDays ?? ""}
          inputMode="numeric"
        />
        <FormField
          name="position"
          label={SERVICE_WORDS.position}
          help="Lower numbers come first."
          initial={service?.position ?? 0}
          inputMode="numeric"
        />
      </div>
      <fieldset className="grid gap-3 sm:grid-cols-2">
        <legend className="sr-only">Options</legend>
        {FLAGS.map(([name, help]) => (
          <FormCheckbox
            key={name}
            name={name}
            label={SERVICE_WORDS[name]}
            help={help}
            initial={service?.[name] ?? false}
          />
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
