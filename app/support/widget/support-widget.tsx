import { useLocation } from "@remix-run/react";
import MessageCircle from "lucide-react/icons/message-circle";
import { useEffect, useRef, useState } from "react";
import { toast } from "#app/components/toast/toast.tsx";
import { CHAT_HASH } from "#app/support/protocol/link-hash.ts";
import { SESSION_KEY } from "#app/support/protocol/session-id.ts";
import { badgeText } from "#app/support/thread/badge-text.ts";
import type { SupportPanel } from "./chat-panel.tsx";
import type { View } from "./panel-frame.tsx";
import { isChatShown } from "./visibility.ts";

/** The launcher. The panel is fetched when it is opened, or when there is a conversation to listen to. */
export function SupportWidget({ signedIn }: { signedIn: boolean }) {
  const { pathname } = useLocation();
  if (!isChatShown(pathname, signedIn)) return null;
  // Signing in or out changes whose conversation it is.
  return <Launcher key={String(signedIn)} />;
}

function Launcher() {
  const [view, setView] = useState<View>("closed");
  const [unread, setUnread] = useState(0);
  const [Panel, setPanel] = useState<typeof SupportPanel | null>(null);
  const [loading, setLoading] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);

  useEffect(() => {
    if (!localStorage.getItem(SESSION_KEY)) return;
    loadPanel().then(
      (loaded) => setPanel(() => loaded),
      () => {},
    );
  }, []);

  useEffect(() => {
    if (view === "closed" && hadFocus.current) button.current?.focus();
    hadFocus.current = view !== "closed";
  }, [view]);

  // What a mail's link asks for: with the page, or on one that is open already. Then forgotten, or the next click on the
  // same link would change nothing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked by the address alone
  useEffect(() => {
    const openWhenAsked = () => {
      if (location.hash !== CHAT_HASH) return;
      history.replaceState(history.state, "", location.pathname + location.search);
      open();
    };
    openWhenAsked();
    window.addEventListener("hashchange", openWhenAsked);
    return () => window.removeEventListener("hashchange", openWhenAsked);
  }, []);

  async function open(): Promise<void> {
    if (!Panel) {
      setLoading(true);
      try {
        const loaded = await loadPanel();
        setPanel(() => loaded);
      } catch {
        toast.error("The chat could not be loaded. Check your connection and try again.");
        return;
      } finally {
        setLoading(false);
      }
    }
    setView("open");
  }

  return (
    <>
      {view === "closed" && (
        <button
          ref={button}
          type="button"
          aria-label={unread > 0 ? `Open support chat, ${unread} new` : "Open support chat"}
          aria-busy={loading || undefined}
          onClick={open}
          className="safe-lift fixed right-4 bottom-4 z-30 grid size-14 place-items-center rounded-full border border-line bg-raised text-text shadow-float transition-colors hover:border-line-strong sm:right-6 sm:bottom-6"
        >
          <MessageCircle aria-hidden className={`size-6 ${loading ? "animate-breathe" : ""}`} />
          {unread > 0 && (
            <span className="tabular absolute -top-1 -right-1 grid h-6 min-w-6 place-items-center rounded-full bg-accent px-1.5 text-xs font-semibold text-on-accent">
              {badgeText(unread)}
            </span>
          )}
        </button>
      )}
      {Panel && <Panel view={view} onView={setView} onUnread={setUnread} />}
    </>
  );
}

async function loadPanel(): Promise<typeof SupportPanel> {
  return (await import("./chat-panel.tsx")).SupportPanel;
}
