import { useRef, useState, useSyncExternalStore } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import { type EditFields, EditForm } from "#app/components/forms/edit-form.tsx";
import { Input } from "#app/components/forms/field.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { useFieldAtHydration } from "#app/components/hydration/use-fields-at-hydration.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { ANNOUNCEMENT_WORDS } from "#app/words/announcement-words.ts";
import { labelsOf, valueWords } from "#app/words/field-words.ts";

export type EditedAnnouncement = {
  id: number;
  kind: string;
  audience: string;
  body: string;
  link: string | null;
  linkLabel: string | null;
  startsAt: number;
  endsAt: number;
};

/** A new announcement, or the one that is edited. */
export function AnnouncementForm({
  edited,
  edit,
  initial,
  once,
  result,
}: {
  edited: EditedAnnouncement | null;
  edit: EditFields | null;
  /** The times of a new one, in ms. */
  initial: { startsAt: number; endsAt: number };
  once: string;
  result: FormResult | null;
}) {
  const intent = edited ? "change" : "create";
  return (
    <EditForm
      asksIdentity
      key={edited?.id ?? "new"}
      intent={intent}
      edit={edit}
      labels={labelsOf(ANNOUNCEMENT_WORDS)}
      textOf={(name, text) => valueWords(ANNOUNCEMENT_WORDS, name, text) ?? text}
      result={result}
      hidden={edited ? { id: edited.id } : { once }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice name="kind" words={ANNOUNCEMENT_WORDS.kind} initial={edited?.kind ?? "banner"} />
        <Choice
          name="audience"
          words={ANNOUNCEMENT_WORDS.audience}
          initial={edited?.audience ?? "everyone"}
          help="Entries on the Updates page are for everyone."
        />
      </div>
      <FormField
        name="body"
        label={ANNOUNCEMENT_WORDS.body}
        help="Plain text, one line, up to 300 characters."
        initial={edited?.body ?? ""}
      >
        {(field, value) => <Textarea {...field} rows={2} maxLength={300} defaultValue={value} />}
      </FormField>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <FormField
          name="link"
          label={ANNOUNCEMENT_WORDS.link}
          optional
          help="A path like /services, or an https address."
          initial={edited?.link ?? ""}
          maxLength={500}
        />
        <FormField
          name="linkLabel"
          label={ANNOUNCEMENT_WORDS.linkLabel}
          optional
          initial={edited?.linkLabel ?? ""}
          maxLength={60}
        />
        <UtcField name="startsAt" label={ANNOUNCEMENT_WORDS.startsAt} initial={edited?.startsAt ?? initial.startsAt} />
        <UtcField name="endsAt" label={ANNOUNCEMENT_WORDS.endsAt} initial={edited?.endsAt ?? initial.endsAt} />
      </div>
      <div className="flex flex-wrap gap-3">
        <SubmitButton>{edited ? "Save announcement" : "Schedule announcement"}</SubmitButton>
        {edited && (
          <ButtonLink to="/admin/announcements" variant="quiet">
            Cancel
          </ButtonLink>
        )}
      </div>
    </EditForm>
  );
}

function Choice(props: {
  name: string;
  words: { label: string; values: Record<string, string> };
  help?: string;
  initial: string;
}) {
  const { words, ...field } = props;
  return (
    <FormField label={words.label} {...field}>
      {(control, value) => (
        <Select {...control} defaultValue={value}>
          {Object.entries(words.values).map(([choice, text]) => (
            <option key={choice} value={choice}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </FormField>
  );
}

/** A moment typed in UTC, with the same moment by the reader's own clock below it. */
function UtcField({ name, label, initial }: { name: string; label: string; initial: number }) {
  const [typed, setTyped] = useState(inputValue(initial));
  const input = useRef<HTMLInputElement>(null);
  useFieldAtHydration(input, setTyped);
  return (
    <FormField
      name={name}
      label={label}
      help={<LocalMoment at={Date.parse(`${typed}Z`)} />}
      initial={inputValue(initial)}
    >
      {(control, value) => (
        <Input
          {...control}
          ref={input}
          type="datetime-local"
          autoComplete="off"
          defaultValue={value}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </FormField>
  );
}

function inputValue(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}

/** The moment by the reader's own clock, with its zone. The server doesn't know it, and keeps the line's place. */
function LocalMoment({ at }: { at: number }) {
  const { locale } = useFormats();
  const isHydrated = useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
  if (!isHydrated || Number.isNaN(at)) return <>For you: …</>;
  const format = new Intl.DateTimeFormat(locale, {
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
  });
  return <>For you: {format.format(at)}</>;
}
