import { type FormEvent, useEffect, useRef, useState } from "react";
import { EMAIL_INPUT, Field, Input } from "#app/components/forms/field.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { useFormDraft } from "#app/components/forms/use-draft.ts";
import { toast } from "#app/components/toast/toast.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { noteFirstMessage } from "#app/support/client/first-message.ts";
import type { OwnSession } from "#app/support/client/own-session.ts";
import { BODY_MAX_CHARS, NAME_MAX_CHARS, type SupportSession } from "#app/support/protocol/frames.ts";
import { START_DRAFT } from "#app/support/protocol/session-id.ts";
import { EMAIL_WRONG, NAME_NEEDED, parseStart } from "#app/support/protocol/start-input.ts";
import { isSend, LengthNote } from "#app/support/thread/composer-parts.tsx";
import { startSession } from "./start-session.ts";

export function StartForm({
  takesFocus,
  profile,
  onStarted,
}: {
  takesFocus: boolean;
  profile: OwnSession["profile"];
  onStarted: (session: SupportSession) => void;
}) {
  const [starting, setStarting] = useState(false);
  const [nameMissing, setNameMissing] = useState(false);
  const [emailInvalid, setEmailInvalid] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [message, setMessage] = useState("");
  const draft = useFormDraft(START_DRAFT);
  const nameField = useRef<HTMLInputElement>(null);
  const emailField = useRef<HTMLInputElement>(null);
  const messageField = useRef<HTMLTextAreaElement>(null);
  const isTooLong = message.length > BODY_MAX_CHARS;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it appears
  useEffect(() => {
    if (takesFocus) nameField.current?.focus();
  }, []);

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
    if (isTooLong) {
      messageField.current?.focus();
      return;
    }
    setStarting(true);
    setFailure(null);
    noteFirstMessage(message);
    const started = await startSession(parsed.start);
    setStarting(false);
    if (!started.ok) {
      toast.error(started.error);
      setFailure(started.error);
      return;
    }
    toast.success("Chat session started successfully!");
    onStarted(started.session);
  }

  return (
    <form
      ref={draft.ref}
      noValidate
      onSubmit={start}
      className="flex flex-1 flex-col gap-4 overflow-y-auto p-4 *:shrink-0"
    >
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
            // An account's own address counts, whatever is sent.
            name={profile === null ? "email" : undefined}
            {...EMAIL_INPUT}
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
      <Field id="support-message" label="Your message" optional help="We'll send it when the chat starts.">
        {(control) => (
          <>
            <Textarea
              {...control}
              ref={messageField}
              name="message"
              rows={3}
              value={message}
              onChange={({ target }) => {
                setMessage(target.value);
                noteFirstMessage("");
              }}
              onKeyDown={(event) => {
                if (!isSend(event)) return;
                event.preventDefault();
                event.currentTarget.form?.requestSubmit();
              }}
              aria-invalid={isTooLong || undefined}
              className="field-sizing-content max-h-32 min-h-20 resize-none!"
            />
            <LengthNote draft={message} />
          </>
        )}
      </Field>
    </form>
  );
}
