import { useLocation } from "@remix-run/react";
import Bell from "lucide-react/icons/bell";
import BellOff from "lucide-react/icons/bell-off";
import ChevronDown from "lucide-react/icons/chevron-down";
import X from "lucide-react/icons/x";
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useDraft } from "#app/components/forms/use-draft.ts";
import { toast } from "#app/components/toast/toast.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { type OwnSession, readOwnSession } from "#app/support/client/own-session.ts";
import type { RoomClient, RoomState } from "#app/support/client/room-client.ts";
import type { Team } from "#app/support/client/room-http.ts";
import { useReadWhileSeen, useRoom } from "#app/support/client/use-room.ts";
import { useTeam } from "#app/support/client/use-team.ts";
import { SESSION_KEY } from "#app/support/protocol/session-id.ts";
import { badgeText } from "#app/support/thread/badge-text.ts";
import { setNotice, useNotice } from "#app/support/thread/notice-settings.ts";
import { useSound } from "#app/support/thread/use-sound.ts";
import { useUnreadTitle } from "#app/support/thread/use-unread-title.ts";
import { StartForm } from "./start-form.tsx";
import { Composer } from "./visitor-composer.tsx";
import { Thread } from "./visitor-thread.tsx";

export type View = "closed" | "open" | "minimized";

const TITLE = "Support Chat";
const FRAME =
  "fixed z-30 animate-rise border-line bg-raised text-text shadow-float sm:right-6 sm:bottom-6 sm:w-95 sm:rounded-md sm:border";

/** The breakpoint `sm` of FRAME. */
const BESIDE_THE_PAGE = "(min-width: 40rem)";
const STOPS = "a[href], button:enabled, input:enabled, textarea:enabled, [tabindex='0']";

// Few conversations are open in a browser when they are closed.
const ClosedNote = lazy(async () => ({ default: (await import("./closed-note.tsx")).ClosedNote }));

const BACK = new Intl.DateTimeFormat(undefined, { weekday: "long", hour: "2-digit", minute: "2-digit" });

type Own = { state: "loading" } | { state: "failed" } | ({ state: "known" } & OwnSession);

export function SupportPanel({
  view,
  onView,
  onUnread,
}: {
  view: View;
  onView: (view: View) => void;
  onUnread: (unread: number) => void;
}) {
  const { own, setOwn, load } = useOwnSession();
  const hasNotices = useNotice("sound");
  const team = useTeam(view === "open");
  const session = own.state === "known" ? own.session : null;
  const [draft, setDraft] = useDraft(session && `support:${session.session_id}`);
  const line = useRoom(session?.session_id ?? null, "user", session?.user_name ?? "");
  const unread = line?.state.unread ?? 0;
  const connection = line?.state.connection ?? "connecting";

  useEffect(() => onUnread(unread), [unread, onUnread]);
  useReadWhileSeen(line?.room ?? null, view === "open", unread, connection);
  useFailureToast(line?.state ?? null);
  useVisits(line?.room ?? null);
  useSound(hasNotices, unread, heardSeqOf(line?.state ?? null));
  useUnreadTitle(unread, hasNotices);
  useEffect(() => {
    if (connection === "gone") load();
  }, [connection, load]);

  if (view === "closed") return null;
  if (view === "minimized") return <MinimizedBar unread={unread} onView={onView} />;

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.key === "Tab") keepFocus(event);
    if (event.key !== "Escape") return;
    event.stopPropagation();
    onView("closed");
  }

  return (
    <section
      role="dialog"
      aria-label={TITLE}
      onKeyDown={onKeyDown}
      className={`${FRAME} safe-y inset-0 flex flex-col sm:top-auto sm:left-auto sm:h-140 sm:max-h-[calc(100dvh-48px)]`}
    >
      <div className="flex h-14 shrink-0 items-center gap-1 border-b border-line pr-2 pl-4">
        <div className="mr-auto min-w-0">
          <h2 className="text-sm leading-tight">{TITLE}</h2>
          <p className="truncate text-xs text-muted">{statusText(line?.state ?? null, team)}</p>
        </div>
        <IconButton
          label={hasNotices ? "Turn sound and title notices off" : "Turn sound and title notices on"}
          onClick={() => setNotice("sound", !hasNotices)}
        >
          {hasNotices ? <Bell aria-hidden className="size-5" /> : <BellOff aria-hidden className="size-5" />}
        </IconButton>
        <IconButton label="Minimize chat" onClick={() => onView("minimized")}>
          <ChevronDown aria-hidden className="size-5" />
        </IconButton>
        <IconButton label="Close chat" onClick={() => onView("closed")}>
          <X aria-hidden className="size-5" />
        </IconButton>
      </div>
      {own.state === "loading" && <Loading />}
      {own.state === "failed" && <LoadFailed onRetry={load} />}
      {own.state === "known" && !own.session && (
        <StartForm profile={own.profile} onStarted={(started) => setOwn({ ...own, session: started })} />
      )}
      {session && (line ? <Thread {...line} /> : <Loading />)}
      {line?.state.session?.status === "closed" && (
        <Suspense>
          <ClosedNote session={line.state.session} last={line.state.messages.at(-1)} />
        </Suspense>
      )}
      {session && line && (
        <Composer
          draft={draft}
          onDraft={setDraft}
          onSend={(text) => line.room.send(text)}
          onTyping={() => line.room.typing()}
          onFile={(file) => line.room.sendFile(file)}
        />
      )}
    </section>
  );
}

/** Where the chat fills the screen, Tab goes round in it: the page below cannot be seen. */
function keepFocus(event: KeyboardEvent<HTMLElement>): void {
  if (matchMedia(BESIDE_THE_PAGE).matches) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(STOPS)].filter((stop) => stop.checkVisibility());
  const [from, to] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
  if (document.activeElement !== from) return;
  event.preventDefault();
  to?.focus();
}

function MinimizedBar({ unread, onView }: { unread: number; onView: (view: View) => void }) {
  const bar = useRef<HTMLButtonElement>(null);
  useEffect(() => bar.current?.focus(), []);
  return (
    <section
      aria-label={TITLE}
      className={`${FRAME} safe-lift inset-x-0 bottom-0 flex h-14 items-center border-t pr-2 sm:left-auto sm:w-75`}
    >
      <button
        ref={bar}
        type="button"
        onClick={() => onView("open")}
        className="mr-auto flex h-full min-w-0 flex-1 items-center gap-2 px-4 text-left text-sm font-semibold"
      >
        {TITLE}
        {unread > 0 && (
          <span className="tabular rounded-full bg-accent px-2 py-0.5 text-xs font-semibold text-on-accent">
            {badgeText(unread)} new
          </span>
        )}
      </button>
      <IconButton label="Close chat" onClick={() => onView("closed")}>
        <X aria-hidden className="size-5" />
      </IconButton>
    </section>
  );
}

function IconButton({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <Button variant="quiet" aria-label={label} onClick={onClick} className="w-11 px-0 sm:w-9">
      {children}
    </Button>
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
      <p>The chat could not be reached. Check your connection.</p>
      <Button variant="secondary" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

function statusText(state: RoomState | null, team: Team | null): string {
  if (state && (state.connection === "connecting" || state.connection === "gone")) return "Connecting…";
  if (state && state.typing !== null) return `${state.typing} is typing…`;
  if (state && state.presence.agents > 0) return "An agent is here";
  if (team === null) return "";
  if (team.online) return "The team is online";
  if (team.backAt !== null) return `Away now · back ${BACK.format(team.backAt)}`;
  return state?.session?.user_email ? "Away now · we answer by mail" : "Away now · the answer will be here";
}

/** The last message of the other side. Null until the room has said what there is. */
function heardSeqOf(state: RoomState | null): number | null {
  if (!state || state.epoch === "") return null;
  return state.messages.findLast(({ sender_type }) => sender_type === "admin")?.seq ?? 0;
}

function useOwnSession() {
  const [own, setOwn] = useState<Own>({ state: "loading" });
  const load = useCallback(() => {
    setOwn({ state: "loading" });
    readOwnSession().then(
      (read) => setOwn({ state: "known", ...read }),
      () => setOwn({ state: "failed" }),
    );
  }, []);
  useEffect(load, [load]);
  useEffect(() => {
    // Started in another tab.
    const onStorage = ({ key, newValue }: StorageEvent) => {
      if (key === SESSION_KEY && newValue !== null) load();
    };
    window.addEventListener("storage", onStorage);
    return () => window.removeEventListener("storage", onStorage);
  }, [load]);
  return { own, setOwn, load };
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

function useVisits(room: RoomClient | null): void {
  const { pathname } = useLocation();
  // Without the count of what is unread.
  useEffect(() => room?.visit(pathname, document.title.replace(/^\(\d+\+?\) /, "")), [room, pathname]);
}
