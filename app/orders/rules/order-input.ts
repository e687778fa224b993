import type { OrderMetadata, OrderType } from "#app/db/schema.server.ts";
import { ownValue } from "#app/own-value.ts";
import type { LinkTerms } from "./links/service-links.ts";
import { OPEN_ENDED_POSTS } from "./order-limits.ts";

/** How a field is written. `lines` is a list with one item per line. */
export type FieldKind = "text" | "lines" | "number" | "url";

type OrderField = {
  kind: FieldKind;
  label: string;
  help?: string;
  /** People's own words, whose invisible characters may be meant: marks that turn the direction of a line, for one. */
  isProse?: true;
  /** A list that some panels split at commas too. A service of theirs takes no comma in it. */
  isSplitAtCommas?: true;
  /** Names of the choices. The field's value is a choice's number, counted from 1. */
  choices?: readonly string[];
};

/**
 * Every field of an order except its service. The order form, the API's schema and its documentation, the columns of a
 * mass order, the CSV export and the request digest all follow from this list.
 */
export const ORDER_FIELDS = {
  link: { kind: "url", label: "Link", help: "The public address of the post, video or profile." },
  quantity: {
    kind: "number",
    label: "Quantity",
    help: "How many to deliver in each run. Leave it out for packages and for services that count the lines of a list.",
  },
  runs: { kind: "number", label: "Runs", help: "Repeat the quantity this many times." },
  interval: { kind: "number", label: "Every", help: "Minutes between runs." },
  comments: { kind: "lines", label: "Comments", help: "One comment per line.", isProse: true, isSplitAtCommas: true },
  usernames: { kind: "lines", label: "Usernames", help: "One username per line.", isSplitAtCommas: true },
  hashtags: { kind: "lines", label: "Hashtags", help: "One hashtag per line." },
  hashtag: { kind: "text", label: "Hashtag", help: "Users who posted with this hashtag are mentioned." },
  username: { kind: "text", label: "Username", help: "The account whose comment, followers or posts to use." },
  media: { kind: "url", label: "Media link", help: "Users who liked this post are mentioned." },
  keywords: { kind: "lines", label: "Keywords", help: "One keyword per line." },
  groups: { kind: "lines", label: "Groups", help: "One group per line." },
  answer_number: { kind: "number", label: "Answer number", help: "The poll's answer to vote for, counted from 1." },
  country: { kind: "text", label: "Country", help: "Two letters, such as US or DE, or WW for worldwide." },
  // The numbers of these choices are the panel convention's.
  device: {
    kind: "number",
    label: "Device",
    choices: ["Desktop", "Mobile, Android", "Mobile, iOS", "Mobile, mixed", "Desktop and mobile"],
  },
  type_of_traffic: {
    kind: "number",
    label: "Type of traffic",
    choices: ["Google keyword", "Referring page", "Direct, no referrer"],
  },
  google_keyword: { kind: "text", label: "Google keyword", help: "For traffic from a Google keyword." },
  referring_url: { kind: "url", label: "Referring page", help: "For traffic from a referring page." },
  min: { kind: "number", label: "Minimum per post" },
  max: {
    kind: "number",
    label: "Maximum per post",
    help: "You pay for this many per post, and we refund what isn't delivered.",
  },
  posts: {
    kind: "number",
    label: "New posts",
    help: `How many future posts to cover. Without new and old posts: the next ${OPEN_ENDED_POSTS}.`,
  },
  old_posts: { kind: "number", label: "Old posts", help: "How many existing posts to cover." },
  delay: { kind: "number", label: "Delay", help: "Minutes to wait after a post: 0, 5, 10, 15, 30, 60, 90 … 600." },
  expiry: { kind: "text", label: "End date", help: "As day/month/year." },
} as const satisfies Record<string, OrderField>;

export type OrderFieldName = keyof typeof ORDER_FIELDS;

export const ORDER_FIELD_NAMES = Object.keys(ORDER_FIELDS) as OrderFieldName[];

/** The fields of one order as they were submitted, before they are parsed against its service. */
export type OrderFields = Partial<Record<OrderFieldName, string>>;

export function orderField(name: OrderFieldName): OrderField {
  return ORDER_FIELDS[name];
}

/** Picks an order's fields out of a form, a request or a row by their names. */
export function pickOrderFields(read: (name: OrderFieldName) => unknown): OrderFields {
  const fields: OrderFields = {};
  for (const name of ORDER_FIELD_NAMES) {
    const value = read(name);
    if (typeof value === "string") fields[name] = value;
  }
  return fields;
}

type TypeRule = {
  /** `lines`: one piece per line of that field; `one`: a package; `posts`: at most `max` pieces per post. */
  quantity: "entered" | "one" | "posts" | { lines: "comments" | "usernames" };
  /** The order targets a username. */
  noLink?: true;
  needs: readonly OrderFieldName[];
  takes?: readonly OrderFieldName[];
  /** Drip-feed: repeats the quantity `runs` times, every `interval` minutes. */
  runs?: true;
};

/** The fields that each type of order asks for. The panel convention defines the types. */
export const TYPE_RULES: Record<OrderType, TypeRule> = {
  Default: { quantity: "entered", needs: [], runs: true },
  Package: { quantity: "one", needs: [] },
  SEO: { quantity: "entered", needs: ["keywords"] },
  "Custom Comments": { quantity: { lines: "comments" }, needs: ["comments"] },
  "Custom Comments Package": { quantity: "one", needs: ["comments"] },
  Mentions: { quantity: "entered", needs: ["usernames"] },
  "Mentions with Hashtags": { quantity: "entered", needs: ["usernames", "hashtags"] },
  "Mentions Custom List": { quantity: { lines: "usernames" }, needs: ["usernames"] },
  "Mentions Hashtag": { quantity: "entered", needs: ["hashtag"] },
  "Mentions User Followers": { quantity: "entered", needs: ["username"] },
  "Mentions Media Likers": { quantity: "entered", needs: ["media"] },
  "Comment Likes": { quantity: "entered", needs: ["username"] },
  "Comment Replies": { quantity: { lines: "comments" }, needs: ["username", "comments"] },
  Poll: { quantity: "entered", needs: ["answer_number"] },
  "Invites from Groups": { quantity: "entered", needs: ["groups"] },
  Subscriptions: {
    quantity: "posts",
    noLink: true,
    needs: ["username", "min", "max", "delay"],
    takes: ["posts", "old_posts", "expiry"],
  },
  "Web Traffic": {
    quantity: "entered",
    needs: ["country", "device", "type_of_traffic"],
    takes: ["google_keyword", "referring_url"],
  },
};

/** Returns whether the rate is for the whole order instead of 1,000 pieces. */
export function isPerOrder(type: OrderType): boolean {
  return TYPE_RULES[type].quantity === "one";
}

/**
 * Returns whether an order pays for each post that appears, so that a quantity alone doesn't give its charge: limits and
 * quantity are those of one post.
 */
export function isByPosts(type: OrderType): boolean {
  return TYPE_RULES[type].quantity === "posts";
}

/** Returns what a form has to ask for. `countedBy` is the list whose lines are the quantity. */
export function fieldsOfType(type: OrderType) {
  const { quantity, noLink, needs, takes = [], runs } = TYPE_RULES[type];
  const listed = (names: readonly OrderFieldName[], optional: boolean) => names.map((name) => ({ name, optional }));
  return {
    link: !noLink,
    quantity: quantity === "entered",
    runs: runs === true,
    needs: [...listed(needs, false), ...listed(takes, true)],
    countedBy: typeof quantity === "object" ? quantity.lines : null,
  };
}

/** A service's limits for its orders. `splitsComments`: its provider splits lists at commas. */
export type OrderTerms = {
  type: OrderType;
  min: number;
  max: number;
  dripfeed: boolean;
  splitsComments?: boolean;
} & Partial<LinkTerms>;

/** How an order came in. A person is asked about a doubtful link; `agreedLink` is the link that they ordered with anyway. */
export type OrderSender = { isPerson: false } | { isPerson: true; agreedLink: string | "all" };

/** What a caller of the API keeps with an order, to find and to read it again. */
export type OrderNotes = { reference?: string; metadata?: OrderMetadata };

/** An order that has been checked against its service's terms. */
export type ParsedOrder = {
  link: string;
  /** Pieces in one run. */
  quantity: number;
  runs: number;
  intervalMinutes: number | null;
  /** The type's fields beyond link, quantity and runs. Sent to the provider whole. */
  providerFields: Record<string, string | number>;
};

/** Returns the fields that place the same order again. */
export function fieldsOfOrder(order: ParsedOrder): OrderFields {
  return pickOrderFields((name) => {
    if (name === "link") return order.link;
    if (name === "quantity") return String(order.quantity);
    if (name === "runs") return order.runs > 1 ? String(order.runs) : undefined;
    if (name === "interval") return order.intervalMinutes === null ? undefined : String(order.intervalMinutes);
    const value = ownValue(order.providerFields, name);
    return value === undefined ? undefined : String(value);
  });
}

export type OrderFault =
  /** `isOurs`: the panel convention has no wording for it. */
  | { reason: "invalid_field"; field: string; text: string; isOurs?: true }
  /** `takes` says what the service takes, if the link leads elsewhere. `seenBefore` precedes a character that nobody sees. */
  | { reason: "bad_link"; takes?: string; seenBefore?: string }
  /** The link seems to lead to `read`, and the service takes `takes`. */
  | { reason: "doubtful_link"; read: string; takes: string }
  | { reason: "quantity_too_small"; min: number }
  | { reason: "quantity_too_large"; max: number };

export type OrderRefusal =
  | OrderFault
  | { reason: "unknown_service" }
  | { reason: "insufficient_funds" }
  /** The charge is more than the customer was shown, or allowed. Micro-units; `max` is null if no price was shown. */
  | { reason: "charge_above_max"; charge: number; max: number | null }
  /** The API key's daily cap does not cover the charge. */
  | { reason: "daily_cap_reached" }
  /** No orders are taken now. `text` is what the operator tells customers. */
  | { reason: "maintenance"; text: string }
  | { reason: "idempotency_conflict" };
