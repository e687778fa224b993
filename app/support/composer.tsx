import { type FormEvent, type KeyboardEvent, useEffect, useRef } from "react";
import { Textarea } from "#app/components/textarea.tsx";
import { AttachButton, isSend, SendButton } from "./composer-parts.tsx";
import { BODY_MAX_CHARS } from "./protocol.ts";

export function Composer({
  draft,
  onDraft,
  onSend,
  onTyping,
  onFile,
}: {
  draft: string;
  onDraft: (text: string) => void;
  onSend: (text: string) => void;
  onTyping: () => void;
  onFile: (file: File) => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);

  function send(event?: FormEvent): void {
    event?.preventDefault();
    if (draft.trim() === "") return;
    onSend(draft);
    onDraft("");
    field.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (!isSend(event)) return;
    event.preventDefault();
    send();
  }

  return (
    <form onSubmit={send} className="flex shrink-0 items-end gap-2 border-t border-line p-3">
      <Textarea
        ref={field}
        rows={1}
        value={draft}
        maxLength={BODY_MAX_CHARS}
        placeholder="Type your message..."
        aria-label="Your message"
        onChange={(event) => {
          onDraft(event.target.value);
          onTyping();
        }}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-32 min-h-11 resize-none! sm:min-h-10"
      />
      <AttachButton onFile={onFile} field={field} />
      <SendButton label="Send message" disabled={draft.trim() === ""} />
    </form>
  );
}
