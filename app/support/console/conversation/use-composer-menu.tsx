import { type RefObject, useId, useState } from "react";
import { flushSync } from "react-dom";
import { effectTexts } from "#app/support/console/reply-effect-texts.ts";
import type { Agent } from "#app/support/protocol/console-frames.ts";
import { matchAgents, mentionBefore } from "#app/support/protocol/mentions.ts";
import { REPLIES_LOADED } from "#app/support/protocol/reply-effects.ts";
import type { Reply } from "#app/support/team/saved-replies.server.ts";
import type { MenuOption } from "./composer-menu.tsx";
import type { ComposerMode } from "./composer-mode.tsx";
import { matchReplies, typedShortcut } from "./reply-shortcuts.ts";
import { useReplySearch } from "./use-reply-search.ts";

const AGENTS_SHOWN = 8;

type Draft = { mode: ComposerMode; text: string; set: (text: string) => void };
type Offers = { replies: Reply[]; team: Agent[]; onUse: (reply: Reply) => void };

/** Offers saved replies after a slash at the start of a reply, and teammates after an @ in a note. */
export function useComposerMenu(field: RefObject<HTMLTextAreaElement>, draft: Draft, offers: Offers) {
  const id = useId();
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  /** The menu that was dismissed, by where it started. */
  const [dismissed, setDismissed] = useState<string | null>(null);
  const mention = draft.mode === "note" ? mentionBefore(draft.text, caret) : null;
  const isLoaded = offers.replies.length < REPLIES_LOADED;
  const known = useReplySearch(isLoaded || draft.mode === "note" ? null : typedShortcut(draft.text), offers.replies);
  const replies = draft.mode === "reply" ? matchReplies(draft.text, known) : null;
  const start = mention ? `@${mention.from}` : replies ? "/" : null;

  function replyOption(reply: Reply): MenuOption {
    return {
      key: reply.id,
      choose() {
        offers.onUse(reply);
        setAt(0);
        field.current?.focus();
      },
      content: (
        <>
          <span className="shrink-0 self-start font-mono text-xs leading-5">/{reply.shortcut}</span>
          <span className="min-w-0 text-muted">
            {reply.body !== "" && <span className="block truncate">{reply.body}</span>}
            <span className="block truncate text-xs empty:hidden">
              {effectTexts(reply.effects, offers.team).join(" · ")}
            </span>
          </span>
        </>
      ),
    };
  }

  function agentOption({ id: agentId, name }: Agent, from: number): MenuOption {
    return {
      key: agentId,
      choose() {
        const before = `${draft.text.slice(0, from)}@${name} `;
        // The field shows it before the caret moves.
        flushSync(() => draft.set(before + draft.text.slice(caret).replace(/^ +/, "")));
        field.current?.focus();
        field.current?.setSelectionRange(before.length, before.length);
        setCaret(before.length);
        setAt(0);
        // Another name may go on where this one ends.
        setDismissed(`@${from}`);
      },
      content: <span className="truncate">{name}</span>,
    };
  }

  const found = mention
    ? matchAgents(mention.typed, offers.team)
        .slice(0, AGENTS_SHOWN)
        .map((agent) => agentOption(agent, mention.from))
    : (replies ?? []).map(replyOption);
  const options = start !== null && start !== dismissed && found.length > 0 ? found : null;
  return {
    id,
    label: mention ? "Teammates" : "Saved replies",
    /** Null while there is nothing to offer. */
    options,
    chosen: options?.[Math.min(at, options.length - 1)],
    move(step: 1 | -1) {
      if (options) setAt((Math.min(at, options.length - 1) + step + options.length) % options.length);
    },
    dismiss: () => setDismissed(start),
    /** Follows the caret of the field. */
    onSelect({ selectionStart }: HTMLTextAreaElement) {
      setCaret(selectionStart);
    },
    onWrite(target: HTMLTextAreaElement) {
      setCaret(target.selectionStart);
      setAt(0);
      if (start === null) setDismissed(null);
    },
  };
}
