import Lock from "lucide-react/icons/lock";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Button } from "#app/components/ui/button.tsx";
import type { Reply } from "#app/support/team/saved-replies.server.ts";
import { AttachButton, canSend, isSend, LengthNote, SendButton } from "#app/support/thread/composer-parts.tsx";
import { fillReply, matchReplies } from "./canned-replies.ts";

export type ComposerMode = "reply" | "note";

/** Answers the visitor, or writes a note that only the team sees. A slash at the start offers canned replies. */
export function ConsoleComposer({
  mode,
  onMode,
  focus,
  draft,
  onDraft,
  onSend,
  onNote,
  onTyping,
  onFile,
  replies,
  names,
}: {
  mode: ComposerMode;
  onMode: (mode: ComposerMode) => void;
  /** The field takes the focus when this changes. */
  focus: number;
  draft: string;
  onDraft: (text: string) => void;
  onSend: (text: string) => void;
  /** False when it was not stored; the text stays. */
  onNote: (text: string) => Promise<boolean>;
  onTyping: () => void;
  onFile: (file: File) => void;
  replies: Reply[];
  names: { visitor: string; agent: string };
}) {
  const isHydrated = useIsHydrated();
  const field = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const whoId = useId();
  const [at, setAt] = useState(0);
  const [dismissed, setDismissed] = useState(false);
  const [busy, setBusy] = useState(false);
  const found = mode === "reply" && !dismissed ? matchReplies(draft, replies) : null;
  const options = found && found.length > 0 ? found : null;
  const chosen = options?.[Math.min(at, options.length - 1)];
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again
  useEffect(() => field.current?.focus(), [focus]);

  function write(text: string): void {
    onDraft(text);
    setAt(0);
    if (!text.startsWith("/")) setDismissed(false);
    if (mode === "reply") onTyping();
  }

  function insert(reply: Reply): void {
    onDraft(fillReply(reply.body, names));
    setAt(0);
    field.current?.focus();
  }

  async function send(): Promise<void> {
    if (!canSend(draft) || busy) return;
    // Now and not when the answer has come: by then the agent may have left the field for the keys.
    field.current?.focus();
    if (mode === "reply") {
      onSend(draft);
      onDraft("");
    } else {
      setBusy(true);
      const stored = await onNote(draft);
      setBusy(false);
      if (stored) onDraft("");
    }
  }

  function onKeyDown(event: KeyboardEvent): void {
    // A Japanese or Chinese keyboard picks a word with these keys.
    if (event.nativeEvent.isComposing) return;
    const { key } = event;
    if (options && chosen) {
      if (key === "ArrowDown" || key === "ArrowUp") {
        event.preventDefault();
        setAt((at + (key === "ArrowDown" ? 1 : options.length - 1)) % options.length);
        return;
      }
      if (isSend(event) || key === "Tab") {
        event.preventDefault();
        insert(chosen);
        return;
      }
      if (key === "Escape") {
        setDismissed(true);
        return;
      }
    }
    if (key === "Escape") field.current?.blur();
    else if (isSend(event)) {
      event.preventDefault();
      send();
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      data-mode={mode}
      className="relative shrink-0 border-t border-line p-3 data-[mode=note]:border-t-2 data-[mode=note]:border-dashed data-[mode=note]:border-warn data-[mode=note]:bg-warn-wash"
    >
      {options && (
        <div
          id={listId}
          role="listbox"
          aria-label="Canned replies"
          className="absolute inset-x-3 bottom-full z-10 mb-1 max-h-72 overflow-y-auto rounded-md border border-line bg-raised py-1 shadow-float"
        >
          {options.map((reply, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={reply.id}
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={reply === chosen}
              onClick={() => insert(reply)}
              className="flex cursor-pointer gap-3 px-3 py-2 text-sm aria-selected:bg-sunken"
            >
              <span className="shrink-0 font-mono text-xs leading-5">/{reply.shortcut}</span>
              <span className="truncate text-muted">{reply.body}</span>
            </div>
          ))}
        </div>
      )}
      <div className="mb-2 flex items-center gap-1">
        <fieldset aria-label="What to write" className="flex shrink-0 gap-1">
          <Mode label="Reply" on={mode === "reply"} onClick={() => onMode("reply")} />
          <Mode label="Note" on={mode === "note"} onClick={() => onMode("note")} />
        </fieldset>
        <p id={whoId} role="status" className="ml-2 flex min-w-0 items-center gap-1.5 text-xs">
          {mode === "note" ? (
            <span className="flex items-center gap-1.5 font-medium text-warn">
              <Lock aria-hidden className="size-3 shrink-0" />
              Only the team reads this
            </span>
          ) : (
            <span className="truncate text-muted">To {names.visitor}</span>
          )}
        </p>
      </div>
      <LengthNote draft={draft} />
      <div className="flex items-end gap-2">
        <Textarea
          ref={field}
          readOnly={!isHydrated}
          rows={1}
          value={draft}
          placeholder={mode === "reply" ? "Type your message..." : "Write a note for the team"}
          aria-label={mode === "reply" ? "Your message" : "Your note"}
          aria-describedby={whoId}
          aria-autocomplete="list"
          aria-controls={options ? listId : undefined}
          aria-activedescendant={options && chosen ? `${listId}-${options.indexOf(chosen)}` : undefined}
          onChange={(event) => write(event.target.value)}
          onKeyDown={onKeyDown}
          className="field-sizing-content max-h-40 min-h-11 resize-none! sm:min-h-10"
        />
        {mode === "reply" && <AttachButton onFile={onFile} field={field} />}
        {mode === "reply" ? (
          <SendButton label="Send message" disabled={!canSend(draft)} busy={busy} />
        ) : (
          <Button type="submit" variant="secondary" disabled={!canSend(draft)} busy={busy} className="shrink-0 sm:h-10">
            Save note
          </Button>
        )}
      </div>
    </form>
  );
}

function Mode({ label, on, onClick }: { label: string; on: boolean; onClick: () => void }) {
  return (
    <button
      type="button"
      disabled={!useIsHydrated()}
      aria-pressed={on}
      onClick={onClick}
      className="h-11 rounded-md px-3 text-xs font-medium text-muted transition-colors hover:text-text aria-pressed:bg-sunken aria-pressed:text-text sm:h-7"
    >
      {label}
    </button>
  );
}
