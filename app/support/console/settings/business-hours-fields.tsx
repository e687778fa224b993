import { useFormState } from "#app/components/forms/action-form.tsx";
import { Input } from "#app/components/forms/field.tsx";
import { FormCheckbox, FormField } from "#app/components/forms/form-field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { ownValue } from "#app/own-value.ts";
import { clockText, type SupportSettings } from "#app/support/team/business-hours.ts";
import { inSentence } from "#app/words/field-words.ts";
import { DAYS, SUPPORT_SETTING_WORDS } from "#app/words/support-setting-words.ts";

export function BusinessHoursFields({ settings, zones }: { settings: SupportSettings; zones: string[] }) {
  return (
    <div className="flex flex-col gap-4">
      <FormCheckbox
        name="hoursOn"
        label={`Use ${inSentence(SUPPORT_SETTING_WORDS.hoursOn)}`}
        help="Outside these hours, visitors see when you're back and get the away message."
        initial={settings.hoursOn}
      />
      <FormField name="timeZone" label={SUPPORT_SETTING_WORDS.timeZone} initial={settings.timeZone}>
        {(control, value) => (
          <Select {...control} defaultValue={value}>
            {zones.map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </Select>
        )}
      </FormField>
      <ul className="flex flex-col gap-3">
        {DAYS.map((name, at) => (
          <Day key={name} name={name} at={at} hours={settings.days[at] ?? null} />
        ))}
      </ul>
      <p className="text-sm text-muted">
        Leave both times empty on days off. An end of 00:00 is midnight, and one before the start is on the next day.
      </p>
    </div>
  );
}

function Day({ name, at, hours }: { name: string; at: number; hours: SupportSettings["days"][number] }) {
  const { prefix, errors, values } = useFormState();
  const [from, to] = [`from-${at}`, `to-${at}`];
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
          defaultValue={ownValue(values, from) ?? (hours ? clockText(hours.from) : "")}
        />
        <Input
          {...control}
          name={to}
          aria-label={`${name} to`}
          defaultValue={ownValue(values, to) ?? (hours ? clockText(hours.to) : "")}
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
