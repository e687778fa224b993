import { Link } from "@remix-run/react";
import { type ComponentProps, Fragment, type ReactNode, useState } from "react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { useOwnAddress } from "#app/components/ui/use-own-address.ts";
import { ownValue } from "#app/own-value.ts";
import { ActionForm, SubmitButton } from "./action-form.tsx";
import type { EditConflict, FormResult } from "./form-result.ts";
import { useIsSubmitting } from "./use-is-submitting.ts";

/** The hidden fields that say what a form began from, as `beginEdit` makes them. */
export type EditFields = { version: string; began: string };

/**
 * A form of something that others may edit at the same time. It sends what it began from, also if the page reads newer data
 * while it is open. After a conflict it shows what someone else saved beside what was typed, and saving again saves on top.
 */
export function EditForm({
  edit,
  labels,
  textOf = (_name, text) => text,
  result,
  hidden,
  children,
  ...form
}: {
  /** The state that the form began from, or null for something new. */
  edit: EditFields | null;
  /** Labels of the fields, by name. A field without one is shown by its name. */
  labels: Record<string, string>;
  /** Formats a field's text where it isn't what its input shows: the name of a choice, for example. */
  textOf?: (name: string, text: string) => string;
} & ComponentProps<typeof ActionForm>) {
  const { intent = "" } = form;
  const own = result?.intent === intent && !result.ok ? result : null;
  const pinned = usePinned(edit, intent, own);
  const began = own?.values?.version ? { version: own.values.version, began: own.values.began ?? "" } : pinned;
  return (
    <ActionForm {...form} result={result} hidden={{ ...hidden, ...began }}>
      {own?.conflict && <Conflict conflict={own.conflict} labels={labels} textOf={textOf} />}
      {/* A field takes its text from the result only when it is made. */}
      <Fragment key={began?.version}>{children}</Fragment>
    </ActionForm>
  );
}

/**
 * Returns what the fields began from: `edit` as it was when they were first shown, and again after they were saved. The
 * page may read newer data meanwhile, which must not make an old form look new.
 */
function usePinned(edit: EditFields | null, intent: string, refused: FormResult | null): EditFields | null {
  const [pinned, setPinned] = useState(edit);
  const isSubmitting = useIsSubmitting(intent);
  const [wasSubmitting, setWasSubmitting] = useState(false);
  if (isSubmitting !== wasSubmitting) {
    setWasSubmitting(isSubmitting);
    if (!isSubmitting && !refused) {
      setPinned(edit);
      return edit;
    }
  }
  return pinned;
}

function Conflict({
  conflict: { fields, changedBy, changedAt },
  labels,
  textOf,
}: {
  conflict: EditConflict;
  labels: Record<string, string>;
  textOf: (name: string, text: string) => string;
}) {
  const address = useOwnAddress();
  return (
    <section aria-label="Saved meanwhile" className="rounded-md border border-line text-sm">
      <p className="border-b border-line px-4 py-3">
        {changedAt === null ? (
          "This was changed automatically: by an import or a provider, not by a person."
        ) : (
          <>
            Changed by <strong className="font-medium">{listOf(changedBy)}</strong>, <RelativeDate at={changedAt} />.
          </>
        )}
      </p>
      {fields.length === 0 && (
        <p className="border-b border-line px-4 py-3 text-muted">No field here differs from what is saved.</p>
      )}
      <dl className="divide-y divide-line">
        {fields.map(({ name, saved, typed, isMine }) => (
          <div
            key={name}
            className="grid gap-x-4 gap-y-1 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)_minmax(0,2fr)]"
          >
            <dt className="font-medium">{ownValue(labels, name) ?? name}</dt>
            <Value title="Saved now" text={textOf(name, saved)} />
            <Value title={isMine ? "Yours" : "Before"} text={textOf(name, typed)} />
          </div>
        ))}
      </dl>
      <div className="flex flex-col gap-3 border-t border-line px-4 py-3">
        <p className="text-muted">
          The fields below hold what you changed, and everything else as it's saved now. Check them, then save.
        </p>
        <div className="flex flex-wrap items-center gap-3">
          <SubmitButton>Save my changes on top</SubmitButton>
          <Link to={address} reloadDocument className="underline underline-offset-4">
            Discard my changes
          </Link>
        </div>
      </div>
    </section>
  );
}

function Value({ title, text }: { title: string; text: ReactNode }) {
  return (
    <dd className="min-w-0">
      <span className="block text-muted">{title}</span>
      <span className="block max-h-48 overflow-y-auto break-words whitespace-pre-wrap">
        {text === "" ? "Empty" : text}
      </span>
    </dd>
  );
}

function listOf(names: string[]): string {
  return names.length === 0 ? "someone" : new Intl.ListFormat("en").format(names);
}
