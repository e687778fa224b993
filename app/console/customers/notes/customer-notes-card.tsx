import { useFetcher } from "@remix-run/react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { MoreLink } from "#app/components/navigation/more-link.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { cutText } from "#app/cut-text.ts";
import { NOTE_INTENTS, NOTE_MAX_CHARS, NOTES_BEFORE } from "./customer-note-fields.ts";

/** A note as its reader sees it. */
export type ShownNote = { id: number; body: string; authorName: string; createdAt: number; mayDelete: boolean };

/** The notes of the team about a customer, with a form for another one. */
export function CustomerNotesCard({
  notes,
  next,
  once,
  result,
}: {
  notes: ShownNote[];
  next: number | null;
  once: string;
  result: FormResult | null;
}) {
  return (
    <Card title="Notes" titleId="notes" flush>
      <ActionForm
        intent={NOTE_INTENTS.add}
        result={result}
        hidden={{ once }}
        className="flex flex-col items-start gap-3 border-b border-line p-4 sm:p-5"
      >
        <FormField
          name="body"
          label="New note"
          help="For the team. It's part of the data that the customer can download."
          className="w-full max-w-prose"
        >
          {(control, value) => <Textarea {...control} rows={3} maxLength={NOTE_MAX_CHARS} defaultValue={value} />}
        </FormField>
        <SubmitButton variant="secondary">Save note</SubmitButton>
      </ActionForm>
      {notes.length === 0 ? (
        <p className="p-4 text-sm text-muted sm:px-5">No notes yet.</p>
      ) : (
        <ul aria-label="Notes" className="divide-y divide-line">
          {notes.map((note) => (
            <Note key={note.id} note={note} />
          ))}
        </ul>
      )}
      <MoreLink name={NOTES_BEFORE} next={next} keepScroll />
    </Card>
  );
}

function Note({ note: { id, body, authorName, createdAt, mayDelete } }: { note: ShownNote }) {
  const sender = useFetcher<FormResult>();
  return (
    <li className="flex flex-col gap-1 px-4 py-3 text-sm sm:px-5">
      <p className="max-w-prose break-words whitespace-pre-wrap">{body}</p>
      <div className="flex flex-wrap items-center gap-x-3 text-xs text-muted">
        <span>{authorName || "A deleted account"}</span>
        <RelativeDate at={createdAt} />
        {mayDelete && (
          <span className="ml-auto">
            <ConfirmButton
              sender={sender}
              fields={{ intent: NOTE_INTENTS.delete, note: String(id) }}
              button="Delete"
              label={`Delete the note by ${authorName || "a deleted account"}`}
              question="Delete this note?"
              description={body.length > 200 ? `${cutText(body, 200)}…` : body}
              confirm="Delete note"
            />
          </span>
        )}
      </div>
      {sender.data?.ok === false && <Notice tone="bad">{sender.data.message}</Notice>}
    </li>
  );
}
