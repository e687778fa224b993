import { type FormEvent, useEffect, useRef, useState } from "react";
import { Field, Input } from "#app/components/forms/field.tsx";
import { useFormDraft } from "#app/components/forms/use-draft.ts";
import { toast } from "#app/components/toast/toast.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { type OwnSession, startSession } from "#app/support/client/own-session.ts";
import { NAME_MAX_CHARS, type SupportSession } from "#app/support/protocol/frames.ts";
import { EMAIL_WRONG, NAME_NEEDED, parseStart } from "#app/support/protocol/start-input.ts";

export function StartForm({
  profile,
  onStarted,
}: {
  profile: OwnSession["profile"];
  onStarted: (session: SupportSession) => void;
}) {
  const [starting, setStarting] = useState(false);
  const [nameMissing, setNameMissing] = useState(false);
  const [emailInvalid, setEmailInvalid] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const draft = useFormDraft("support-start");
  const nameField = useRef<HTMLInputElement>(null);
  const emailField = useRef<HTMLInputElement>(null);
  useEffect(() => nameField.current?.focus(), []);

  async function start(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (starting) return;
    const parsed = parseStart(Object.fromEntries(new FormData(event.currentTarget)));
    const isEmailWrong = !parsed.ok && parsed.error === EMAIL_WRONG;
    setNameMissing(!parsed.ok && parsed.error === NAME_NEEDED);
    setEmailInvalid(isEmailWrong);
    if (!parsed.ok) {
      toast.error(parsed.error);
      (isEmailWrong ? emailField : nameField).current?.focus();
      return;
    }
    setStarting(true);
    setFailure(null);
    const started = await startSession(parsed.start);
    setStarting(false);
    if (!started.ok) {
      toast.error(started.error);
      setFailure(started.error);
      return;
    }
    draft.forget();
    toast.success("Chat session started successfully!");
    onStarted(started.session);
  }

  return (
    <form ref={draft.ref} noValidate onSubmit={start} className="flex flex-1 flex-col gap-4 overflow-y-auto p-4">
      <p className="text-sm text-muted">Start a conversation with our support team</p>
      <Field id="support-name" label="Your name">
        {(control) => (
          <Input
            {...control}
            ref={nameField}
            name="name"
            autoComplete="name"
            maxLength={NAME_MAX_CHARS}
            defaultValue={profile?.name}
            aria-invalid={nameMissing || undefined}
          />
        )}
      </Field>
      <Field id="support-email" label="Your email" optional>
        {(control) => (
          <Input
            {...control}
            ref={emailField}
            name="email"
            type="email"
            autoComplete="email"
            defaultValue={profile?.email}
            readOnly={profile !== null}
            aria-invalid={emailInvalid || undefined}
          />
        )}
      </Field>
      <Button type="submit" aria-disabled={starting || undefined}>
        {starting ? "Starting..." : "Start Chat"}
      </Button>
      {failure !== null && <p className="text-sm text-bad">{failure}</p>}
    </form>
  );
}
