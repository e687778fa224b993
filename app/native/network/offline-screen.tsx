import { useRevalidator } from "@remix-run/react";
import WifiOff from "lucide-react/icons/wifi-off";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { offlineNow, onNetworkChange, reportNetwork } from "./watch-network.ts";

/** The page, covered by the offline screen while there is no network. Typed input stays. */
export function UnlessOffline({ children }: { children: ReactNode }) {
  const offline = useOffline();
  return (
    <>
      {/* React 18 does not know the attribute and would drop a boolean value. */}
      <div className="contents" {...(offline && { inert: "" })}>
        {children}
      </div>
      {offline && <OfflineScreen />}
    </>
  );
}

export function OfflineScreen() {
  const button = useRef<HTMLButtonElement>(null);
  const { revalidate } = useRevalidator();

  // In the layout phase, before the browser moves the focus out of the inert page. The server never renders this.
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    before.current = document.activeElement;
    button.current?.focus();
  }, []);

  useEffect(
    // After the layout phase, because the page is inert until then.
    () => () => {
      if (before.current instanceof HTMLElement) before.current.focus();
      if (!offlineNow()) revalidate();
    },
    [revalidate],
  );

  return (
    <div
      role="alertdialog"
      aria-modal="true"
      aria-labelledby="offline-title"
      aria-describedby="offline-text"
      data-offline
      className="fixed inset-0 z-70 grid place-items-center overflow-y-auto bg-surface p-6"
    >
      <div className="flex max-w-90 flex-col items-center text-center">
        <WifiOff aria-hidden className="size-10 text-muted" strokeWidth={1.5} />
        <h1 id="offline-title" className="mt-6 text-2xl">
          Connect to the Internet
        </h1>
        <p id="offline-text" className="mt-3 text-muted">
          You're offline. Check your connection and try again.
        </p>
        <Button ref={button} size="large" className="mt-8 w-full" onClick={() => location.reload()}>
          Try Again
        </Button>
        <p className="mt-4 text-sm text-muted">Make sure you have a stable internet connection</p>
      </div>
    </div>
  );
}

/** Replaces a page that failed to load. The page loads by itself when the network is back. */
export function LostPage() {
  useEffect(() => {
    reportNetwork({ type: "failed", awaited: true });
    return onNetworkChange(() => {
      if (!offlineNow()) location.reload();
    });
  }, []);
  // UnlessOffline shows the offline screen itself.
  return <main id="main" tabIndex={-1} className="flex-1" />;
}

function useOffline(): boolean {
  return useSyncExternalStore(onNetworkChange, offlineNow, () => false);
}
