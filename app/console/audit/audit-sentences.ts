import type { BulkDecision } from "#app/console/orders/decisions/bulk-decision-plan.ts";
import { ownValue } from "#app/own-value.ts";
import type { Part } from "../resource/entry-words.ts";
import type { RecordAction } from "../resource/resource.ts";
import type { Telling } from "./telling.ts";

/**
 * What an action is called in a filter, what its entry says after the name of the person, and why it can't be undone from the
 * log. Null: it can, or the entry's page leads to the undoing. See app/console/undo.
 */
export type Sentence = readonly [name: string, say: (entry: Telling) => Part[], whyNotUndone: string | null];

export const ELSEWHERE = "This is changed where it was done, and not from here.";
const CONVERSATION = "Conversations go on. Change it in the conversation.";

/** Everything that can be recorded, with its words. Those of resources are in their definitions. */
export const SENTENCES = {
  "order.status": [
    "Set an order's status",
    (e) => ["set ", e.subject, ` to ${e.text("status")}`],
    "The customer, their webhooks and their balance have followed the status. Set another one on the order's page.",
  ],
  "order.refund": [
    "Refunded an order",
    (e) => [`refunded ${e.text("amount")} of `, e.subject],
    "The money is on the customer's balance. Debit it there if the refund was a mistake.",
  ],
  "order.held_accepted": [
    "Resolved a held order: follow it",
    (e) => ["resolved ", e.subject, ` as accepted by the provider, under ID ${e.text("providerOrderId")}`],
    "The order follows its provider now. Set its status on its page.",
  ],
  "order.held_refused": [
    "Resolved a held order: refund it",
    (e) => ["resolved ", e.subject, " as not accepted by the provider, and refunded it"],
    "The order is canceled and refunded. The customer can order again.",
  ],
  "order.held_again": [
    "Resolved a held order: send it again",
    (e) => ["sent ", e.subject, " to its provider again"],
    "The order was sent to its provider, and may be delivered by now.",
  ],
  "order.refill": [
    "Updated a refill",
    (e) => [`set refill ${e.text("refill")} of `, e.subject, ` to ${e.text("status")}`],
    "The customer was told. Update the refill again on the order's page.",
  ],
  "order.cancel_accept": [
    "Accepted a cancellation",
    (e) => ["accepted the cancellation of ", e.subject],
    "The order is canceled and refunded. The customer can order again.",
  ],
  "order.cancel_reject": [
    "Rejected a cancellation",
    (e) => ["rejected the cancellation of ", e.subject],
    "The customer was told, and can ask again.",
  ],
  "orders.decide": [
    "Decided on held orders together",
    (e) => [`decided to ${decision(e)} `, e.count("count", "held order")],
    ELSEWHERE,
  ],
  "order.compare": ["Applied a provider's answer", (e) => ["applied the provider's answer to ", e.subject], ELSEWHERE],
  "service.create": [
    "Created a service",
    (e) => ["created the service ", e.subject, ` at ${e.text("rate")}`, e.skip("name")],
    "Orders can name the service by now. Take it off sale instead.",
  ],
  "service.change": ["Changed a service", serviceChange, null],
  "services.change": ["Changed services together", servicesChange, null],
  "provider.add": [
    "Added a provider",
    (e) => ["added the provider ", e.subject, e.skip("provider")],
    "Services and orders can name the provider by now. Stop sending orders to it instead.",
  ],
  "provider.change": ["Changed a provider", providerChange, null],
  "provider.import": [
    "Imported a catalog",
    (e) => [
      "imported the catalog of ",
      e.subject,
      `: ${e.text("added")} added, ${e.text("changed")} changed, ${e.text("removed")} taken off sale`,
      // A list has their number in place of the rates.
      e.detail.rates === 0 ? e.skip("rates") : "",
    ],
    "An import writes what the provider offers, and orders were placed by it since. Preview the catalog again, and change or switch off services as a selection.",
  ],
  "provider.sync": [
    "Compared a catalog",
    (e) => [
      "compared the catalog of ",
      e.subject,
      `: ${e.text("changed")} changed, ${e.text("quarantined")} put into quarantine, ${e.text("paused")} paused`,
    ],
    "It writes what the provider offers. Decide on what waits in quarantine, and change services as a selection.",
  ],
  "provider.teach": [
    "Taught a provider's word",
    (e) => [`taught ${ruleWords(e)} at `, e.subject, e.detail.onlyOrderId === undefined ? "" : ", on one order first"],
    null,
  ],
  "provider.apply_word": [
    "Applied a taught word to all orders",
    (e) => [`applied the rule ${ruleWords(e)} to all orders at `, e.subject],
    null,
  ],
  "provider.undo_word": [
    "Undid a taught word",
    (e) => [`undid the rule ${ruleWords(e)} at `, e.subject],
    "Teach the word again on the provider's page, which lists it when the provider sends it again.",
  ],
  "price_rule.add": [
    "Added a price rule",
    (e) => [`added a price rule of ${e.text("margin")} for ${category(e)} of `, e.subject],
    null,
  ],
  "price_rule.change": ["Changed a price rule", ruleChange, null],
  "price_rule.remove": [
    "Removed a price rule",
    (e) => [`removed the price rule for ${category(e)} of `, e.subject],
    null,
  ],
  "quarantine.take": [
    "Took a provider's new prices",
    (e) => ["took the new prices of ", e.subject, ` for ${e.count("services", "service")}`],
    null,
  ],
  "quarantine.keep": [
    "Kept our rates in quarantine",
    (e) => [`kept our rates for ${e.count("services", "service")} of `, e.subject],
    null,
  ],
  "quarantine.off": [
    "Kept services off sale",
    (e) => [`kept ${e.count("services", "service")} of `, e.subject, " off sale"],
    null,
  ],
  "quarantine.reopen": [
    "Reopened a quarantine decision",
    (e) => [`put ${e.count("services", "service")} of `, e.subject, " back into quarantine"],
    null,
  ],
  "customer.credit": [
    "Credited a customer",
    (e) => [`credited ${e.text("amount")} to `, e.subject, e.text("kind") === "topup" ? " for a payment received" : ""],
    null,
  ],
  "customer.debit": [
    "Debited a customer",
    (e) => [`debited ${e.text("amount").replace("-", "")} from `, e.subject, e.skip("kind")],
    null,
  ],
  "customer.reversal": [
    "Debited a reversed card payment",
    (e) => [`debited ${e.text("amount")} from `, e.subject, " for a reversed card payment"],
    "The bank took the payment back. It is credited by itself if the bank returns it.",
  ],
  "customer.reversal_undone": [
    "Credited a reversed card payment back",
    (e) => [`credited ${e.text("amount")} back to `, e.subject, " for a card payment that is no longer reversed"],
    "The bank returned the payment.",
  ],
  "customer.end_sessions": [
    "Logged a customer out",
    (e) => ["logged ", e.subject, " out on all devices"],
    "An ended session stays ended. The person can log in again.",
  ],
  "customer.suspend": [
    "Suspended an account",
    (e) => ["suspended ", e.subject],
    "Reactivate the account on its page. Its sessions stay ended.",
  ],
  "customer.reactivate": [
    "Reactivated an account",
    (e) => ["reactivated ", e.subject],
    "Suspend the account on its page.",
  ],
  "customer.role": [
    "Changed a role",
    (e) => ["changed the role of ", e.subject, ...fromTo(e, "role")],
    "Who may do what is decided on the account's page, with a reason and a new proof of who you are.",
  ],
  "customer.remove_factors": [
    "Removed a two-step login",
    (e) => ["removed the two-step login of ", e.subject],
    "Only the person can set up a second step again.",
  ],
  "customer.send_setup_link": [
    "Sent a setup link",
    (e) => ["sent ", e.subject, " a new setup link"],
    "The link was sent.",
  ],
  "customer.payment_accept": [
    "Credited a payment in review",
    (e) => [`credited ${e.text("amount")} to `, e.subject, " for a payment in review"],
    "The money is on the customer's balance. Debit it there if that was a mistake.",
  ],
  "customer.payment_refuse": [
    "Refused a payment in review",
    (e) => ["refused a payment of ", e.subject, " in review"],
    "Credit the customer on their page if the payment was good after all.",
  ],
  "customer.note": ["Added a note about a customer", (e) => ["added a note about ", e.subject], ELSEWHERE],
  "customer.note_delete": ["Deleted a note about a customer", (e) => ["deleted a note about ", e.subject], ELSEWHERE],
  "customer.tier": ["Assigned a tier", (e) => ["changed the tier of ", e.subject, ...fromTo(e, "tier")], ELSEWHERE],
  "tier.rates": [
    "Changed the rates of a tier",
    (e) => [`changed ${e.count("count", "rate")} of `, e.subject, e.skip("rates")],
    ELSEWHERE,
  ],
  "conversation.assign": ["Assigned a conversation", assignment, CONVERSATION],
  "conversation.tags": [
    "Tagged a conversation",
    (e) => ["changed the tags of ", e.subject, ...fromTo(e, "tags")],
    CONVERSATION,
  ],
  "conversation.note": [
    "Added a note to a conversation",
    (e) => ["added a note to ", e.subject, e.skip("note")],
    CONVERSATION,
  ],
  "conversation.block": ["Blocked a conversation", (e) => ["blocked ", e.subject], CONVERSATION],
  "conversation.unblock": ["Unblocked a conversation", (e) => ["unblocked ", e.subject], CONVERSATION],
  "conversation.snooze": [
    "Snoozed a conversation",
    (e) => ["snoozed ", e.subject, ` until ${e.text("until")}`],
    CONVERSATION,
  ],
  "conversation.wake": ["Woke a conversation", (e) => ["ended the snooze of ", e.subject], CONVERSATION],
  "conversation.close": ["Closed a conversation", (e) => ["closed ", e.subject], CONVERSATION],
  "conversation.reopen": ["Reopened a conversation", (e) => ["reopened ", e.subject], CONVERSATION],
  "email.allow": [
    "Allowed a suppressed address",
    (e) => ["let ", e.subject, " get emails again"],
    "Emails were sent to the address since. If one bounces, it is suppressed again.",
  ],
  "settings.change": ["Changed the support settings", (e) => e.changes(), null],
  "setting.change": ["Changed a setting", settingChange, null],
} as const satisfies Record<string, Sentence>;

type OwnAction = keyof typeof SENTENCES;

/** The first words of these actions. */
export type SentenceArea = OwnAction extends `${infer Area}.${string}` ? Area : never;

/** By what is done to a record of a resource: what an entry says of it, if the resource says no more. */
export const VERBS = { create: "created", change: "changed", delete: "deleted", disable: "disabled" };

declare module "#app/db/schema/audit-vocabulary.ts" {
  interface AuditVocabulary {
    action: OwnAction | RecordAction;
  }
}

function serviceChange(e: Telling): Part[] {
  const [only] = e.changed;
  if (e.changed.length === 1 && only === "rate") return rateChange(e);
  if (e.changed.length === 1 && only === "enabled")
    return e.text("enabled") === "yes" ? ["put ", e.subject, " on sale"] : ["took ", e.subject, " off sale"];
  if (e.changed.length === 1 && only === "name") return [`renamed “${e.change("name")?.from}” to `, e.subject];
  return e.changes();
}

function rateChange(e: Telling): Part[] {
  const rate = e.change("rate");
  return [`${rate?.isRise ? "raised" : "lowered"} the rate of `, e.subject, ` from ${rate?.from} to ${rate?.to}`];
}

/** The page of the change has the services; "Price +10%" is what the person asked for. */
function servicesChange(e: Telling): Part[] {
  const count = e.count("count", "service");
  e.skip("field", "kind", "services", "change");
  const change = typeof e.detail.change === "string" ? e.detail.change : "";
  const one = typeof e.subject === "object" && e.subject.to !== null ? e.subject : null;
  return ["changed ", one ?? count, change === "" ? "" : `: ${change}`];
}

function providerChange(e: Telling): Part[] {
  const key = e.detail.key === undefined ? [] : [" and replaced its key"];
  e.skip("key");
  const [only] = e.changed;
  if (only === undefined)
    return key.length > 0 ? ["replaced the key of ", e.subject] : ["tried ", e.subject, " again at once"];
  if (e.changed.length === 1 && only === "enabled")
    return [
      e.text("enabled") === "yes" ? "switched " : "stopped sending orders to ",
      e.subject,
      e.text("enabled") === "yes" ? " on" : "",
      ...key,
    ];
  return [...e.changes(), ...key];
}

/** "that “All set” means Completed" */
function ruleWords(e: Telling): string {
  e.skip("kind");
  return `that “${e.text("word")}” means “${e.text("meaning")}”`;
}

function category(e: Telling): string {
  e.skip("category");
  return e.detail.category === "" || e.detail.category === undefined ? "all categories" : `“${e.detail.category}”`;
}

function ruleChange(e: Telling): Part[] {
  const where = category(e);
  const margin = e.changed.length === 1 ? e.change("margin") : null;
  if (margin)
    return [`changed the margin of the price rule for ${where} of `, e.subject, ` from ${margin.from} to ${margin.to}`];
  return [`changed the price rule for ${where} of `, e.subject];
}

function fromTo(e: Telling, name: string): string[] {
  const change = e.change(name);
  return change ? [` from ${change.from} to ${change.to}`] : [];
}

/** Agents assign conversations. One who answers an unassigned conversation, is next in turn or leaves is the actor as well. */
function assignment(e: Telling): Part[] {
  const { by } = e.detail;
  e.skip("by");
  const to = e.text("assignee");
  if (by === "answering") return ["took ", e.subject, " by answering it"];
  if (by === "turn") return ["got ", e.subject, ", being next in turn"];
  if (by === "leaving") return ["gave ", e.subject, " back on leaving"];
  return ["assigned ", e.subject, ` to ${to === "none" ? "nobody" : to}`];
}

/** The setting's name is the field's, so it says no more than its values. */
function settingChange(e: Telling): Part[] {
  const [only = ""] = e.changed;
  const change = e.change(only);
  if (change === null) return ["changed ", e.subject];
  const isLong = `${change.from}${change.to}`.length > LONG_SETTING;
  return ["set ", e.subject, isLong ? ` to “${change.to}”` : ` to ${change.to}, from ${change.from}`];
}

const LONG_SETTING = 200;

const DECISIONS: Record<BulkDecision, string> = { again: "try again", refund: "cancel and refund", follow: "follow" };

function decision(e: Telling): string {
  const decided = e.text("decision");
  return ownValue(DECISIONS, decided) ?? decided;
}
