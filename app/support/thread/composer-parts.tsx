import Paperclip from "lucide-react/icons/paperclip";
import SendHorizontal from "lucide-react/icons/send-horizontal";
import { type ChangeEvent, type KeyboardEvent, type RefObject, useRef } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { isBlank } from "#app/http/clean-text.ts";
import { FILE_TYPES } from "#app/support/protocol/file-limits.ts";
import { BODY_MAX_CHARS } from "#app/support/protocol/frames.ts";
import { takeFiles } from "./file-intake.ts";

/** Parts shared by the visitor's and the agent's composer. */

/** The code of a key that an input method has taken. */
const TAKEN_KEY = 229;
const SQUARE = "w-11 px-0 sm:h-10 sm:w-10";

/** Returns true for Enter. Shift+Enter breaks the line. */
export function isSend({ key, shiftKey, keyCode }: KeyboardEvent): boolean {
  // Enter also picks a word in a Japanese or Chinese input method. In Safari `isComposing` has ended by then.
  return key === "Enter" && !shiftKey && keyCode !== TAKEN_KEY;
}

/** Returns whether a draft can be sent. A draft that is too long stays as it is: its writer decides what to cut. */
export function canSend(draft: string): boolean {
  return !isBlank(draft) && draft.length <= BODY_MAX_CHARS;
}

/** Empty until the draft is too long. */
export function LengthNote({ draft }: { draft: string }) {
  const { number } = useFormats();
  const over = draft.length - BODY_MAX_CHARS;
  return (
    <p role="status" className="w-full text-xs text-bad empty:hidden">
      {over > 0 && `${number(over)} over the limit of ${number(BODY_MAX_CHARS)} characters.`}
    </p>
  );
}

/** Shown while files are held over the composer or the thread. */
export function DropNote() {
  return (
    <p className="w-full rounded-md border border-dashed border-accent px-3 py-2 text-center text-sm">
      Drop images or PDFs to send them
    </p>
  );
}

/** Opens the file picker, then moves the focus to `field`. */
export function AttachButton({
  onFile,
  field,
}: {
  /** Null while no file can be sent. */
  onFile: ((file: File) => void) | null;
  field: RefObject<HTMLTextAreaElement>;
}) {
  const filePicker = useRef<HTMLInputElement>(null);

  function pickFiles({ target }: ChangeEvent<HTMLInputElement>): void {
    if (!onFile || !target.files || target.files.length === 0) return;
    takeFiles(target.files, onFile);
    // Otherwise choosing the same file again fires no event.
    target.value = "";
    field.current?.focus();
  }

  return (
    <>
      <input
        ref={filePicker}
        type="file"
        multiple
        accept={FILE_TYPES}
        aria-label="File to send"
        className="hidden"
        onChange={pickFiles}
      />
      <Button
        variant="quiet"
        aria-label="Attach images or PDFs"
        disabled={!onFile}
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
