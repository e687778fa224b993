import Mail from "lucide-react/icons/mail";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { EMAIL_INPUT, Field, Input } from "#app/components/forms/field.tsx";
import { useFormDraft } from "#app/components/forms/use-draft.ts";
import { toast } from "#app/components/toast/toast.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { postEmail } from "#app/support/client/room-http.ts";
import { EMAIL_WRONG, parseEmail } from "#app/support/protocol/start-input.ts";

/** A line below the thread that takes the visitor's address while nobody answers. `onDone` moves the focus. */
export function EmailOffer({ sessionId, onDone }: { sessionId: string; onDone: () => void }) {
  const [isAsking, setAsking] = useState(false);
  if (isAsking) return <EmailForm sessionId={sessionId} onDone={onDone} />;
  return (
    <div className="px-4 pb-2">
      <Button variant="quiet" onClick={() => setAsking(true)} className="-ml-3">
        <Mail aria-hidden className="size-4" />
        Get the answer by email
      </Button>
    </div>
  );
}

function EmailForm({ sessionId, onDone }: { sessionId: string; onDone: () => void }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const draft = useFormDraft(`support-email:${sessionId}`);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);

  async function save(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (busy) return;
    const email = parseEmail(Object.fromEntries(new FormData(event.currentTarget)));
    let failure = email === null ? EMAIL_WRONG : undefined;
    if (email !== null) {
      setBusy(true);
      const status = await postEmail(sessionId, email);
      setBusy(false);
      if (status !== 204) failure = ERRORS[status] ?? "We couldn't save your email. Please try again.";
    }
    setError(failure);
    if (failure !== undefined) {
      field.current?.focus();
      return;
    }
    draft.forget();
    toast.success(`We'll email the answer to ${email}`);
    onDone();
  }

  return (
    <form ref={draft.ref} noValidate onSubmit={save} className="flex items-start gap-2 border-t border-line p-3">
      <Field id="support-answer-email" label="Your email for the answer" error={error} className="flex-1">
        {({ autoFocus: _, ...control }) => (
          <div className="flex gap-2">
            <Input {...control} ref={field} name="email" {...EMAIL_INPUT} autoComplete="email" />
            <Button type="submit" variant="secondary" busy={busy} className="shrink-0">
              Save
            </Button>
          </div>
        )}
      </Field>
    </form>
  );
}

const ERRORS: Record<number, string> = {
  422: EMAIL_WRONG,
  429: "You've changed your email several times today. Try again tomorrow.",
};
