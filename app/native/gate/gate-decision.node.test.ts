import { expect, test } from "vitest";
import { askGate, type Gate, type Outcome, type Reading, startGate } from "./gate-decision.ts";

const BROWSER: Reading = { bridge: null, webViewLike: false, onboarded: false, session: false };
const WEB_VIEW: Reading = { ...BROWSER, webViewLike: true };
const ANDROID: Reading = { ...BROWSER, bridge: "android" };
const START = 1_000_000;

/** Runs the gate up to `until` ms after the start, at the times it asks for. `read` returns the reading at a time. */
function run(until: number, read: (ms: number) => Reading, gate: Gate = startGate(START)) {
  const polls: { ms: number; outcome: Outcome }[] = [];
  let ms: number | null = 0;
  while (ms !== null && ms <= until) {
    const outcome: Outcome = askGate(gate, read(ms), START + ms);
    polls.push({ ms, outcome });
    gate = outcome.gate;
    ms = outcome.askAt === null ? null : outcome.askAt - START;
  }
  return { polls, gate, redirects: polls.filter(({ outcome }) => outcome.startUpRedirect).map(({ ms }) => ms) };
}

function stateAt(ms: number, read: (ms: number) => Reading): string | undefined {
  return run(ms, read).polls.findLast((entry) => entry.ms <= ms)?.outcome.state;
}

test("shows the page at once in a browser and stops polling at 5,500 ms", () => {
  const { polls, gate, redirects } = run(100_000, () => BROWSER);
  expect(new Set(polls.map(({ outcome }) => outcome.state))).toEqual(new Set(["ok"]));
  expect(redirects).toEqual([]);
  expect(gate.platform).toBe("web");
  expect(polls.at(-1)?.ms).toBe(5500);
});

test("polls at 0, 50, 100 … 4,000 ms, and once more 1,500 ms later", () => {
  const times = run(100_000, () => BROWSER).polls.map(({ ms }) => ms);
  expect(times.slice(0, 3)).toEqual([0, 50, 100]);
  expect(times.slice(-3)).toEqual([3950, 4000, 5500]);
  expect(times).toHaveLength(82);
});

test("schedules the second poll at 50 ms", () => {
  const { askAt } = askGate(startGate(START), WEB_VIEW, START);
  expect(askAt).toBe(START + 50);
});

test("shows onboarding and redirects immediately if a bridge is present at startup", () => {
  const { polls, redirects } = run(0, () => ANDROID);
  expect(polls[0]?.outcome).toMatchObject({ state: "onboard", startUpRedirect: true, askAt: null });
  expect(redirects).toEqual([0]);
});

test("detects a bridge as soon as it appears at 50 ms", () => {
  const read = (ms: number) => (ms >= 50 ? ANDROID : WEB_VIEW);
  expect(stateAt(49, read)).toBe("loading");
  expect(stateAt(50, read)).toBe("onboard");
});

test("waits for a bridge until 2,999 ms at startup, then decides once by the user agent at 3,000 ms", () => {
  expect(run(2999, () => WEB_VIEW).redirects).toEqual([]);
  expect(run(3000, () => WEB_VIEW).redirects).toEqual([3000]);
  expect(run(100_000, () => WEB_VIEW).redirects).toEqual([3000]);
});

test("makes no startup redirect for a bridge that appears later, but still applies the gate", () => {
  const read = (ms: number) => (ms >= 3050 ? ANDROID : BROWSER);
  const { redirects } = run(100_000, read);
  expect(redirects).toEqual([]);
  expect(stateAt(3000, read)).toBe("ok");
  expect(stateAt(3050, read)).toBe("onboard");
});

test("detects a bridge at 4,000 ms, and one at 4,001 ms only in the retry at 5,500 ms", () => {
  const at = (when: number) => (ms: number) => (ms >= when ? ANDROID : WEB_VIEW);
  expect(stateAt(3999, at(4000))).toBe("loading");
  expect(stateAt(4000, at(4000))).toBe("onboard");
  expect(stateAt(5499, at(4001))).toBe("loading");
  expect(stateAt(5500, at(4001))).toBe("onboard");
});

test("treats a web view without a bridge as an app after the retry", () => {
  const onboarded = { ...WEB_VIEW, onboarded: true };
  expect(stateAt(5499, () => onboarded)).toBe("loading");
  const { gate, polls } = run(100_000, () => onboarded);
  expect(gate.platform).toBe("shell");
  expect(polls.at(-1)).toMatchObject({ ms: 5500, outcome: { state: "auth", askAt: null } });
});

test("ignores a bridge that appears after the retry", () => {
  const { gate } = run(100_000, (ms) => (ms > 5500 ? ANDROID : BROWSER));
  expect(gate.platform).toBe("web");
  expect(askGate(gate, ANDROID, START + 6000).state).toBe("ok");
});

test("leads the app through onboarding and sign-in to the page, and back to sign-in when the session ends", () => {
  let { gate, state } = askGate(startGate(START), ANDROID, START);
  expect(state).toBe("onboard");
  ({ gate, state } = askGate(gate, { ...ANDROID, onboarded: true }, START + 10_000));
  expect(state).toBe("auth");
  ({ gate, state } = askGate(gate, { ...ANDROID, onboarded: true, session: true }, START + 20_000));
  expect(state).toBe("ok");
  ({ gate, state } = askGate(gate, { ...ANDROID, onboarded: true, session: false }, START + 30_000));
  expect(state).toBe("auth");
});

test("waits at most 4,000 ms for a session to be restored once the platform is known", () => {
  const restoring: Reading = { ...ANDROID, onboarded: true, session: null };
  const { gate, state, askAt } = askGate(startGate(START), restoring, START + 100);
  expect(state).toBe("loading");
  expect(askAt).toBe(START + 4100);
  expect(askGate(gate, restoring, START + 4099).state).toBe("loading");
  expect(askGate(gate, restoring, START + 4100).state).toBe("auth");
  expect(askGate(gate, { ...restoring, session: true }, START + 4099).state).toBe("ok");
});

test("keeps the platform once it is known", () => {
  const { gate } = askGate(startGate(START), { ...ANDROID, onboarded: true, session: true }, START);
  const later = askGate(gate, { ...BROWSER, onboarded: true }, START + 9000);
  expect(later.gate.platform).toBe("android");
  expect(later.state).toBe("auth");
});
