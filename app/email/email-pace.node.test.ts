import { expect, test } from "vitest";
import type { SendOutcome } from "./email-outcome.ts";
import { adjustPace, newEmailMemory, retryWait } from "./email-pace.ts";

const SENT: SendOutcome = { kind: "sent" };
const DOWN: SendOutcome = { kind: "retry", error: "HTTP 503", waitMs: 0, isBusy: false };
const BUSY: SendOutcome = { kind: "retry", error: "HTTP 429", waitMs: 1500, isBusy: true };
const NOW = 1_000_000;

test("waits longer after each failure of an email, up to ten minutes", () => {
  expect([1, 2, 3, 4, 5, 6, 500].map((attempts) => retryWait(attempts, 0))).toEqual([
    5000, 15_000, 45_000, 135_000, 405_000, 600_000, 600_000,
  ]);
  expect(retryWait(1, 1)).toBe(6000);
});

test("pauses longer each round while the email API takes nothing, up to two minutes, until a success", () => {
  const memory = newEmailMemory();
  round(memory, { a: DOWN, b: DOWN });
  expect(memory.pausedUntil).toBe(0);
  const pauses = ["c", "d", "e", "f", "g", "h", "i", "j"].map((id) => pauseAfter(memory, { [id]: DOWN }));
  expect(pauses).toEqual([2000, 4000, 8000, 16_000, 32_000, 64_000, 120_000, 120_000]);
  round(memory, { k: null });
  expect(memory.failures).toBe(8);
  round(memory, { l: SENT });
  expect(memory).toMatchObject({ failures: 0, failing: new Set() });
});

test("does not pause for one email that keeps failing, also among others", () => {
  const memory = newEmailMemory();
  for (let n = 0; n < 10; n++) round(memory, { a: DOWN });
  round(memory, { a: DOWN, b: SENT, c: DOWN, d: DOWN });
  expect(memory).toMatchObject({ failures: 0, pausedUntil: 0 });
});

test("pauses as long as the email API asks", () => {
  const memory = newEmailMemory();
  expect(pauseAfter(memory, { a: SENT, b: BUSY, c: { ...BUSY, waitMs: 1000 } })).toBe(1500);
  expect(memory.failures).toBe(0);
});

function round(memory: ReturnType<typeof newEmailMemory>, outcomes: Record<string, SendOutcome | null>): void {
  const attempts = Object.entries(outcomes).map(([id, outcome]) => ({ id, outcome }));
  adjustPace(memory, attempts, NOW, 0);
}

function pauseAfter(memory: ReturnType<typeof newEmailMemory>, outcomes: Record<string, SendOutcome | null>): number {
  round(memory, outcomes);
  return memory.pausedUntil - NOW;
}
