import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatsOf } from "#app/components/formats/number-formats.ts";
import { MICRO } from "#app/product.ts";
import { DAY_MS } from "#app/time.ts";
import { type CustomerFacts, signsOf } from "./customer-sign-text.ts";

const NOW = Date.UTC(2026, 10, 24);
const { money } = formatsOf("en-US");
/** Words that say what a fact means, which is not ours to say. */
const VERDICTS = /fraud|suspicious|suspect|scam|abus|cheat|thief|steal|risk|danger|criminal|bad actor|untrust/i;

const USUAL: CustomerFacts = {
  createdAt: NOW - 200 * DAY_MS,
  emailConfirmedAt: NOW - 199 * DAY_MS,
  suspendedAt: null,
  owed: 0,
  firstTopUp: { amount: 900 * MICRO, at: NOW - 150 * DAY_MS },
  payments: [payment("paid"), payment("paid"), payment("failed")],
  recent: { charged: 100 * MICRO, refunded: 19 * MICRO },
};

const EVERYTHING: CustomerFacts = {
  createdAt: NOW - 3 * DAY_MS,
  emailConfirmedAt: null,
  suspendedAt: NOW - DAY_MS,
  owed: 12 * MICRO,
  firstTopUp: { amount: 900 * MICRO, at: NOW - 1000 },
  payments: [
    payment("paid"),
    payment("paid", { reversed: MICRO, reversedAt: NOW - 2 * DAY_MS }),
    payment("paid", { reversed: 20 * MICRO, reversedAt: NOW - 21 * DAY_MS }),
    payment("paid"),
    payment("paid"),
    payment("review", { amount: 50 * MICRO, createdAt: NOW - 5 * DAY_MS }),
    ...[1, 2, 3].map((days) => payment("failed", { createdAt: NOW - days * DAY_MS })),
  ],
  recent: { charged: 40 * MICRO, refunded: 12_400_000 },
};

test("says nothing about a customer whose payments are as usual", () => {
  expect(signsOf(USUAL, NOW, money)).toEqual([]);
});

test("names each fact with its number and its date", () => {
  expect(signsOf(EVERYTHING, NOW, money).map(({ text, when, at }) => [text, when, at])).toEqual([
    ["Owes $12.00", "Last reversal", NOW - 2 * DAY_MS],
    ["2 of 5 card payments reversed", "Last", NOW - 2 * DAY_MS],
    ["1 card payment of $50.00 in review", "Since", NOW - 5 * DAY_MS],
    ["3 card payments failed within 7 days", "Last", NOW - DAY_MS],
    ["First top-up: $900.00", "Made", NOW - 1000],
    ["31% of charges refunded in 30 days: $12.40 of $40.00", "Since", NOW - 30 * DAY_MS],
    ["Email not confirmed", "Joined", NOW - 3 * DAY_MS],
    ["Suspended", "Since", NOW - DAY_MS],
  ]);
});

test("leaves out what is small, old, or happens to anybody", () => {
  const names = (facts: Partial<CustomerFacts>) => signsOf({ ...USUAL, ...facts }, NOW, money).map(({ name }) => name);
  expect(names({ firstTopUp: { amount: 99 * MICRO, at: NOW } })).toEqual([]);
  expect(names({ firstTopUp: { amount: 100 * MICRO, at: NOW - 6 * DAY_MS } })).toEqual(["first"]);
  expect(names({ firstTopUp: { amount: 100 * MICRO, at: NOW - 8 * DAY_MS } })).toEqual([]);
  expect(names({ recent: { charged: 100, refunded: 20 } })).toEqual(["refunded"]);
  expect(names({ recent: { charged: 0, refunded: 20 } })).toEqual([]);
  expect(names({ payments: [1, 2].map(() => payment("failed", { createdAt: NOW })) })).toEqual([]);
  expect(names({ payments: [1, 2, 3].map(() => payment("failed", { createdAt: NOW - 8 * DAY_MS })) })).toEqual([]);
});

test("says of which payments it speaks where not all were read, and has no date that it doesn't know", () => {
  const payments = Array.from({ length: 50 }, (_, at) => payment("paid", { reversed: at === 0 ? MICRO : 0 }));
  expect(signsOf({ ...USUAL, payments }, NOW, money)).toMatchObject([
    { text: "1 of the newest 50 card payments reversed", at: NOW - 100 * DAY_MS },
  ]);
  expect(signsOf({ ...USUAL, owed: MICRO }, NOW, money)).toMatchObject([{ text: "Owes $1.00", at: null }]);
});

test("accuses nobody, in any word that staff read", () => {
  for (const { text, when } of signsOf(EVERYTHING, NOW, money)) expect(`${text} ${when}`).not.toMatch(VERDICTS);
  const sources = readdirSync(import.meta.dirname).filter((name) => !name.includes(".test."));
  expect(sources.length).toBeGreaterThan(2);
  for (const name of sources) {
    expect(readFileSync(join(import.meta.dirname, name), "utf8"), name).not.toMatch(VERDICTS);
  }
});

function payment(status: string, given: Partial<CustomerFacts["payments"][number]> = {}) {
  return { status, amount: 20 * MICRO, reversed: 0, createdAt: NOW - 100 * DAY_MS, reversedAt: null, ...given };
}
