import { Link } from "@remix-run/react";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import { type EditFields, EditForm } from "#app/components/forms/edit-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Select } from "#app/components/forms/select.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { type Agent, NOTE_MAX_CHARS } from "#app/support/protocol/console-frames.ts";
import { BODY_MAX_CHARS } from "#app/support/protocol/frames.ts";
import { ASSIGN_TO_ME, NEXT_STEPS, NO_EFFECTS } from "#app/support/protocol/reply-effects.ts";
import type { Reply } from "#app/support/team/saved-replies.server.ts";
import { labelsOf, valueWords } from "#app/words/field-words.ts";
import { NEXT_STEP_WORDS, REPLY_WORDS } from "#app/words/reply-words.ts";

/** The form of a saved reply, or of a new one if `reply` is undefined. */
export function SavedReplyForm({
  reply,
  edit,
  staff,
  result,
}: {
  reply: Reply | undefined;
  edit: EditFields | null;
  staff: Agent[];
  result: FormResult | undefined;
}) {
  const { tags, assignTo, note, next } = reply?.effects ?? NO_EFFECTS;
  const isFormer = assignTo !== "" && assignTo !== ASSIGN_TO_ME && !staff.some(({ id }) => id === assignTo);
  function textOf(name: string, text: string): string {
    if (name !== "assignTo") return valueWords(REPLY_WORDS, name, text) ?? text;
    if (text === "") return "Keep the assignee";
    return text === ASSIGN_TO_ME ? "Whoever sends it" : (staff.find(({ id }) => id === text)?.name ?? "Former agent");
  }
  return (
    <EditForm
      intent="save"
      edit={edit}
      labels={labelsOf(REPLY_WORDS)}
      textOf={textOf}
      result={result}
      hidden={reply ? { id: reply.id } : {}}
    >
      <FormField
        name="shortcut"
        label={REPLY_WORDS.shortcut}
        help="What you type after the slash."
        initial={reply?.shortcut ?? ""}
        maxLength={31}
      />
      <FormField name="body" label={REPLY_WORDS.body} initial={reply?.body ?? ""}>
        {(control, value) => <Textarea {...control} rows={6} maxLength={BODY_MAX_CHARS} defaultValue={value} />}
      </FormField>
      <fieldset className="flex flex-col gap-4 border-t border-line pt-4">
        <legend className="sr-only">What sending it also does</legend>
        <p aria-hidden className="text-sm font-medium">
          When it's sent
        </p>
        <FormField
          name="tags"
          label={REPLY_WORDS.tags}
          optional
          help="Separated by commas."
          initial={tags.join(", ")}
          maxLength={400}
        />
        <FormField name="assignTo" label={REPLY_WORDS.assignTo} initial={isFormer ? "" : assignTo}>
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              <option value="">Keep the assignee</option>
              <option value={ASSIGN_TO_ME}>Whoever sends it</option>
              {staff.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </FormField>
        <FormField name="note" label={REPLY_WORDS.note} optional initial={note}>
          {(control, value) => <Textarea {...control} rows={2} maxLength={NOTE_MAX_CHARS} defaultValue={value} />}
        </FormField>
        <FormField name="next" label={REPLY_WORDS.next.label} initial={next}>
          {(control, value) => (
            <Select {...control} defaultValue={value}>
              {NEXT_STEPS.map((step) => (
                <option key={step} value={step}>
                  {NEXT_STEP_WORDS[step]}
                </option>
              ))}
            </Select>
          )}
        </FormField>
      </fieldset>
      <div className="flex flex-wrap items-center gap-3">
        <SubmitButton>{reply ? "Save reply" : "Add reply"}</SubmitButton>
        {reply && (
          <Link to="/admin/replies" className="text-sm underline underline-offset-4">
            New reply
          </Link>
        )}
      </div>
    </EditForm>
  );
}
