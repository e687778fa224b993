import type { HoldReason } from "#app/db/schema.server.ts";

/** Why an order is held, in words: a name for lists, and a sentence for the order's page. */
const HOLD_REASON_TEXTS: Record<HoldReason, { name: string; sentence: string }> = {
  cut_off: {
    name: "Sending was cut off",
    sentence: "The call to the provider was cut off, so the provider may have the order.",
  },
  unclear_answer: {
    name: "Unclear answer",
    sentence: "The provider's answer doesn't say whether it took the order.",
  },
  id_taken: {
    name: "ID used twice",
    sentence: "The provider answered with an ID that another order has.",
  },
  provider_changed: {
    name: "Provider changed",
    sentence: "The provider's settings changed while it may have had the order.",
  },
  unreadable: {
    name: "Unreadable status",
    sentence: "The provider's status for it couldn't be read for an hour.",
  },
  no_remains: {
    name: "Ended without remains",
    sentence: "The provider ended it and didn't say how much was delivered, so the refund isn't known.",
  },
  refused_too_long: {
    name: "Refused too long",
    sentence: "The provider kept refusing it for the moment, and it was sent as often as makes sense.",
  },
  account_deleted: {
    name: "Account deleted",
    sentence: "The customer deleted their account while the provider may have had the order.",
  },
  splits_comments: {
    name: "Comma in a comment",
    sentence:
      "The provider splits comments at commas, and one of them has a comma, so it wasn't sent. Order it by hand, or cancel and refund it.",
  },
  restored: {
    name: "Restored from a backup",
    sentence: "It waited to be sent when the backup was made, and may have been sent since.",
  },
};

export const HOLD_REASON_NAMES = Object.entries(HOLD_REASON_TEXTS).map(([reason, { name }]): [string, string] => [
  reason,
  name,
]);

export function holdReasonName(reason: HoldReason): string {
  return HOLD_REASON_TEXTS[reason].name;
}

export function holdReasonSentence(reason: HoldReason): string {
  return HOLD_REASON_TEXTS[reason].sentence;
}

export function readHoldReason(text: string | null): HoldReason | null {
  return text !== null && Object.hasOwn(HOLD_REASON_TEXTS, text) ? (text as HoldReason) : null;
}
