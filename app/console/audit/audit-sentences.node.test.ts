import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatsOf } from "#app/components/formats/number-formats.ts";
import { ALL_RESOURCES } from "#app/console/resources/all-resources.ts";
import type { AuditAction, AuditSubject } from "#app/db/schema/audit-vocabulary.ts";
import type { AuditRow } from "./audit-row.ts";
import { plainText } from "./audit-row.ts";
import { SENTENCES } from "./audit-sentences.ts";
import { actionName, putInWords } from "./entry-sentence.ts";
import { fieldsOf } from "./logged-fields.server.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const NAMES = {
  "service 12": "Instagram Followers",
  "provider 2": "Panel A",
  "provider 3": "Panel B",
  "customer u1": "Cy",
};

/** Actions whose name the code puts together. */
const COMPOSED: Record<string, string[]> = {
  "order.held_${outcome.kind}": ["order.held_accepted", "order.held_refused", "order.held_again"],
  "order.cancel_${decision.kind}": ["order.cancel_accept", "order.cancel_reject"],
  "customer.payment_${kind}": ["customer.payment_accept", "customer.payment_refuse"],
  "quarantine.${decision}": ["quarantine.take", "quarantine.keep", "quarantine.off"],
  "customer.${change.kind}": [
    "customer.end_sessions",
    "customer.suspend",
    "customer.reactivate",
    "customer.role",
    "customer.remove_factors",
    "customer.send_setup_link",
  ],
};

const OF_RESOURCES = ALL_RESOURCES.flatMap(({ type, form, actions }) =>
  ["create", ...(form.save ? ["change"] : []), ...Object.keys(actions)].map((verb) => `${type}.${verb}`),
);
const ACTIONS = [...Object.keys(SENTENCES), ...OF_RESOURCES];

function entry(action: string, subject: string, detail: Record<string, unknown> = {}): AuditRow {
  const [subjectType = "", subjectId = ""] = subject.split(" ");
  const words = { names: NAMES, fields: fieldsOf({ action, detail }) };
  return { id: 7, actorId: "a", actorName: "Ada", action, subjectType, subjectId, detail, createdAt: 1, ...words };
}

function told(action: string, subject: string, detail: Record<string, unknown> = {}): string {
  return plainText(putInWords(entry(action, subject, detail), formatsOf("en-US")).parts);
}

test("has a name and a sentence for every action that code writes, and none for others", () => {
  const written = new Set<string>();
  for (const path of sources()) {
    // Constraints of the database are written the same way.
    const source = readFileSync(path, "utf8").replaceAll(/(violates|isStale)\([^)]*\)/g, "");
    if (!/\baudit\(|audit\.add\(|\bchangeServices\(/.test(source)) continue;
    // In any notation: one of several in a condition, too.
    for (const [, name = ""] of source.matchAll(/["`]([a-z_]+\.[a-z_]*(?:\$\{[\w.]+\})?)["`]/g)) {
      for (const one of COMPOSED[name] ?? [name]) written.add(one);
    }
  }
  for (const action of OF_RESOURCES) written.add(action);
  const areas = new Set(ACTIONS.map((action) => action.split(".")[0]));
  const unknown = [...written].filter((name) => areas.has(name.split(".")[0]) && !isKnown(name));
  expect(unknown).toEqual([]);
  expect(ACTIONS.filter((action) => !written.has(action))).toEqual([]);
  const names = ACTIONS.map(actionName);
  expect(new Set(names).size).toBe(names.length);
});

test("the compiler refuses an action or a subject without words", () => {
  const known: AuditAction[] = ["order.refund", "reply.disable"];
  // @ts-expect-error: it has no sentence.
  const unknown: AuditAction = "order.paint";
  // @ts-expect-error: entries are about nothing of this kind.
  const subject: AuditSubject = "brush";
  expect([...known, unknown, subject]).toHaveLength(4);
});

test("tells changes of services in plain sentences", () => {
  const of = (detail: Record<string, unknown>) => told("service.change", "service 12", detail);
  expect(of({ rate: [2_000_000, 9_000_000] })).toBe("Ada raised the rate of Instagram Followers from $2.00 to $9.00");
  expect(of({ rate: [9_000_000, 180] })).toBe("Ada lowered the rate of Instagram Followers from $9.00 to $0.00018");
  expect(of({ enabled: [false, true] })).toBe("Ada put Instagram Followers on sale");
  expect(of({ enabled: [true, false] })).toBe("Ada took Instagram Followers off sale");
  expect(of({ name: ["Followers", "Instagram Followers"] })).toBe("Ada renamed “Followers” to Instagram Followers");
  expect(of({ min: [10, 1000] })).toBe("Ada changed the minimum of Instagram Followers from 10 to 1,000");
  expect(of({ providerId: [2, 3] })).toBe("Ada changed the provider of Instagram Followers from Panel A to Panel B");
  expect(of({ rate: [1, 2], min: [1, 2], max: [1, 2], type: ["a", "b"] })).toBe(
    "Ada changed the rate, minimum and 2 more of Instagram Followers",
  );
  expect(of({ rate: [9_000_000, 2_000_000], undoes: 3 })).toBe(
    "Ada lowered the rate of Instagram Followers from $9.00 to $2.00, undoing entry 3",
  );
  expect(of({ rate: [9_000_000, 2_000_000], undoes: 3, kept: { labels: ["name"], count: 1 } })).toBe(
    "Ada lowered the rate of Instagram Followers from $9.00 to $2.00, undoing part of entry 3",
  );
});

test("tells what was taught in the words of the form, with what its preview said below", () => {
  const rule = { kind: "error", word: "moon is not full", meaning: "service_paused" };
  expect(told("provider.teach", "provider 2", rule)).toBe(
    "Ada taught that “moon is not full” means “The service is paused” at Panel A",
  );
  const large = { kind: "state", word: "All set", meaning: "Partial", onlyOrderId: 7, closes: 25, refund: 2_500_000 };
  const { parts, facts } = putInWords(entry("provider.teach", "provider 2", large), formatsOf("en-US"));
  expect(plainText(parts)).toBe("Ada taught that “All set” means “Partial” at Panel A, on one order first");
  expect(facts.map(({ label, after }) => `${label}: ${after}`)).toEqual([
    "order it is tried on: 7",
    "open orders it closes: 25",
    "refund of these orders: $2.50",
  ]);
  expect(told("provider.apply_word", "provider 2", { ...large, triedOn: 7 })).toBe(
    "Ada applied the rule that “All set” means “Partial” to all orders at Panel A",
  );
});

test("lists below a sentence only what it doesn't say, and the reason apart", () => {
  const { facts, reason } = putInWords(
    entry("customer.credit", "customer u1", { kind: "topup", amount: 5_000_000, reason: "Wire" }),
    formatsOf("en-US"),
  );
  expect([facts, reason]).toEqual([[], "Wire"]);
  expect(told("customer.credit", "customer u1", { kind: "topup", amount: 5_000_000 })).toBe(
    "Ada credited $5.00 to Cy for a payment received",
  );
  const order = putInWords(
    entry("order.status", "order 5", { status: ["Pending", "Partial"], remains: [100, 40], reason: "Said so" }),
    formatsOf("en-US"),
  );
  expect(plainText(order.parts)).toBe("Ada set order 5 to Partial");
  expect(order.facts).toEqual([{ name: "remains", label: "remains", before: "100", after: "40" }]);
});

test("lists of something new or deleted only what it has, in words that people use", () => {
  const below = (action: string, subject: string, detail: Record<string, unknown>) =>
    putInWords(entry(action, subject, detail), formatsOf("en-US")).facts.map(({ label, before, after }) => [
      label,
      before,
      after,
    ]);
  expect(told("tier.create", "tier 1", { name: "Gold", kind: "percent", percent: "10%" })).toBe(
    "Ada created the tier “Gold” with 10% off every rate",
  );
  expect(told("tier.create", "tier 1", { name: "Gold", kind: "fixed" })).toBe(
    "Ada created the tier “Gold” with its own rates",
  );
  expect(below("tier.create", "tier 1", { name: "Gold", kind: "fixed" })).toEqual([]);
  expect(
    below("service.create", "service 12", {
      name: "Instagram Followers",
      rate: 2_000_000,
      max: 5000,
      description: "",
      dripfeed: false,
      linkCheck: "warn",
    }),
  ).toEqual([
    ["maximum", null, "5,000"],
    ["link check", null, "ask before ordering on the web"],
  ]);
  const reply = { shortcut: [null, "refill"], body: [null, "Up to a day."], next: [null, "snooze_tomorrow"] };
  expect(below("reply.create", "reply 4", reply)).toEqual([
    ["reply", null, "Up to a day."],
    ["what follows", null, "snooze until tomorrow morning"],
  ]);
  expect(below("reply.delete", "reply 4", { shortcut: ["refill", null], body: ["Up to a day.", null] })).toEqual([
    ["reply", null, "Up to a day."],
  ]);
  expect(
    below("codes.create", "codes 1", { name: "Autumn", count: 3, amount: 5, maxUses: 1, expiresAt: null }),
  ).toEqual([["uses per code", null, "1"]]);
  const newYear = Date.UTC(2027, 0, 1);
  expect(below("codes.create", "codes 1", { count: 3, amount: 5, expiresAt: newYear })).toEqual([
    ["last day (UTC)", null, "Dec 31, 2026"],
  ]);
  const ends = new Date(newYear).toISOString();
  expect(below("percent_code.create", "percent_code 1", { percent: "10%", ends })).toEqual([
    ["last day (UTC)", null, "Dec 31, 2026"],
  ]);
  expect(below("percent_code.create", "percent_code 1", { ends: [null, "2026-12-31"] })).toEqual([
    ["last day (UTC)", null, "Dec 31, 2026"],
  ]);
});

test("writes a number as the column with its name says: an amount, a percentage, a time", () => {
  const below = (action: string, subject: string, detail: Record<string, unknown>) =>
    putInWords(entry(action, subject, detail), formatsOf("en-US")).facts.map(
      ({ label, after }) => `${label}: ${after}`,
    );
  expect(below("orders.decide", "order several", { count: 2, charge: 5_000_000, cost: 2_500_000 })).toEqual([
    "charge: $5.00",
    "cost: $2.50",
  ]);
  expect(below("provider.add", "provider 2", { riseLimit: 2000, openUntil: 1_000 })).toEqual([
    "limit of price changes by night: 20%",
    "open until: 1970-01-01 00:00:01 UTC",
  ]);
  expect(below("reply.create", "reply 4", { assignsTo: [null, "u1"] })).toEqual(["person it assigns: Cy"]);
});

test("says who a conversation went to, and how", () => {
  const to = (detail: Record<string, unknown>) => told("conversation.assign", "conversation x", detail);
  expect(to({ assignee: [null, "Bo"] })).toBe("Ada assigned a visitor's conversation to Bo");
  expect(to({ assignee: ["Bo", null] })).toBe("Ada assigned a visitor's conversation to nobody");
  expect(to({ assignee: [null, "Ada"], by: "answering" })).toBe("Ada took a visitor's conversation by answering it");
  expect(to({ assignee: [null, "Ada"], by: "turn" })).toBe("Ada got a visitor's conversation, being next in turn");
  expect(to({ assignee: ["Ada", null], by: "leaving" })).toBe("Ada gave a visitor's conversation back on leaving");
});

test("names settings, codes, conversations and deleted people", () => {
  expect(told("setting.change", "settings min_top_up", { min_top_up: ["5.00", "10.00"] })).toBe(
    "Ada set min top up to $10.00, from $5.00",
  );
  expect(told("customer.suspend", "customer deleted-1")).toBe("Ada suspended a deleted account");
  expect(told("conversation.snooze", "conversation x", { until: [0, Date.UTC(2026, 4, 6, 7)] })).toBe(
    "Ada snoozed a visitor's conversation until 2026-05-06 07:00:00 UTC",
  );
  expect(told("reply.delete", "reply 4", { shortcut: ["hello", null] })).toBe("Ada deleted the reply /hello");
  const gone = { ...entry("order.refund", "order 5", { amount: 1_500_000 }), actorName: "" };
  expect(plainText(putInWords(gone, formatsOf("en-US")).parts)).toBe("A deleted account refunded $1.50 of order 5");
  expect(told("unheard.of", "order 5")).toBe("Ada did unheard.of to order 5");
});

test("tells every action without a detail, and links what it names", () => {
  for (const action of ACTIONS) {
    const { parts } = putInWords(entry(action, "service 12"), formatsOf("en-US"));
    expect(plainText(parts), action).toMatch(/^Ada [a-z]/);
    expect(plainText(parts), action).not.toMatch(/undefined|null|NaN|\[object/);
  }
  const { parts } = putInWords(entry("service.change", "service 12", { rate: [1, 2] }), formatsOf("en-US"));
  expect(parts[2]).toEqual({ text: "Instagram Followers", to: "/admin/services/12" });
});

function isKnown(name: string): boolean {
  // Some records are changed on their own pages.
  return actionName(name) !== name;
}

function sources(): string[] {
  return ["app", "workers"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
      .map((path) => join(ROOT, folder, path)),
  );
}

test("lists no field without a value in it, and says of a provider whether it gets orders", () => {
  const listed = (action: string, detail: Record<string, unknown>) =>
    putInWords(entry(action, "provider 2", detail), formatsOf("en-US")).facts.map(
      ({ label, after }) => `${label}: ${after}`,
    );
  const imported = { added: 3, changed: 0, removed: 0, "not ticked": 1, services: [], rates: 0 };
  expect(listed("provider.import", imported)).toEqual(["not ticked: 1"]);
  expect(listed("provider.add", { enabled: true })).toEqual(["send orders to this provider: yes"]);
});
