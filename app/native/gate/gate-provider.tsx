import { useLocation, useMatches, useNavigate } from "@remix-run/react";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { useBeforePaint } from "#app/components/hydration/use-before-paint.ts";
import { Mark } from "#app/components/ui/mark.tsx";
import { pathOf } from "#app/http/requests/safe-path.ts";
import { APP_SIGN_IN_PATH } from "#app/http/web-view.ts";
import { IS_SHELL } from "#app/native/shell/platform.ts";
import { ONBOARDING_PATH, onStartUp, takeStartUp } from "./onboarding-flags.ts";
import { type Shown, useGate } from "./use-gate.ts";
import { useSession, useShell } from "./use-shell.ts";

/** The layout route in `app/routes.ts` for all pages behind the gate. */
export const GATED_ROUTE = "routes/site/gated";

const TARGETS: Partial<Record<Shown["state"], string>> = { onboard: ONBOARDING_PATH, auth: APP_SIGN_IN_PATH };

/** `redirectTo` opens a page outside the gate, with the way back in its query. */
type GateValue = Shown & { redirectTo: (path: string) => void };

export const GateContext = createContext<GateValue>({ state: "ok", platform: null, redirectTo: () => {} });

/**
 * Wraps every page: detects the platform, opens the shell in an app, and at startup redirects once to the introduction.
 * `onRestored` is called when the shell has restored a session under `sessionKey`.
 */
export function GateProvider({
  signedIn,
  sessionKey,
  onRestored,
  children,
}: {
  signedIn: boolean;
  sessionKey: string;
  onRestored: () => void;
  children: ReactNode;
}) {
  const [checked, setChecked] = useState(false);
  const session = useSession(signedIn, sessionKey, checked);
  const shown = useGate(session);
  const { platform } = shown;
  // The gate decides in an effect, which runs after the page's own effects. Right after login, "auth" is stale.
  const state = shown.state === "auth" && session === true ? "loading" : shown.state;
  useShell(platform, { signedIn, sessionKey, onRestored, onChecked: () => setChecked(true) });
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const isGated = useMatches().some(({ id }) => id === GATED_ROUTE);
  const redirectingTo = useRef<string | null>(null);

  useEffect(() => {
    // Without a native shell, nothing can restore a session.
    if (platform === "shell") setChecked(true);
  }, [platform]);

  useEffect(() => {
    const isApp = platform === "android" || platform === "ios";
    if (isApp && state !== "loading")
      import("#app/native/shell/open-shell.ts").then(({ hideSplash }) => hideSplash()).catch(() => {});
  }, [platform, state]);

  // Startup and gate may redirect to the same page at the same moment. Navigates once.
  const redirectTo = useCallback(
    (path: string) => {
      if (redirectingTo.current === path || location.pathname === path) return;
      redirectingTo.current = path;
      navigate(withWayBack(path, isGated), { replace: true });
    },
    [navigate, isGated],
  );

  // In the layout phase: the new page's effects, which run later, may redirect again.
  useBeforePaint(() => {
    redirectingTo.current = null;
  }, [pathname]);

  useEffect(() => {
    const follow = () => {
      if (takeStartUp()) redirectTo(ONBOARDING_PATH);
    };
    follow();
    return onStartUp(follow);
  }, [redirectTo]);

  const value = useMemo(() => ({ state, platform, redirectTo }), [state, platform, redirectTo]);
  return <GateContext.Provider value={value}>{children}</GateContext.Provider>;
}

/** Adds the page to return to, if any: the current one, or the one that this returns to itself. */
function withWayBack(path: string, isGated: boolean): string {
  const known = new URLSearchParams(location.search).get("redirectTo");
  const here = isGated ? pathOf(location.href) : "/";
  const redirectTo = known ?? here;
  // The app starts at "/".
  return redirectTo === "/" ? path : `${path}?${new URLSearchParams({ redirectTo })}`;
}

/** Wraps the pages behind the gate. The page is always rendered; an app that may not show it yet covers it. */
export function Gated({ children }: { children: ReactNode }) {
  const { state, redirectTo } = useContext(GateContext);
  const { key } = useLocation();
  const target = TARGETS[state];

  // biome-ignore lint/correctness/useExhaustiveDependencies: each page opened behind a closed gate redirects
  useEffect(() => {
    delete document.documentElement.dataset.gate;
    if (target) redirectTo(target);
  }, [target, redirectTo, key]);

  return (
    <>
      {children}
      {state !== "ok" && <Splash />}
    </>
  );
}

/** Returns the platform, or null until it is known. */
export function usePlatform(): Shown["platform"] {
  return useContext(GateContext).platform;
}

/**
 * Runs in <head> of a gated page, so that nothing flashes in our shell before the gate has decided. The stylesheet stops
 * hiding the page after a few seconds.
 */
export const HOLD_IN_SHELL = `if${IS_SHELL}document.documentElement.dataset.gate="held"`;

/** Covers the window while the gate decides which page an app may show. */
function Splash() {
  return (
    <div role="status" className="fixed inset-0 z-60 grid place-items-center bg-surface">
      <Mark className="size-16 animate-breathe" />
      <span className="sr-only">Opening</span>
    </div>
  );
}
