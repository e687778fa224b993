import { useLocation } from "@remix-run/react";
import MessageCircle from "lucide-react/icons/message-circle";
import { useEffect, useRef, useState } from "react";
import { readDraft } from "#app/components/forms/use-draft.ts";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { CHAT_HASHES } from "#app/components/navigation/chat-hash.ts";
import { browserStorage } from "#app/components/storage/browser-storage.ts";
import { toast } from "#app/components/toast/toast.tsx";
import { SESSION_KEY } from "#app/support/protocol/session-id.ts";
import { badgeText } from "#app/support/thread/badge-text.ts";
import { beginMessage } from "./begin-message.ts";
import type { SupportPanel } from "./chat-panel.tsx";
import type { View } from "./panel-frame.tsx";
import { isChatShown, PANEL_MEMORY } from "./visibility.ts";

/**
 * The chat button. Loads the panel when it is opened, or at once if this browser or the account has a conversation.
 * `accountSession`: id of the signed-in session, null for a visitor.
 */
export function SupportWidget({ accountSession }: { accountSession: string | null }) {
  const { pathname } = useLocation();
  const signedIn = accountSession !== null;
  if (!isChatShown(pathname, signedIn)) return null;
  // Remounted at sign-in and sign-out, which change the conversation.
  return <Launcher key={String(signedIn)} accountSession={accountSession} />;
}

function Launcher({ accountSession }: { accountSession: string | null }) {
  const routed = useLocation();
  const [view, setView] = useState<View>("closed");
  const [unread, setUnread] = useState(0);
  const [Panel, setPanel] = useState<typeof SupportPanel | null>(null);
  const [loading, setLoading] = useState(false);
  const isHydrated = useIsHydrated();
  const button = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  /** Whether somebody has chosen the view on this page. */
  const [isChosen, setChosen] = useState(false);

  useEffect(() => {
    const load = () => {
      loadPanel().then(
        ({ SupportPanel, restoredView }) => {
          setPanel(() => SupportPanel);
          setView((now) => (now === "closed" ? restoredView(accountSession) : now));
        },
        () => {},
      );
    };
    if (browserStorage.get(SESSION_KEY) || readDraft(PANEL_MEMORY)) load();
    else if (accountSession !== null) {
      const over = new AbortController();
      // Imported on demand, so that a visitor's page doesn't load it.
      import("#app/support/client/find-conversation.ts").then(
        ({ findConversation }) => findConversation(accountSession, over.signal, load),
        () => {},
      );
      return () => over.abort();
    }
  }, [accountSession]);

  useEffect(() => {
    if (view === "closed" && hadFocus.current) button.current?.focus();
    hadFocus.current = view !== "closed";
  }, [view]);

  // Opens the chat from a link in an email. The hash is removed, so that a second click on the link changes it again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on the URL only
  useEffect(() => {
    const openFromHash = () => {
      const named = CHAT_HASHES.exec(location.hash);
      if (!named) return;
      history.replaceState(history.state, "", location.pathname + location.search);
      const [, order] = named;
      if (order) beginMessage(order);
      void open();
    };
    openFromHash();
    window.addEventListener("hashchange", openFromHash);
    return () => window.removeEventListener("hashchange", openFromHash);
  }, [routed]);

  async function open(): Promise<void> {
    if (!Panel) {
      setLoading(true);
      try {
        const { SupportPanel } = await loadPanel();
        setPanel(() => SupportPanel);
      } catch {
        toast.error("We couldn't load the chat. Check your connection and try again.");
        return;
      } finally {
        setLoading(false);
      }
    }
    choose("open");
  }

  function choose(next: View): void {
    setChosen(true);
    setView(next);
  }

  return (
    <>
      {view === "closed" && (
        <button
          ref={button}
          type="button"
          aria-label={unread > 0 ? `Open support chat, ${unread} new` : "Open support chat"}
          aria-busy={loading || undefined}
          disabled={!isHydrated}
          onClick={open}
          className="safe-lift fixed right-4 bottom-4 z-30 grid size-14 place-items-center rounded-full border border-line bg-raised text-text shadow-float transition-colors not-disabled:hover:border-line-strong disabled:opacity-50 sm:right-6 sm:bottom-6 noscript:hidden"
        >
          <MessageCircle aria-hidden className={`size-6 ${loading ? "animate-breathe" : ""}`} />
          {unread > 0 && (
            <span className="tabular absolute -top-1 -right-1 grid h-6 min-w-6 place-items-center rounded-full bg-accent px-1.5 text-xs font-semibold text-on-accent">
              {badgeText(unread)}
            </span>
          )}
        </button>
      )}
      {Panel && (
        <Panel
          accountSession={accountSession}
          view={view}
          isRestored={!isChosen}
          onView={choose}
          onUnread={setUnread}
        />
      )}
    </>
  );
}

function loadPanel() {
  return import("./chat-panel.tsx");
}
