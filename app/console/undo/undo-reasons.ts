import type { AuditAction } from "#app/db/audit-actions.ts";
import { ownValue } from "#app/own-value.ts";
import { type ResourceType, resourceOf } from "../resources/all-resources.ts";

const OTHERWISE = "This is changed where it was done, and not from here.";
const CONVERSATION = "Conversations go on. Change it in the conversation.";

/** Actions that an entry of the log can undo, or that its page leads to the undoing of. */
type Undone =
  | "service.change"
  | "services.change"
  | "provider.change"
  | "provider.teach"
  | "provider.apply_word"
  | "price_rule.add"
  | "price_rule.change"
  | "price_rule.remove"
  | "quarantine.take"
  | "quarantine.keep"
  | "quarantine.off"
  | "quarantine.reopen"
  | "customer.credit"
  | "customer.debit"
  | "setting.change"
  | "settings.change"
  | "announcement.create"
  | "announcement.change"
  | "announcement.delete";

/** Reason why an action can't be undone. The compiler asks for one for each new action. */
const REASONS: Record<Exclude<AuditAction, Undone | `${ResourceType}.${string}`>, string> = {
  "order.status":
    "The customer, their webhooks and their balance have followed the status. Set another one on the order's page.",
  "order.refund": "The money is on the customer's balance. Debit it there if the refund was a mistake.",
  "order.held_accepted": "The order follows its provider now. Set its status on its page.",
  "order.held_refused": "The order is canceled and refunded. The customer can order again.",
  "order.held_again": "The order was sent to its provider, and may be delivered by now.",
  "order.refill": "The customer was told. Update the refill again on the order's page.",
  "order.cancel_accept": "The order is canceled and refunded. The customer can order again.",
  "order.cancel_reject": "The customer was told, and can ask again.",
  "service.create": "Orders can name the service by now. Take it off sale instead.",
  "provider.add": "Services and orders can name the provider by now. Stop sending orders to it instead.",
  "provider.import":
    "An import writes what the provider offers, and orders were placed by it since. Preview the catalog again, and change or switch off services as a selection.",
  "provider.sync":
    "It writes what the provider offers. Decide on what waits in quarantine, and change services as a selection.",
  "provider.undo_word": "Teach the word again on the provider's page, which lists it when the provider sends it again.",
  "customer.reversal": "The bank took the payment back. It is credited by itself if the bank returns it.",
  "customer.reversal_undone": "The bank returned the payment.",
  "customer.end_sessions": "An ended session stays ended. The person can log in again.",
  "customer.suspend": "Reactivate the account on its page. Its sessions stay ended.",
  "customer.reactivate": "Suspend the account on its page.",
  "customer.role": "Who may do what is decided on the account's page, with a reason and a new proof of who you are.",
  "customer.remove_factors": "Only the person can set up a second step again.",
  "customer.send_setup_link": "The link was sent.",
  "customer.payment_accept": "The money is on the customer's balance. Debit it there if that was a mistake.",
  "customer.payment_refuse": "Credit the customer on their page if the payment was good after all.",
  "codes.create": "Codes that were handed out can't be taken back. Disable them instead.",
  "codes.disable": "A disabled code may be in wrong hands. Create new ones.",
  "orders.decide": OTHERWISE,
  "order.compare": OTHERWISE,
  "customer.note": OTHERWISE,
  "customer.note_delete": OTHERWISE,
  "customer.tier": OTHERWISE,
  "tier.create": OTHERWISE,
  "tier.change": OTHERWISE,
  "tier.rates": OTHERWISE,
  "tier.delete": OTHERWISE,
  "conversation.assign": CONVERSATION,
  "conversation.tags": CONVERSATION,
  "conversation.note": CONVERSATION,
  "conversation.block": CONVERSATION,
  "conversation.unblock": CONVERSATION,
  "conversation.snooze": CONVERSATION,
  "conversation.wake": CONVERSATION,
  "conversation.close": CONVERSATION,
  "conversation.reopen": CONVERSATION,
  "email.allow": "Emails were sent to the address since. If one bounces, it is suppressed again.",
};

/** Returns why an action can't be undone. */
export function whyNotUndone(action: string): string {
  return ownValue(REASONS, action) ?? resourceOf(action)?.neverUndone ?? OTHERWISE;
}
