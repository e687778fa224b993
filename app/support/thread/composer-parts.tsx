import Paperclip from "lucide-react/icons/paperclip";
import SendHorizontal from "lucide-react/icons/send-horizontal";
import { type ChangeEvent, type KeyboardEvent, type RefObject, useRef } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { toast } from "#app/components/toast/toast.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { FILE_TYPES, refusalOf } from "#app/support/protocol/file-limits.ts";
import { BODY_MAX_CHARS } from "#app/support/protocol/frames.ts";

/** What the visitor's and the agent's composer have in common. */

const SQUARE = "w-11 px-0 sm:h-10 sm:w-10";

/** Enter alone; with Shift it breaks the line. */
export function isSend({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean {
  // The Enter that picks a word in a Japanese or Chinese keyboard is not a send.
  return key === "Enter" && !shiftKey && !nativeEvent.isComposing;
}

/** Whether a draft is a message. What is pasted too long is kept to be cut by its writer, and not cut for them. */
export function canSend(draft: string): boolean {
  return draft.trim() !== "" && draft.length <= BODY_MAX_CHARS;
}

/** Nothing until the draft is too long. */
export function LengthNote({ draft }: { draft: string }) {
  const { number } = useFormats();
  const over = draft.length - BODY_MAX_CHARS;
  return (
    <p role="status" className="w-full text-xs text-bad empty:hidden">
      {over > 0 && `Too long by ${number(over)}: a message has at most ${number(BODY_MAX_CHARS)} characters.`}
    </p>
  );
}

/** Chooses a file; afterwards the focus is in `field`. */
export function AttachButton({
  onFile,
  field,
}: {
  onFile: (file: File) => void;
  field: RefObject<HTMLTextAreaElement>;
}) {
  const filePicker = useRef<HTMLInputElement>(null);

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

  return (
    <>
      <input
        ref={filePicker}
        type="file"
        accept={FILE_TYPES}
        aria-label="File to send"
        className="hidden"
        onChange={pickFile}
      />
      <Button
        variant="quiet"
        aria-label="Attach an image or a PDF"
        onClick={() => filePicker.current?.click()}
        className={SQUARE}
      >
        <Paperclip aria-hidden className="size-5" />
      </Button>
    </>
  );
}

export function SendButton({ label, disabled, busy }: { label: string; disabled: boolean; busy?: boolean }) {
  return (
    <Button type="submit" aria-label={label} disabled={disabled} busy={busy} className={SQUARE}>
      <SendHorizontal aria-hidden className="size-5" />
    </Button>
  );
}
