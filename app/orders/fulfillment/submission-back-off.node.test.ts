import { expect, test } from "vitest";
import type { AddOutcome } from "#app/orders/providers/reading/add-answer.ts";
import { newSending, noteOutcome, type Sending } from "./submission.server.ts";

const NOW = 1_000_000;
const UNKNOWN: AddOutcome = { kind: "unknown", why: "no answer" };
const ACCEPTED: AddOutcome = { kind: "accepted", providerOrderId: "7" };

function deferred(cause: "key" | "funds" | "busy" | "service" | "link" | "active_order"): AddOutcome {
  return { kind: "deferred", cause, meaning: null };
}

function after(...outcomes: [userId: string, outcome: AddOutcome][]): Sending {
  const sending = newSending();
  for (const [n, [userId, outcome]] of outcomes.entries()) noteOutcome(sending, { id: n + 1, userId }, outcome, NOW);
  return sending;
}

test("waits for ten seconds after a refusal that is about every order, and for none about one", () => {
  for (const cause of ["key", "funds", "busy"] as const) {
    expect(after(["ada", deferred(cause)]).from, cause).toBe(NOW + 10_000);
  }
  for (const cause of ["service", "link", "active_order"] as const) {
    expect(after(["ada", deferred(cause)]).from, cause).toBe(0);
  }
});

test("makes only the customer wait longer whose own orders have unknown outcomes", () => {
  const one = after(...Array.from({ length: 7 }, () => ["ada", UNKNOWN] as [string, AddOutcome]));
  expect(one).toEqual({
    from: NOW + 10_000,
    unknown: 7,
    suspect: { userId: "ada", orderId: 7, unknown: 7, from: NOW + 40_000 },
    hasAccepted: false,
  });
  const many = after(...Array.from({ length: 7 }, (_, n) => [`user-${n}`, UNKNOWN] as [string, AddOutcome]));
  expect(many).toMatchObject({ from: NOW + 40_000, unknown: 7, suspect: { userId: "user-6", unknown: 1 } });
});

test("forgets unknown outcomes at the next known one, and the customer at one of theirs", () => {
  expect(after(["ada", UNKNOWN], ["bo", ACCEPTED])).toMatchObject({
    unknown: 0,
    suspect: { userId: "ada" },
    hasAccepted: true,
  });
  expect(after(["ada", UNKNOWN], ["ada", deferred("link")])).toMatchObject({
    unknown: 0,
    suspect: null,
    hasAccepted: false,
  });
});
