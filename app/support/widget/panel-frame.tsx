import Bell from "lucide-react/icons/bell";
import BellOff from "lucide-react/icons/bell-off";
import ChevronDown from "lucide-react/icons/chevron-down";
import X from "lucide-react/icons/x";
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { badgeText } from "#app/support/thread/badge-text.ts";
import { setNotice, useNotice } from "#app/support/thread/notice-settings.ts";
import { isCovering, useCovering, useIsCovering } from "./use-covering.ts";
import { useToastRoom } from "./use-toast-room.ts";

export type View = "closed" | "open" | "minimized";

const TITLE = "Support Chat";
const FRAME =
  "fixed z-30 border-line bg-raised text-text shadow-float sm:right-6 sm:bottom-6 sm:w-95 sm:rounded-md sm:border";
const FOCUSABLE = "a[href], button:enabled, input:enabled, textarea:enabled, [tabindex='0']";

/** The open panel: its header and keys. */
export function PanelFrame({
  isRestored,
  status,
  announced,
  onView,
  children,
}: {
  /** It was open on the page before, and doesn't rise again. */
  isRestored: boolean;
  status: string;
  /** For screen readers: the status, without repetitions. */
  announced: string;
  onView: (view: View) => void;
  children: ReactNode;
}) {
  const hasNotices = useNotice("sound");
  const covers = useIsCovering();
  const panel = useRef<HTMLElement>(null);
  useCovering(panel, covers, () => onView("closed"));
  useToastRoom(panel);

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.key === "Tab") keepFocus(event);
    if (event.key !== "Escape") return;
    event.stopPropagation();
    onView("closed");
  }

  return (
    <section
      ref={panel}
      role="dialog"
      aria-label={TITLE}
      aria-modal={covers || undefined}
      onKeyDown={onKeyDown}
      className={`${FRAME} ${isRestored ? "" : "animate-rise"} safe-y inset-0 flex flex-col sm:top-auto sm:left-auto sm:h-140 sm:max-h-[calc(100dvh-48px)]`}
    >
      <div className="flex h-14 shrink-0 items-center gap-1 border-b border-line pr-2 pl-4">
        <p role="status" className="sr-only">
          {announced}
        </p>
        <div className="mr-auto min-w-0">
          <h2 className="text-sm leading-tight">{TITLE}</h2>
          <p className="truncate text-xs text-muted">{status}</p>
        </div>
        <IconButton
          label={hasNotices ? "Turn off sound and title alerts" : "Turn on sound and title alerts"}
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
      {children}
    </section>
  );
}

/** The title bar that is left of a minimized panel. */
export function MinimizedBar({
  isRestored,
  unread,
  onView,
}: {
  isRestored: boolean;
  unread: number;
  onView: (view: View) => void;
}) {
  const bar = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it appears
  useEffect(() => {
    if (!isRestored) bar.current?.focus();
  }, []);
  return (
    <section
      data-chat-bar
      aria-label={TITLE}
      className={`${FRAME} ${isRestored ? "" : "animate-rise"} safe-lift inset-x-0 bottom-0 flex h-14 items-center border-t pr-2 sm:left-auto sm:w-75`}
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

/** Keeps Tab inside the panel where it covers the page. */
function keepFocus(event: KeyboardEvent<HTMLElement>): void {
  if (!isCovering()) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((stop) =>
    stop.checkVisibility(),
  );
  const [from, to] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
  if (document.activeElement !== from) return;
  event.preventDefault();
  to?.focus();
}
