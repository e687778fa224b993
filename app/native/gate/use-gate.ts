import { useRef, useState } from "react";
import { useBeforePaint } from "#app/components/hydration/use-before-paint.ts";
import { isWebViewLike } from "#app/http/web-view.ts";
import { readBridge } from "#app/native/shell/platform.ts";
import { askGate, type Gate, type Outcome, startGate } from "./gate-decision.ts";
import { hasOnboarded, markStartUp, onOnboardingFinished } from "./onboarding-flags.ts";

/** A build with VITE_FORCE_ONBOARDING=1 shows the introduction at every start, also in a browser. */
const FORCE_ONBOARDING = import.meta.env.VITE_FORCE_ONBOARDING === "1";

export type Shown = { state: Outcome["state"]; platform: Gate["platform"] };

/** The state that the server renders, and every browser keeps. */
const INITIAL: Shown = { state: "ok", platform: null };

/** Runs the gate's state machine with this browser's bridge, user agent, flag and clock. */
export function useGate(session: boolean | null): Shown {
  const [shown, setShown] = useState(INITIAL);
  const gate = useRef<Gate | null>(null);

  useBeforePaint(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function ask(): void {
      clearTimeout(timer);
      const now = performance.now();
      const isFirst = gate.current === null;
      const reading = {
        bridge: readBridge(window),
        webViewLike: isWebViewLike(navigator.userAgent),
        onboarded: hasOnboarded("app"),
        session,
      };
      const { gate: next, state, startUpRedirect, askAt } = askGate(gate.current ?? startGate(now), reading, now);
      gate.current = next;
      if (startUpRedirect || (isFirst && FORCE_ONBOARDING)) markStartUp();
      setShown((before) =>
        before.state === state && before.platform === next.platform ? before : { state, platform: next.platform },
      );
      if (askAt !== null) timer = setTimeout(ask, Math.max(0, askAt - now));
    }
    ask();
    const stopListening = onOnboardingFinished(ask);
    return () => {
      stopListening();
      clearTimeout(timer);
    };
  }, [session]);

  return shown;
}
