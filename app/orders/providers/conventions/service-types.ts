import { ORDER_TYPES, type OrderType } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";

/**
 * Words for a service's type that panels of the convention write beside its own names, by the type that is meant. Letters and
 * digits only, see `spellingOf`. Words that two panels use for different types stay out, and numbers with them: one panel's 2
 * is a package, another's is custom comments.
 */
const OTHER_WORDS: Partial<Record<OrderType, readonly string[]>> = {
  // Some panels write what is delivered in place of the type. Orders of these have a link and a quantity, and rates are per
  // 1,000. A panel's "subscribe" is one for followers; "comments" is missing, because some of these want texts.
  Default: [
    "standard",
    "normal",
    "primary",
    "subscribe",
    "subscribers",
    "followers",
    "friends",
    "members",
    "likes",
    "views",
    "reposts",
  ],
  Package: ["packages"],
  "Custom Comments": ["customcomment"],
  "Custom Comments Package": ["customcommentpackage", "customcommentspackages"],
  Mentions: ["mention"],
  "Mentions with Hashtags": ["mentionswithhashtag", "mentionwithhashtags"],
  "Mentions Custom List": ["mentioncustomlist", "mentionscustomlists"],
  "Mentions Hashtag": ["mentionshashtags", "mentionhashtag"],
  "Mentions User Followers": ["mentionsuserfollower", "mentionuserfollowers"],
  "Mentions Media Likers": ["mentionsmedialiker", "mentionmedialikers"],
  "Comment Likes": ["commentlike", "commentslikes"],
  "Comment Replies": ["commentreply", "commentsreplies"],
  Poll: ["polls"],
  "Invites from Groups": ["invitesfromgroup", "invitefromgroups", "invitefromgroup"],
  Subscriptions: ["subscription"],
};

/** Every known spelling and its type. */
export const SERVICE_TYPES: Readonly<Record<string, OrderType>> = Object.fromEntries(
  ORDER_TYPES.flatMap((type) => [type, ...(OTHER_WORDS[type] ?? [])].map((word) => [spellingOf(word), type])),
);

/** Returns the type that a panel's word means, whatever its case, blanks, underscores and hyphens, or null. */
export function readServiceType(word: unknown, types: Readonly<Record<string, OrderType>>): OrderType | null {
  return typeof word === "string" ? (ownValue(types, spellingOf(word)) ?? null) : null;
}

function spellingOf(word: string): string {
  return word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
