import { Link } from "@remix-run/react";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormField } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { BODY_MAX_CHARS } from "#app/support/protocol/frames.ts";
import type { Reply } from "#app/support/team/saved-replies.server.ts";

/** The form of a saved reply, or of a new one if `reply` is undefined. */
export function SavedReplyForm({ reply, result }: { reply: Reply | undefined; result: FormResult | undefined }) {
  return (
    <ActionForm intent="save" result={result} hidden={reply ? { id: reply.id } : {}}>
      <FormField
        name="shortcut"
        label="Shortcut"
        help="What you type after the slash."
        initial={reply?.shortcut ?? ""}
        maxLength={31}
      />
      <FormField name="body" label="Reply" initial={reply?.body ?? ""}>
        {(control, value) => <Textarea {...control} rows={6} maxLength={BODY_MAX_CHARS} defaultValue={value} />}
      </FormField>
      <div className="flex flex-wrap items-center gap-3">
        <SubmitButton>{reply ? "Save reply" : "Add reply"}</SubmitButton>
        {reply && (
          <Link to="/admin/replies" className="text-sm underline underline-offset-4">
            New reply
          </Link>
        )}
      </div>
    </ActionForm>
  );
}
