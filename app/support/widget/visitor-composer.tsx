import { type FormEvent, type KeyboardEvent, Suspense, useEffect, useRef, useState } from "react";
import { Textarea } from "#app/components/forms/textarea.tsx";
import type { RoomClient } from "#app/support/client/room-client.ts";
import {
  AttachButton,
  canSend,
  DropNote,
  isSend,
  LengthNote,
  SendButton,
} from "#app/support/thread/composer-parts.tsx";
import { pasteFiles, useFileDrop } from "#app/support/thread/file-intake.ts";
import { lazyPart } from "./lazy-part.ts";

// The message field doesn't wait for it.
const EmojiButton = lazyPart(async () => (await import("#app/support/thread/emoji/emoji-button.tsx")).EmojiButton);

export function Composer({
  room,
  takesFocus,
  draft,
  onDraft,
}: {
  /** Null until it is known where to send to. */
  room: RoomClient | null;
  takesFocus: boolean;
  draft: string;
  onDraft: (text: string) => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [waits, setWaits] = useState(false);
  const onFile = room?.sendFile ?? null;
  const isOver = useFileDrop(field, onFile);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it appears
  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, []);

  function send(event?: FormEvent): void {
    event?.preventDefault();
    if (!canSend(draft)) return;
    setWaits(!room);
    if (!room) return;
    room.send(draft);
    onDraft("");
    field.current?.focus();
  }

  // Sent before it was known where to: the thread of the page before is there at once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the room comes
  useEffect(() => {
    if (waits) send();
  }, [room]);

  function onKeyDown(event: KeyboardEvent): void {
    if (!isSend(event)) return;
    event.preventDefault();
    send();
  }

  return (
    <form onSubmit={send} className="relative flex shrink-0 flex-wrap items-end gap-2 border-t border-line p-3">
      {isOver && <DropNote />}
      <LengthNote draft={draft} />
      <Textarea
        ref={field}
        rows={1}
        value={draft}
        placeholder="Type your message..."
        aria-label="Your message"
        onChange={(event) => {
          setWaits(false);
          onDraft(event.target.value);
          room?.typing();
        }}
        onKeyDown={onKeyDown}
        onPaste={(event) => onFile && pasteFiles(event, onFile)}
        className="field-sizing-content max-h-32 min-h-11 w-auto! min-w-0 flex-1 resize-none! sm:min-h-10"
      />
      <Suspense fallback={<span className="w-11 sm:w-10" />}>
        <EmojiButton field={field} />
      </Suspense>
      <AttachButton onFile={onFile} field={field} />
      <SendButton label="Send message" disabled={!canSend(draft)} />
    </form>
  );
}
