import { useLocation } from "@remix-run/react";
import { useState } from "react";
import { useDraft } from "#app/components/forms/use-draft.ts";
import { randomHex } from "#app/support/protocol/random-hex.ts";
import { NO_EFFECTS, type ReplyEffects } from "#app/support/protocol/reply-effects.ts";
import type { ComposerMode } from "./composer-mode.tsx";

/** Keeps a reply and a note as separate drafts, so that a note cannot go to the visitor by mistake. */
export function useConversationDrafts(sessionId: string) {
  const { state } = useLocation();
  const [mode, setMode] = useState<ComposerMode>("reply");
  const [reply, setReply] = useDraft(`console:${sessionId}`, typeof state?.draft === "string" ? state.draft : "");
  const [note, setNote] = useDraft(`console-note:${sessionId}`);
  const [noteId, setNoteId] = useState(lazyRandomHex);
  const [effects, setEffects] = useState<ReplyEffects>(NO_EFFECTS);
  const [replyId, setReplyId] = useState(lazyRandomHex);
  return {
    mode,
    setMode,
    reply,
    setReply,
    current: mode === "reply" ? reply : note,
    set(text: string) {
      if (mode === "reply") setReply(text);
      else setNote(text);
      // The next note gets another id; a retry of the same note keeps it.
      if (mode === "note" && text === "") setNoteId(lazyRandomHex);
    },
    /** Client id of the current note. */
    noteId,
    /** What sending the reply does besides. Not kept: after a reload the text is only a text. */
    effects,
    setEffects(next: ReplyEffects) {
      setEffects(next);
      setReplyId(lazyRandomHex);
    },
    /** Client id of the reply with its effects. A retry keeps it. */
    replyId,
  };
}

/** Creates the id at its first use, because the server renders without one. */
function lazyRandomHex(): () => string {
  let id: string | null = null;
  return () => {
    id ??= randomHex();
    return id;
  };
}
