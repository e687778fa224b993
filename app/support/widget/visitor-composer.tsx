import { type FormEvent, type KeyboardEvent, useEffect, useRef } from "react";
import { Textarea } from "#app/components/forms/textarea.tsx";
import {
  AttachButton,
  canSend,
  DropNote,
  isSend,
  LengthNote,
  SendButton,
} from "#app/support/thread/composer-parts.tsx";
import { pasteFiles, useFileDrop } from "#app/support/thread/file-intake.ts";

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
  const isOver = useFileDrop(field, onFile);
  useEffect(() => field.current?.focus(), []);

  function send(event?: FormEvent): void {
    event?.preventDefault();
    if (!canSend(draft)) return;
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
    <form onSubmit={send} className="flex shrink-0 flex-wrap items-end gap-2 border-t border-line p-3">
      {isOver && <DropNote />}
      <LengthNote draft={draft} />
      <Textarea
        ref={field}
        rows={1}
        value={draft}
        placeholder="Type your message..."
        aria-label="Your message"
        onChange={(event) => {
          onDraft(event.target.value);
          onTyping();
        }}
        onKeyDown={onKeyDown}
        onPaste={(event) => pasteFiles(event, onFile)}
        className="field-sizing-content max-h-32 min-h-11 w-auto! min-w-0 flex-1 resize-none! sm:min-h-10"
      />
      <AttachButton onFile={onFile} field={field} />
      <SendButton label="Send message" disabled={!canSend(draft)} />
    </form>
  );
}
