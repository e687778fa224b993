import { useLocation, useNavigate } from "@remix-run/react";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { useBeforePaint } from "#app/components/hydration/use-before-paint.ts";
import { IS_SHELL } from "#app/native/shell/platform.ts";
import { ONBOARDING_PATH, onStartUp, takeStartUp } from "./onboarding-flags.ts";
import { Splash } from "./splash.tsx";
import { type Shown, useGate } from "./use-gate.ts";
import { useSession, useShell } from "./use-shell.ts";

export const SIGN_IN_PATH = "/auth/start";

const TARGETS: Partial<Record<Shown["state"], string>> = { onboard: ONBOARDING_PATH, auth: SIGN_IN_PATH };

type Around = Shown & { leadTo: (path: string) => void };

const GateContext = createContext<Around>({ state: "ok", platform: null, leadTo: () => {} });

/**
 * Wraps every page: detects the platform, opens the shell in an app, and once, at start-up, redirects to the
 * introduction. `onRestored` is called when the shell has restored a kept session under `sessionKey`.
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
  const [looked, setLooked] = useState(false);
  const session = useSession(signedIn, sessionKey, looked);
  const shown = useGate(session);
  const { platform } = shown;
  // The gate decides in an effect, and the page's own effects run before that takes hold: after signing in, "auth" is stale.
  const state = shown.state === "auth" && session === true ? "loading" : shown.state;
  useShell(platform, { signedIn, sessionKey, onRestored, onLooked: () => setLooked(true) });
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const redirectingTo = useRef<string | null>(null);

  useEffect(() => {
    // There is no native shell here that could restore a kept session.
    if (platform === "shell") setLooked(true);
  }, [platform]);

  useEffect(() => {
    const isApp = platform === "android" || platform === "ios";
    if (isApp && state !== "loading")
      import("#app/native/shell/open-shell.ts").then(({ hideSplash }) => hideSplash()).catch(() => {});
  }, [platform, state]);

  // Start-up and gate may redirect to the same page at the same moment; navigate once.
  const leadTo = useCallback(
    (path: string) => {
      if (redirectingTo.current === path || location.pathname === path) return;
      redirectingTo.current = path;
      navigate(path, { replace: true });
    },
    [navigate],
  );

  // In the layout phase: the new page's effects, which run later, may redirect again.
  useBeforePaint(() => {
    redirectingTo.current = null;
  }, [pathname]);

  useEffect(() => {
    const follow = () => {
      if (takeStartUp()) leadTo(ONBOARDING_PATH);
    };
    follow();
    return onStartUp(follow);
  }, [leadTo]);

  const around = useMemo(() => ({ state, platform, leadTo }), [state, platform, leadTo]);
  return <GateContext.Provider value={around}>{children}</GateContext.Provider>;
}

/** Wraps the pages behind the gate. The page is always rendered; an app that may not show it yet covers it. */
export function Gated({ children }: { children: ReactNode }) {
  const { state, leadTo } = useContext(GateContext);
  const { key } = useLocation();
  const target = TARGETS[state];

  // biome-ignore lint/correctness/useExhaustiveDependencies: each page opened behind a closed gate redirects
  useEffect(() => {
    delete document.documentElement.dataset.gate;
    if (target) leadTo(target);
  }, [target, leadTo, key]);

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
 * Runs in <head> of a page behind the gate, so that nothing flashes up in our shell before the gate has decided. The
 * style sheet stops hiding the page after a while.
 */
export const HOLD_IN_SHELL = `if${IS_SHELL}document.documentElement.dataset.gate="held"`;
