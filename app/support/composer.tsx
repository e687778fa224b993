import Paperclip from "lucide-react/icons/paperclip";
import SendHorizontal from "lucide-react/icons/send-horizontal";
import { type ChangeEvent, type FormEvent, type KeyboardEvent, useEffect, useRef } from "react";
import { Button } from "#app/components/button.tsx";
import { Textarea } from "#app/components/textarea.tsx";
import { toast } from "#app/components/toast.tsx";
import { FILE_TYPES, refusalOf } from "./file-request.ts";
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
  const filePicker = useRef<HTMLInputElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);

  function send(event?: FormEvent): void {
    event?.preventDefault();
    if (draft.trim() === "") return;
    onSend(draft);
    onDraft("");
    field.current?.focus();
  }

  function pickFile({ target }: ChangeEvent<HTMLInputElement>): void {
    const file = target.files?.[0];
    // Or the same file could not be chosen a second time.
    target.value = "";
    if (!file) return;
    const refusal = refusalOf(file);
    if (refusal) toast.error(refusal);
    else onFile(file);
    field.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    // The Enter that picks a word in a Japanese or Chinese keyboard is not a send.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
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
      <input
        ref={filePicker}
        type="file"
        accept={FILE_TYPES}
        aria-label="File to send"
        tabIndex={-1}
        className="sr-only"
        onChange={pickFile}
      />
      <Button
        variant="quiet"
        aria-label="Attach an image or a PDF"
        onClick={() => filePicker.current?.click()}
        className="w-11 px-0 sm:h-10 sm:w-10"
      >
        <Paperclip aria-hidden className="size-5" />
      </Button>
      <Button
        type="submit"
        aria-label="Send message"
        disabled={draft.trim() === ""}
        className="w-11 px-0 sm:h-10 sm:w-10"
      >
        <SendHorizontal aria-hidden className="size-5" />
      </Button>
    </form>
  );
}
