import { useLocation } from "@remix-run/react";
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { useDraft } from "#app/components/forms/use-draft.ts";
import { toast } from "#app/components/toast/toast.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { lastSeq } from "#app/support/client/conversation.ts";
import type { RoomClient } from "#app/support/client/room-client.ts";
import type { Team } from "#app/support/client/room-http.ts";
import type { RoomState } from "#app/support/client/room-state.ts";
import { useOwnSession } from "#app/support/client/use-own-session.ts";
import { useReadWhileSeen, useRoom } from "#app/support/client/use-room.ts";
import { useTeam } from "#app/support/client/use-team.ts";
import { useNotice } from "#app/support/thread/notice-settings.ts";
import { useSound } from "#app/support/thread/use-sound.ts";
import { useUnreadTitle } from "#app/support/thread/use-unread-title.ts";
import { lazyPart } from "./lazy-part.ts";
import { MinimizedBar, PanelFrame, type View } from "./panel-frame.tsx";
import { useRememberedThread } from "./panel-memory.ts";
import { type Announced, announce, statusText } from "./panel-status.ts";
import type { StartForm as FirstForm } from "./start-form.tsx";
import { isCovering } from "./use-covering.ts";
import { useIsUnanswered } from "./use-unanswered.ts";
import { Composer } from "./visitor-composer.tsx";
import { Thread } from "./visitor-thread.tsx";

// Loaded only when needed: few conversations are closed while open in a browser, or need an address.
const ClosedNote = lazyPart(async () => (await import("./closed-note.tsx")).ClosedNote);
const PushOffer = lazyPart(async () => (await import("#app/push/client/push-offer.tsx")).PushOffer);
const EmailOffer = lazyPart(async () => (await import("./email-offer.tsx")).EmailOffer);

export { restoredView } from "./panel-memory.ts";

/** The visitor's chat. Stays connected while it is closed or minimized, to count new messages. */
export function SupportPanel({
  accountSession,
  view,
  isRestored,
  onView,
  onUnread,
}: {
  accountSession: string | null;
  view: View;
  /** The view is that of the page before: nobody has just asked for it. */
  isRestored: boolean;
  onView: (view: View) => void;
  onUnread: (unread: number) => void;
}) {
  const [StartForm, setStartForm] = useState<typeof FirstForm | null>(null);
  // Visitors with a conversation don't need it.
  const loadForm = useCallback(async () => {
    const { StartForm } = await import("./start-form.tsx");
    setStartForm(() => StartForm);
  }, []);
  const { own, setOwn, load } = useOwnSession(loadForm);
  const hasNotices = useNotice("sound");
  const team = useTeam(view === "open");
  const { locale } = useFormats();
  const session = own.state === "known" ? own.session : null;
  const connected = useRoom(session?.session_id ?? null, "user", session?.user_name ?? "");
  const { room, state } = connected ?? { room: null, state: null };
  const ownId = own.state === "known" ? (session?.session_id ?? null) : undefined;
  const remembered = useRememberedThread(accountSession, view, ownId, state);
  const shown = own.state === "failed" ? null : remembered;
  const shownId = session?.session_id ?? shown?.session?.session_id;
  const [draft, setDraft] = useDraft(shownId ? `support:${shownId}` : null);
  const takesFocus = !isRestored || isCovering();
  const unread = state?.unread ?? 0;
  const isBlocked = (state?.session ?? session ?? shown?.session)?.blocked === true;
  const connection = state?.connection ?? "connecting";

  useEffect(() => onUnread(unread), [unread, onUnread]);
  useReadWhileSeen(room, view === "open", unread);
  useFailureToast(state);
  usePageReports(room);
  useSound(hasNotices, unread, lastReceivedSeq(state));
  useUnreadTitle(unread, hasNotices);
  useEffect(() => {
    if (connection === "gone" || connection === "signedOut") load();
  }, [connection, load]);

  const announced = useAnnounced(state, team);
  const isUnanswered = useIsUnanswered(state, team);

  if (view === "closed") return null;
  if (view === "minimized") return <MinimizedBar isRestored={isRestored} unread={unread} onView={onView} />;

  return (
    <PanelFrame isRestored={isRestored} status={statusText(state, team, locale)} announced={announced} onView={onView}>
      {!shown && (own.state === "loading" || session) && <Loading />}
      {own.state === "failed" && <LoadFailed onRetry={load} />}
      {own.state === "known" && !own.session && StartForm && (
        <StartForm
          takesFocus={takesFocus}
          profile={own.profile}
          onStarted={(started) => {
            setOwn({ ...own, session: started });
            onView("open");
          }}
        />
      )}
      {shown && <Thread room={room} state={shown} />}
      <div data-toast-room />
      {!isBlocked && isWaiting(state) && (
        <Suspense>
          <PushOffer about="answer" className="px-4 pb-2" />
        </Suspense>
      )}
      {session && isUnanswered && !isBlocked && (
        <Suspense>
          <EmailOffer sessionId={session.session_id} onDone={focusField} />
        </Suspense>
      )}
      {state?.session?.status === "closed" && !isBlocked && (
        <Suspense>
          <ClosedNote session={state.session} last={state.messages.at(-1)} />
        </Suspense>
      )}
      {isBlocked && (
        <p role="status" className="border-t border-line p-4 text-sm text-muted">
          You can't send messages in this conversation.
        </p>
      )}
      {shown && !isBlocked && <Composer room={room} takesFocus={takesFocus} draft={draft} onDraft={setDraft} />}
    </PanelFrame>
  );
}

/** Returns whether the visitor wrote last, except for the bot. */
function isWaiting(state: RoomState | null): boolean {
  return (
    state?.session?.status === "open" &&
    state.messages.findLast(({ sender_type }) => sender_type !== "system")?.sender_type === "user"
  );
}

function Loading() {
  return (
    <div role="status" className="flex flex-1 flex-col gap-3 p-4">
      <span className="sr-only">Loading the chat</span>
      <Skeleton className="h-16 w-3/4" />
      <Skeleton className="ml-auto h-10 w-1/2" />
    </div>
  );
}

function LoadFailed({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-1 flex-col items-start gap-3 p-4 text-sm">
      <p>We couldn't reach the chat. Check your connection.</p>
      <Button variant="secondary" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

/** Returns the seq of the team's last message, 0 if there is none, or null until the history has arrived. */
function lastReceivedSeq(state: RoomState | null): number | null {
  if (!state || state.epoch === "") return null;
  return state.messages.findLast(({ sender_type }) => sender_type === "admin")?.seq ?? 0;
}

function useFailureToast(state: RoomState | null): void {
  const failed = state?.pending.filter((message) => message.state !== "sending").length ?? 0;
  const refusal = state?.refusal;
  const before = useRef(0);
  useEffect(() => {
    if (failed > before.current) toast.error(refusal ?? "Failed to send message");
    before.current = failed;
  }, [failed, refusal]);
}

/** Returns what to tell a screen reader about the other side. */
function useAnnounced(state: RoomState | null, team: Team | null): string {
  const [announced, setAnnounced] = useState<Announced>({ said: "", presence: "", lastSeq: 0 });
  const { locale } = useFormats();
  const presence = statusText(state && { ...state, typing: null }, team, locale);
  const typing = state?.typing ?? null;
  const seq = state ? lastSeq(state) : 0;
  useEffect(
    () => setAnnounced((before) => announce(before, { presence, typing, lastSeq: seq })),
    [presence, typing, seq],
  );
  return announced.said;
}

function focusField(): void {
  document.querySelector<HTMLElement>("[role=dialog] textarea")?.focus();
}

/** Tells the team which page the visitor is on. */
function usePageReports(room: RoomClient | null): void {
  const { pathname } = useLocation();
  // The title without its unread count.
  useEffect(() => room?.visit(pathname, document.title.replace(/^\(\d+\+?\) /, "")), [room, pathname]);
}
