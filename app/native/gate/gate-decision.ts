import type { NativePlatform } from "#app/native/shell/platform.ts";

/**
 * The startup redirect and the app gate as one pure state machine: the caller passes a reading and the time, and gets the
 * state to show and the time to ask again. Times are in milliseconds.
 */

export const POLL_MS = 50;
/** How long startup waits for a bridge before the user agent alone decides. */
export const START_UP_MS = 3000;
/** How long the gate waits for a bridge. */
export const GATE_MS = 4000;
/** How long after GATE_MS the gate retries once. From then on the user agent counts too. */
export const GATE_RETRY_MS = 1500;

export type Reading = {
  bridge: NativePlatform | null;
  webViewLike: boolean;
  /** The app's flag, not the web's. */
  onboarded: boolean;
  /** Whether there is a session; null while a stored one is being restored. */
  session: boolean | null;
};

export type Gate = {
  startedAt: number;
  /** The platform, or null until it is known. "shell" is an app recognized by its user agent alone. */
  platform: NativePlatform | "shell" | "web" | null;
  /** Time at which the platform became known. */
  knownAt: number;
  /** Stays true until the startup redirect is decided. */
  startingUp: boolean;
};

export type Outcome = {
  gate: Gate;
  state: "loading" | "onboard" | "auth" | "ok";
  /** Redirects any page to onboarding. True at most once. */
  startUpRedirect: boolean;
  /** When to ask again; null means only when a reading changes. */
  askAt: number | null;
};

export function startGate(now: number): Gate {
  return { startedAt: now, platform: null, knownAt: now, startingUp: true };
}

export function askGate(before: Gate, reading: Reading, now: number): Outcome {
  const platform = platformAt(before, reading, now);
  const knownAt = platform === before.platform ? before.knownAt : now;
  const decides = before.startingUp && (reading.bridge !== null || now - before.startedAt >= START_UP_MS);
  const isApp = reading.bridge !== null || reading.webViewLike;
  const gate = { ...before, platform, knownAt, startingUp: before.startingUp && !decides };
  return { gate, startUpRedirect: decides && isApp && !reading.onboarded, ...stateOf(gate, reading, now) };
}

function platformAt({ platform, startedAt }: Gate, { bridge, webViewLike }: Reading, now: number): Gate["platform"] {
  if (platform !== null) return platform;
  if (bridge) return bridge;
  if (now - startedAt < GATE_MS + GATE_RETRY_MS) return null;
  return webViewLike ? "shell" : "web";
}

function stateOf(gate: Gate, reading: Reading, now: number): Pick<Outcome, "state" | "askAt"> {
  const { platform } = gate;
  if (platform === "web") return { state: "ok", askAt: null };
  if (platform === null) {
    return { state: reading.webViewLike ? "loading" : "ok", askAt: nextPoll(gate, now) };
  }
  if (!reading.onboarded) return { state: "onboard", askAt: null };
  if (reading.session) return { state: "ok", askAt: null };
  const restoringUntil = gate.knownAt + GATE_MS;
  if (reading.session === null && now < restoringUntil) return { state: "loading", askAt: restoringUntil };
  return { state: "auth", askAt: null };
}

/** Polls every 50 ms until the gate's time is up, then once more for the retry. */
function nextPoll({ startedAt }: Gate, now: number): number {
  const end = startedAt + GATE_MS;
  return now < end ? Math.min(now + POLL_MS, end) : end + GATE_RETRY_MS;
}
