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
import { EmojiButton } from "#app/support/thread/emoji/emoji-button.tsx";
import { pasteFiles, useFileDrop } from "#app/support/thread/file-intake.ts";
import { ComposerMenu, menuOptionId } from "./composer-menu.tsx";
import { type ComposerMode, ComposerModeSwitch } from "./composer-mode.tsx";
import { ReplyEffectsBar } from "./reply-effects-bar.tsx";
import { useComposerMenu } from "./use-composer-menu.tsx";

/** Writes a reply to the visitor, or a note that only the team sees. */
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
  me,
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
  me: Agent;
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
  const audienceId = useId();
  const effectsId = useId();
  const [isSending, setIsSending] = useState({ reply: false, note: false });
  const busy = isSending[mode];
  const latest = useRef({ reply: "", note: "" });
  useEffect(() => {
    latest.current[mode] = draft;
  });
  const team = mode === "note" ? staff.filter(({ id }) => id !== me.id) : staff;
  const menu = useComposerMenu(field, { mode, text: draft, set: onDraft }, { replies, team, onUse });
  const isOver = useFileDrop(field, mode === "reply" ? onFile : null);
  useEffect(() => {
    // Not when the conversation opens: its keys are commands until somebody wants to write.
    if (focusCount > 0) field.current?.focus();
  }, [focusCount]);

  function write(target: HTMLTextAreaElement): void {
    onDraft(target.value);
    menu.onWrite(target);
    if (mode === "reply") onTyping();
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
      setIsSending((before) => ({ ...before, [mode]: true }));
      const stored = await (hasEffects ? onSendWithEffects(draft) : onNote(draft));
      setIsSending((before) => ({ ...before, [mode]: false }));
      if (!stored) return;
      const written = latest.current[mode];
      onDraft("");
      // Text added while it was being stored belongs to the next message.
      if (written.startsWith(draft) && written !== draft) onDraft(written.slice(draft.length));
    }
  }

  /** Returns whether the open menu used the key. */
  function navigateMenu(event: KeyboardEvent): boolean {
    if (!menu.chosen) return false;
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") menu.move(key === "ArrowDown" ? 1 : -1);
    else if (isSend(event) || (key === "Tab" && !event.shiftKey)) menu.chosen.choose();
    else if (key === "Escape") menu.dismiss();
    else return false;
    event.preventDefault();
    return true;
  }

  function onKeyDown(event: KeyboardEvent): void {
    // An input method editor uses the same keys to pick a word.
    if (event.nativeEvent.isComposing || navigateMenu(event)) return;
    if (isSend(event)) {
      event.preventDefault();
      void send();
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      data-console-composer
      data-mode={mode}
      className="relative shrink-0 border-t border-line p-3 data-[mode=note]:border-t-2 data-[mode=note]:border-dashed data-[mode=note]:border-warn data-[mode=note]:bg-warn-wash"
    >
      {menu.options && <ComposerMenu {...menu} options={menu.options} />}
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
          placeholder={mode === "reply" ? "Type your message..." : "Write a team note, @ mentions a teammate"}
          aria-label={mode === "reply" ? "Your message" : "Your note"}
          aria-describedby={hasEffects ? `${audienceId} ${effectsId}` : audienceId}
          aria-autocomplete="list"
          aria-controls={menu.options ? menu.id : undefined}
          aria-activedescendant={menu.chosen ? menuOptionId(menu.id, menu.chosen) : undefined}
          onChange={(event) => write(event.target)}
          onSelect={(event) => menu.onSelect(event.currentTarget)}
          onKeyDown={onKeyDown}
          onPaste={(event) => mode === "reply" && pasteFiles(event, onFile)}
          className="field-sizing-content max-h-40 min-h-11 resize-none! sm:min-h-10"
        />
        <EmojiButton field={field} />
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
