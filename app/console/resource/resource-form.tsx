import { Link } from "@remix-run/react";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import { type EditFields, EditForm } from "#app/components/forms/edit-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { UtcField } from "#app/components/forms/utc-field.tsx";
import { ownValue } from "#app/own-value.ts";
import { CURRENCY } from "#app/product.ts";
import { labelsOf, valueWords } from "#app/words/field-words.ts";
import { type Field, momentText } from "./fields.ts";
import { type Options, pathOfPage, type Resource } from "./resource.ts";

/** A record that is edited: the texts of its fields, and what its form began from. */
export type EditedRecord = { id: number; name: string; texts: Record<string, string>; edit: EditFields };

/** The form of a new record, or of the edited one. `once`: the key by which a new one is created once. */
export function ResourceForm({
  resource,
  edited,
  options,
  once,
  now,
  result,
  isWide,
}: {
  resource: Resource;
  edited: EditedRecord | null;
  options: Options;
  once: string;
  /** In ms. */
  now: number;
  result: FormResult | undefined;
  isWide: boolean;
}) {
  const { fields, form, once: isOnce, withoutProof } = resource;
  return (
    <EditForm
      intent="save"
      asksIdentity={!withoutProof}
      edit={edited?.edit ?? null}
      labels={labelsOf(fields)}
      textOf={(name, text) => valueWords(fields, name, text) ?? ownValue(ownValue(options, name), text) ?? text}
      result={result}
      hidden={edited ? { id: edited.id } : isOnce ? { once: result?.values?.once || once } : {}}
    >
      {groupsOf(Object.entries(fields)).map(({ heading, fields: group }) => (
        <fieldset key={heading} className={heading ? "flex flex-col gap-4 border-t border-line pt-4" : "contents"}>
          {heading && <legend className="float-left text-sm font-medium">{heading}</legend>}
          <div className={isWide ? "grid gap-4 sm:grid-cols-2 lg:grid-cols-4" : "flex flex-col gap-4"}>
            {group.map(([name, field]) => (
              <ResourceField
                key={name}
                name={name}
                field={field}
                initial={ownValue(edited?.texts, name) ?? initialText(field, now)}
                offered={ownValue(options, name) ?? {}}
              />
            ))}
          </div>
        </fieldset>
      ))}
      <div className="flex flex-wrap items-center gap-3">
        <SubmitButton>{edited ? form.save : form.add}</SubmitButton>
        {edited && (
          <Link to={pathOfPage(resource)} className="text-sm underline underline-offset-4">
            {form.new}
          </Link>
        )}
      </div>
    </EditForm>
  );
}

function ResourceField({
  name,
  field,
  initial,
  offered,
}: {
  name: string;
  field: Field;
  initial: string;
  offered: Record<string, string>;
}) {
  const { label, help, optional = false } = field;
  const shown = { name, label, help, optional, initial };
  switch (field.kind) {
    case "line":
      return (
        <>
          <FormField {...shown} maxLength={field.max} list={field.suggestions && `${name}-suggestions`} />
          {field.suggestions && (
            <datalist id={`${name}-suggestions`}>
              {Object.values(offered).map((text) => (
                <option key={text} value={text} />
              ))}
            </datalist>
          )}
        </>
      );
    case "text":
      return (
        <FormField {...shown} className="sm:col-span-full">
          {(control, text) => <Textarea {...control} rows={field.rows} maxLength={field.max} defaultValue={text} />}
        </FormField>
      );
    case "choice": {
      const choices = { ...field.values, ...offered };
      return (
        <FormField {...shown} optional={false} initial={Object.hasOwn(choices, initial) ? initial : ""}>
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              {Object.entries(choices).map(([one, words]) => (
                <option key={one} value={one}>
                  {words}
                </option>
              ))}
            </Select>
          )}
        </FormField>
      );
    }
    case "money":
      return <FormField {...shown} label={`${label} in ${CURRENCY}`} inputMode="decimal" />;
    case "percent":
      return <FormField {...shown} inputMode="decimal" />;
    case "count":
      return <FormField {...shown} inputMode="numeric" />;
    case "day":
    case "lastDay":
      return <FormField {...shown} type="date" />;
    case "moment":
      return <UtcField {...shown} />;
  }
}

function initialText(field: Field, now: number): string {
  return field.kind === "moment" ? momentText(now + field.fromNow) : String(field.initial ?? "");
}

/** Splits the fields at those that start a group. */
function groupsOf(fields: [string, Field][]): { heading: string; fields: [string, Field][] }[] {
  const groups = [{ heading: "", fields: [] as [string, Field][] }];
  for (const one of fields) {
    const heading = one[1].heading;
    if (heading !== undefined) groups.push({ heading, fields: [] });
    groups.at(-1)?.fields.push(one);
  }
  return groups;
}
