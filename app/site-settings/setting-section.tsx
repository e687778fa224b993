import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormCheckbox, FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { SettingFacts } from "#app/components/forms/setting-facts.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import type { SettingCard } from "./submit-setting.server.ts";

const GROUPS: [title: string, id: string, names: string[]][] = [
  ["Orders and payments", "orders", ["maintenance", "min_top_up", "link_check"]],
  ["Policies", "policies", ["refund_policy", "terms_url"]],
  ["Alerts", "alerts", ["alert_emails"]],
  ["Reports", "reports", ["report_emails"]],
  [
    "Retention",
    "retention",
    ["conversations_kept_days", "emails_kept_days", "webhook_deliveries_kept_days", "provider_log_kept_days"],
  ],
];

/** The settings of the whole product, each with a form of its own. */
export function SettingSections({ cards, result }: { cards: SettingCard[]; result: FormResult | null }) {
  return (
    <div className="flex flex-col gap-6">
      {GROUPS.map(([title, id, names]) => (
        <Card key={id} title={title} titleId={id} flush>
          {names.map((name) => {
            const card = cards.find((one) => one.name === name);
            return card && <SettingForm key={name} card={card} result={result} />;
          })}
        </Card>
      ))}
    </div>
  );
}

function SettingForm({ card, result }: { card: SettingCard; result: FormResult | null }) {
  const { name, title, help, bounds, intent, version, changed, initial, isInitial, control } = card;
  const own = result?.intent === intent ? result : null;
  // After a conflict, saving again is a decision about the newer value.
  const from = own?.values?.version ?? version;
  return (
    <section
      aria-labelledby={`${name}-title`}
      className="grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-3 border-b border-line p-4 last:border-b-0 sm:p-5 lg:grid-cols-2 lg:grid-rows-[auto_1fr]"
    >
      <div>
        <h3 id={`${name}-title`} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-base font-medium">
          {title}
          {control === "maintenance" && card.isOn && <Badge tone="warn">On</Badge>}
        </h3>
        <p className="mt-1 max-w-prose text-sm text-muted">{help}</p>
      </div>
      <ActionForm
        key={version}
        intent={intent}
        id={name}
        result={result}
        hidden={{ version: from }}
        asksIdentity
        className="flex flex-col items-start gap-4 lg:col-start-2 lg:row-span-2 lg:row-start-1"
      >
        <SettingControl card={card} />
        <SubmitButton variant="secondary" aria-label={`Save ${title.toLowerCase()}`}>
          Save
        </SubmitButton>
      </ActionForm>
      <SettingFacts
        bounds={bounds}
        initial={control === "money" ? `$${initial}` : initial}
        isInitial={isInitial}
        changed={changed}
      />
    </section>
  );
}

function SettingControl({ card: { title, control, choices, typed, isOn } }: { card: SettingCard }) {
  switch (control) {
    case "maintenance":
      return (
        <>
          <FormCheckbox name="on" label="Refuse new orders and top-ups" initial={isOn} />
          <FormField name="value" label="Text for customers" optional initial={typed} className="w-full">
            {(field, value) => <Textarea {...field} rows={2} maxLength={300} defaultValue={value} />}
          </FormField>
        </>
      );
    case "lines":
      return (
        <FormField name="value" label={title} optional initial={typed} className="w-full">
          {(field, value) => <Textarea {...field} rows={3} defaultValue={value} />}
        </FormField>
      );
    case "text":
      return <FormField name="value" label={title} optional initial={typed} className="w-full" />;
    case "choice":
      return (
        <FormField name="value" label={title} initial={typed} className="w-full">
          {(field, value) => (
            <Select {...field} defaultValue={value}>
              {Object.entries(choices).map(([choice, label]) => (
                <option key={choice} value={choice}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </FormField>
      );
    default:
      return (
        <FormField
          name="value"
          label={control === "money" ? "Amount in dollars" : "Days"}
          initial={typed}
          inputMode={control === "money" ? "decimal" : "numeric"}
          className="w-40"
        />
      );
  }
}
