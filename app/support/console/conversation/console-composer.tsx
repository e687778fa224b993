import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Button } from "#app/components/ui/button.tsx";
import type { Agent } from "#app/support/protocol/console-frames.ts";
import type { Reply } from "#app/support/team/saved-replies.server.ts";
import {
  AttachButton,
  canSend,
  DropNote,
  isSend,
  LengthNote,
  SendButton,
} from "#app/support/thread/composer-parts.tsx";
import { pasteFiles, useFileDrop } from "#app/support/thread/file-intake.ts";
import { type ComposerMode, ComposerModeSwitch } from "./composer-mode.tsx";
import { ReplyEffectsBar } from "./reply-effects-bar.tsx";
import { ReplyMenu, replyOptionId } from "./reply-menu.tsx";
import { matchReplies } from "./reply-shortcuts.ts";

/** Writes a reply to the visitor, or a note that only the team sees. A slash at the start offers saved replies. */
export function ConsoleComposer({
  mode,
  onMode,
  focusCount,
  draft,
  onDraft,
  onSend,
  onNote,
  onTyping,
  onFile,
  replies,
  staff,
  effects,
  onUse,
  onRemoveEffects,
  onSendWithEffects,
  visitor,
}: {
  mode: ComposerMode;
  onMode: (mode: ComposerMode) => void;
  /** The field takes the focus when this grows. */
  focusCount: number;
  draft: string;
  onDraft: (text: string) => void;
  onSend: (text: string) => void;
  /** Resolves to false if the note was not stored; the text stays. */
  onNote: (text: string) => Promise<boolean>;
  onTyping: () => void;
  onFile: (file: File) => void;
  replies: Reply[];
  staff: Agent[];
  /** What sending the reply does besides, in words. */
  effects: string[];
  /** Puts a saved reply in place of the draft. */
  onUse: (reply: Reply) => void;
  onRemoveEffects: () => void;
  /** Resolves to false if nothing was done; the draft and its effects stay. */
  onSendWithEffects: (text: string) => Promise<boolean>;
  visitor: string;
}) {
  const isHydrated = useIsHydrated();
  const field = useRef<HTMLTextAreaElement>(null);
  const menuId = useId();
  const audienceId = useId();
  const effectsId = useId();
  const [at, setAt] = useState(0);
  const [dismissed, setDismissed] = useState(false);
  const [busy, setBusy] = useState(false);
  const found = mode === "reply" && !dismissed ? matchReplies(draft, replies) : null;
  const options = found && found.length > 0 ? found : null;
  const chosen = options?.[Math.min(at, options.length - 1)];
  const isOver = useFileDrop(field, mode === "reply" ? onFile : null);
  useEffect(() => {
    // Not when the conversation opens: its keys are commands until somebody wants to write.
    if (focusCount > 0) field.current?.focus();
  }, [focusCount]);

  function write(text: string): void {
    onDraft(text);
    setAt(0);
    if (!text.startsWith("/")) setDismissed(false);
    if (mode === "reply") onTyping();
  }

  function insert(reply: Reply): void {
    onUse(reply);
    setAt(0);
    field.current?.focus();
  }

  const hasEffects = mode === "reply" && effects.length > 0;
  // A saved reply may have no text.
  const isReady = canSend(draft) || (hasEffects && draft === "");

  async function send(): Promise<void> {
    if (!isReady || busy) return;
    // Before the await: afterwards the agent may have left the field to use shortcuts.
    field.current?.focus();
    if (mode === "reply" && !hasEffects) {
      onSend(draft);
      onDraft("");
    } else {
      setBusy(true);
      const stored = await (hasEffects ? onSendWithEffects(draft) : onNote(draft));
      setBusy(false);
      if (stored) onDraft("");
    }
  }

  /** Returns whether the open menu used the key. */
  function navigateMenu(event: KeyboardEvent): boolean {
    if (!options || !chosen) return false;
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      setAt((at + (key === "ArrowDown" ? 1 : options.length - 1)) % options.length);
    } else if (isSend(event) || key === "Tab") {
      event.preventDefault();
      insert(chosen);
    } else if (key === "Escape") {
      event.preventDefault();
      setDismissed(true);
    } else return false;
    return true;
  }

  function onKeyDown(event: KeyboardEvent): void {
    // An input method editor uses the same keys to pick a word.
    if (event.nativeEvent.isComposing || navigateMenu(event)) return;
    if (isSend(event)) {
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
      data-console-composer
      data-mode={mode}
      className="relative shrink-0 border-t border-line p-3 data-[mode=note]:border-t-2 data-[mode=note]:border-dashed data-[mode=note]:border-warn data-[mode=note]:bg-warn-wash"
    >
      {options && <ReplyMenu id={menuId} replies={options} staff={staff} chosen={chosen} onChoose={insert} />}
      <ComposerModeSwitch mode={mode} onMode={onMode} visitor={visitor} audienceId={audienceId} />
      {hasEffects && <ReplyEffectsBar id={effectsId} effects={effects} onRemove={onRemoveEffects} />}
      {isOver && <DropNote />}
      <LengthNote draft={draft} />
      <div className="flex items-end gap-2">
        <Textarea
          ref={field}
          readOnly={!isHydrated}
          rows={1}
          value={draft}
          placeholder={mode === "reply" ? "Type your message..." : "Write a team note"}
          aria-label={mode === "reply" ? "Your message" : "Your note"}
          aria-describedby={hasEffects ? `${audienceId} ${effectsId}` : audienceId}
          aria-autocomplete="list"
          aria-controls={options ? menuId : undefined}
          aria-activedescendant={options && chosen ? replyOptionId(menuId, chosen) : undefined}
          onChange={(event) => write(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => mode === "reply" && pasteFiles(event, onFile)}
          className="field-sizing-content max-h-40 min-h-11 resize-none! sm:min-h-10"
        />
        {mode === "reply" && <AttachButton onFile={onFile} field={field} />}
        {mode === "reply" ? (
          <SendButton
            label={hasEffects ? "Send message and do the rest" : "Send message"}
            disabled={!isReady}
            busy={busy}
          />
        ) : (
          <Button type="submit" variant="secondary" disabled={!canSend(draft)} busy={busy} className="shrink-0 sm:h-10">
            Save note
          </Button>
        )}
      </div>
    </form>
  );
}
