import { useEffect, useState } from "react";
import * as v from "valibot";
import { forgetDraft, readDraft, writeDraft } from "#app/components/forms/use-draft.ts";
import { CONNECTING, type RoomState } from "#app/support/client/room-state.ts";
import { type History, parseHistory, parseJsonAs } from "#app/support/protocol/frames.ts";
import type { View } from "./panel-frame.tsx";
import { hasChatEntry, isCovering } from "./use-covering.ts";
import { PANEL_MEMORY } from "./visibility.ts";

/**
 * The panel's view and the end of its thread, for the tab's next page. Kept as drafts are, which end at log-out, and with
 * the id of the signed-in session, so that nobody else's page shows them.
 */
const MESSAGES_MAX = 30;
const CHARS_MAX = 40_000;

const memory = v.object({ owner: v.string(), view: v.picklist(["closed", "open", "minimized"]), thread: v.unknown() });

/** Returns what the tab remembers, and forgets what belonged to another account. */
function recall(owner: string) {
  const kept = parseJsonAs(memory, readDraft(PANEL_MEMORY) ?? "");
  if (kept && kept.owner !== "" && kept.owner !== owner) {
    forgetDraft(PANEL_MEMORY);
    return null;
  }
  // A visitor who logs in goes on in the account's conversation.
  return kept && { ...kept, thread: kept.owner === owner ? parseHistory(kept.thread) : null };
}

/**
 * Returns the view to start with. Where the panel covers the page, it is open only at the entry in the history that Back
 * leaves, so after a reload: after a navigation it would hide the page that was asked for.
 */
export function restoredView(accountSession: string | null): View {
  const kept = recall(accountSession ?? "");
  if (!kept || kept.view === "minimized" || !isCovering()) return kept?.view ?? "closed";
  return hasChatEntry() ? "open" : "closed";
}

/**
 * Remembers the view and the thread, and returns the state to show: until the room has sent its own, with the messages of the
 * page before. `sessionId`: undefined until it is known whose conversation this is, null for none.
 */
export function useRememberedThread(
  accountSession: string | null,
  view: View,
  sessionId: string | null | undefined,
  state: RoomState | null,
): RoomState | null {
  // Of the page's start: whoever logs in on this page is somebody else to the next one.
  const [owner] = useState(accountSession ?? "");
  const [before, setBefore] = useState(() => recall(owner)?.thread ?? null);
  const isOver = sessionId === null || state?.connection === "gone" || state?.connection === "signedOut";
  const isKnown = state !== null && state.epoch !== "";
  const { session, messages, readSeq } = state ?? CONNECTING;

  useEffect(() => {
    const kept = isOver ? null : isKnown && session ? threadEnd({ session, messages, readSeq }) : recall(owner)?.thread;
    if (view === "closed" && !kept) forgetDraft(PANEL_MEMORY);
    else writeDraft(PANEL_MEMORY, JSON.stringify({ owner, view, thread: kept ?? null }));
  }, [owner, view, isOver, isKnown, session, messages, readSeq]);

  useEffect(() => {
    if (isKnown || isOver) setBefore(null);
  }, [isKnown, isOver]);
  const isSame = sessionId === undefined || sessionId === before?.session.session_id;
  if (!before || isKnown || isOver || !isSame) return state;
  return { ...(state ?? CONNECTING), session: before.session, messages: before.messages, readSeq: before.readSeq };
}

/** Returns the last messages, without files. */
export function threadEnd({
  session,
  messages,
  readSeq,
}: Pick<RoomState, "messages" | "readSeq"> & Pick<History, "session">): History {
  const end: History["messages"] = [];
  let chars = 0;
  for (const { file: _, ...message } of messages.slice(-MESSAGES_MAX).reverse()) {
    chars += message.message.length;
    if (chars > CHARS_MAX) break;
    end.unshift(message);
  }
  return { epoch: "", session, lastSeq: end.at(-1)?.seq ?? 0, readSeq, messages: end };
}
