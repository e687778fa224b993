import { useRevalidator } from "@remix-run/react";
import WifiOff from "lucide-react/icons/wifi-off";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { nextReload } from "./network-state.ts";
import { offlineNow, onNetworkChange, probeNow, reachableNow, reportNetwork } from "./watch-network.ts";

/** `writing`: the screen covers the page, but somebody goes on writing in it. `inert`: nobody can reach what it covers. */
type Cover = "none" | "writing" | "inert";

const WRITABLE = "textarea, select, [contenteditable], input:not([type=button], [type=submit], [type=checkbox])";

/**
 * The page, covered by the offline screen while there is no network. Typed input stays, and people who are writing go on:
 * the page and its dialogs become inert once they leave their field.
 */
export function UnlessOffline({ children }: { children: ReactNode }) {
  const [cover, setCover] = useState<Cover>("none");

  useEffect(() => {
    const look = () => {
      const isWriting = document.activeElement?.matches(WRITABLE);
      const covered = isWriting ? "writing" : "inert";
      // While the screen is there, only a blur changes who has the focus.
      setCover((before) => (!offlineNow() ? "none" : before === "none" ? covered : before));
    };
    look();
    return onNetworkChange(look);
  }, []);

  const isCovered = cover !== "none";
  useEffect(() => {
    if (!isCovered) return;
    const stopWriting = () => {
      // In another window, the field has the focus again once this one is back.
      if (!document.hasFocus()) return;
      // The browser is about to focus the next field.
      setTimeout(() => setCover((before) => (before === "writing" ? "inert" : before)));
    };
    // A form that is sent now fails and takes the page with it. The chat keeps its messages.
    const holdForm = (event: Event) => event.preventDefault();
    // On the document, because dialogs are outside of the page.
    document.addEventListener("focusout", stopWriting);
    document.addEventListener("submit", holdForm, { capture: true });
    return () => {
      document.removeEventListener("focusout", stopWriting);
      document.removeEventListener("submit", holdForm, { capture: true });
    };
  }, [isCovered]);

  return (
    <>
      {/* React 18 does not know the attribute and would drop a boolean value. */}
      <div className="contents" {...(cover === "inert" && { inert: "" })}>
        {children}
      </div>
      {isCovered && <OfflineScreen takesFocus={cover === "inert"} />}
    </>
  );
}

function OfflineScreen({ takesFocus }: { takesFocus: boolean }) {
  const screen = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isTrying, setTrying] = useState(false);
  const { revalidate } = useRevalidator();

  // The browser's top layer, above an open menu too. Not every web view has it.
  useLayoutEffect(() => screen.current?.showPopover?.(), []);

  // In the layout phase, before the browser moves the focus out of the inert page. The server never renders this.
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (!takesFocus) return;
    before.current = document.activeElement;
    button.current?.focus();
    return screen.current ? makeDialogsInert(screen.current) : undefined;
  }, [takesFocus]);

  useEffect(
    // After the layout phase, because the page is inert until then.
    () => () => {
      if (before.current instanceof HTMLElement) before.current.focus();
      if (!offlineNow()) revalidate();
    },
    [revalidate],
  );

  async function tryAgain(): Promise<void> {
    setTrying(true);
    // Without an answer, a reload would end at the browser's own error page.
    if (await probeNow()) location.reload();
    else setTrying(false);
  }

  return (
    <div
      ref={screen}
      // React 18 passes it on, but its types don't know it.
      {...{ popover: "manual" }}
      role="alertdialog"
      aria-modal="true"
      aria-labelledby="offline-title"
      aria-describedby="offline-text"
      data-offline
      className="fixed inset-0 z-70 grid size-full max-h-none max-w-none place-items-center overflow-y-auto border-0 bg-surface p-6 text-text"
    >
      <div className="flex max-w-90 flex-col items-center text-center">
        <WifiOff aria-hidden className="size-10 text-muted" strokeWidth={1.5} />
        <h1 id="offline-title" className="mt-6 text-2xl">
          Connect to the Internet
        </h1>
        {/* Without the focus, the dialog is not announced. */}
        <p id="offline-text" role={takesFocus ? undefined : "alert"} className="mt-3 text-muted">
          You're offline. Check your connection and try again.
        </p>
        <Button ref={button} size="large" busy={isTrying} className="mt-8 w-full" onClick={tryAgain}>
          Try Again
        </Button>
        <p className="mt-4 text-sm text-muted">Make sure you have a stable internet connection</p>
      </div>
    </div>
  );
}

/** Makes the dialogs beside the page inert, those that open later too. Returns a function that restores what was. */
function makeDialogsInert(screen: Element): () => void {
  const made = new Set<Element>();
  const look = () => {
    for (const child of document.body.children) {
      if (child.contains(screen) || child.hasAttribute("inert")) continue;
      child.setAttribute("inert", "");
      made.add(child);
    }
  };
  look();
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true });
  return () => {
    observer.disconnect();
    for (const child of made) child.removeAttribute("inert");
  };
}

/** Where the entry of the browser's history has the times of its reloads. It outlives them where storage is forbidden too. */
const RELOADS = "growlineReloads";

/**
 * Replaces a page that failed to load. The page loads by itself when the network is back, or shows `children` if that has
 * not helped: a script may fail each time although the server responds.
 */
export function LostPage({ children }: { children: ReactNode }) {
  const [isStuck, setStuck] = useState(false);
  useEffect(() => {
    reportNetwork({ type: "failed" });
    return onNetworkChange(() => {
      if (!reachableNow()) return;
      const reloads = nextReload(history.state?.[RELOADS] ?? [], Date.now());
      setStuck(!reloads);
      if (!reloads) return;
      history.replaceState({ ...history.state, [RELOADS]: reloads }, "");
      location.reload();
    });
  }, []);
  if (isStuck) return children;
  // UnlessOffline shows the offline screen itself.
  return <main id="main" tabIndex={-1} className="flex-1" />;
}
