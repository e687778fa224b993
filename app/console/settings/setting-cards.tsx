import type { ReactNode } from "react";
import { ActionForm, SubmitButton, useFormState } from "#app/components/forms/action-form.tsx";
import { EMAIL_INPUT, Input } from "#app/components/forms/field.tsx";
import { FormCheckbox, FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { SettingFacts } from "#app/components/forms/setting-facts.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { ownValue } from "#app/own-value.ts";
import type { SettingCard } from "./setting-inputs.server.ts";
import type { SiteCard, SiteSetting } from "./site-settings-form.server.ts";
import type { SupportCard } from "./support-settings-form.server.ts";

/** The settings of the whole product, each with a form of its own. */
export function SiteSettingCards({ cards, result }: { cards: SiteCard[]; result: FormResult | null }) {
  return (
    <div className="flex flex-col gap-6">
      {cards.map(({ id, title, settings }) => (
        <Card key={id} title={title} titleId={id} flush>
          {settings.map((setting) => (
            <SettingForm key={setting.name} setting={setting} result={result} />
          ))}
        </Card>
      ))}
    </div>
  );
}

function SettingForm({ setting, result }: { setting: SiteSetting; result: FormResult | null }) {
  const { name, label, help, intent, version, control, texts } = setting;
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
          {label}
          {control.kind === "switchedText" && Object.hasOwn(texts, "on") && <Badge tone="warn">On</Badge>}
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
        <SettingInput setting={{ ...setting, help: "" }} />
        <SubmitButton variant="secondary" aria-label={`Save ${label.toLowerCase()}`}>
          Save
        </SubmitButton>
      </ActionForm>
      <SettingFacts {...setting} />
    </section>
  );
}

/** The cards of the support settings: the first beside the others. All are in one form. */
export function SupportSettingCards({ cards: [first, ...others], zones }: { cards: SupportCard[]; zones: string[] }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-2">
      {first && (
        <SettingGroup card={first} zones={zones}>
          <p className="text-sm text-muted">
            Leave both times empty on days off. An end of 00:00 is midnight, and one before the start is on the next
            day.
          </p>
        </SettingGroup>
      )}
      <div className="flex flex-col gap-6">
        {others.map((card) => (
          <SettingGroup key={card.id} card={card} zones={zones} />
        ))}
      </div>
    </div>
  );
}

function SettingGroup({
  card: { id, title, settings, fact },
  zones,
  children,
}: {
  card: SupportCard;
  zones: string[];
  children?: ReactNode;
}) {
  if (!fact) {
    return (
      <Card title={title} titleId={id}>
        <div className="flex flex-col gap-5">
          {settings.map((setting) => (
            <div key={setting.name}>
              <SettingInput setting={setting} zones={zones} />
              <SettingFacts className="mt-3" {...setting} />
            </div>
          ))}
        </div>
      </Card>
    );
  }
  const days = settings.filter(({ control }) => control.kind === "span");
  return (
    <Card title={title} titleId={id}>
      <div className="flex flex-col gap-4">
        {settings.map(
          (setting) =>
            setting.control.kind !== "span" && <SettingInput key={setting.name} setting={setting} zones={zones} />,
        )}
        <ul className="flex flex-col gap-3">
          {days.map((setting) => (
            <Day key={setting.name} setting={setting} />
          ))}
        </ul>
        {children}
      </div>
      <SettingFacts className="mt-3" {...fact} />
    </Card>
  );
}

function SettingInput({
  setting: { label, help, control, input, texts },
  zones = [],
}: {
  setting: SettingCard;
  zones?: string[];
}) {
  const field = { name: input, label, help, initial: ownValue(texts, input) ?? "" };
  switch (control.kind) {
    case "switch":
      return <FormCheckbox {...field} label={control.box ?? label} initial={Object.hasOwn(texts, input)} />;
    case "switchedText":
      return (
        <>
          <FormCheckbox name="on" label={control.box} initial={Object.hasOwn(texts, "on")} />
          <TextInput {...field} {...control} className="w-full" />
        </>
      );
    case "text":
      return <TextInput {...field} {...control} className="w-full" />;
    case "line":
      return <FormField {...field} optional className="w-full" />;
    case "email":
      return (
        <FormField
          {...field}
          {...EMAIL_INPUT}
          optional
          maxLength={control.maxLength}
          autoComplete="off"
          className="max-w-md"
        />
      );
    case "choice":
      return <Choice {...field} choices={Object.entries(control.values)} />;
    case "zone":
      return <Choice {...field} choices={zones.map((zone) => [zone, zone])} />;
    case "number":
      return (
        <FormField
          {...field}
          optional
          type="number"
          inputMode="numeric"
          min={control.min}
          max={control.max}
          className="max-w-xs"
        />
      );
    case "money":
      return <FormField {...field} label="Amount in dollars" inputMode="decimal" className="w-40" />;
    case "days":
      return <FormField {...field} label="Days" inputMode="numeric" className="w-40" />;
    case "span":
      return null;
    default:
      return control satisfies never;
  }
}

type Labeled = { name: string; label: string; help: string; initial: string };

function TextInput({
  rows,
  maxLength,
  kind: _,
  ...field
}: Labeled & { kind: string; rows: number; maxLength?: number; className: string }) {
  return (
    <FormField {...field} optional>
      {(control, value) => <Textarea {...control} rows={rows} maxLength={maxLength} defaultValue={value} />}
    </FormField>
  );
}

function Choice({ choices, ...field }: Labeled & { choices: [value: string, label: string][] }) {
  return (
    <FormField {...field} className="w-full">
      {(control, value) => (
        <Select {...control} defaultValue={value}>
          {choices.map(([choice, label]) => (
            <option key={choice} value={choice}>
              {label}
            </option>
          ))}
        </Select>
      )}
    </FormField>
  );
}

/** The hours of a day: two times, or neither. */
function Day({ setting: { name, texts } }: { setting: SettingCard }) {
  const { prefix, errors, values } = useFormState();
  const [from = "", to = ""] = Object.keys(texts);
  const error = ownValue(errors, from);
  const errorId = `${prefix}-${from}-error`;
  const control = { type: "time", "aria-invalid": error ? true : undefined, "aria-describedby": error && errorId };
  return (
    <li>
      <fieldset className="grid grid-cols-2 items-center gap-x-3 gap-y-1.5 text-sm sm:grid-cols-[minmax(0,1fr)_140px_140px]">
        <legend className="sr-only">{name}</legend>
        <span aria-hidden className="col-span-2 sm:col-span-1">
          {name}
        </span>
        <Input
          {...control}
          name={from}
          aria-label={`${name} from`}
          autoFocus={error ? true : undefined}
          defaultValue={ownValue(values, from) ?? ownValue(texts, from)}
        />
        <Input
          {...control}
          name={to}
          aria-label={`${name} to`}
          defaultValue={ownValue(values, to) ?? ownValue(texts, to)}
        />
      </fieldset>
      {error && (
        <p id={errorId} className="mt-1 text-sm text-bad">
          {error}
        </p>
      )}
    </li>
  );
}
