import { z } from "zod";
import type { OrderType } from "#app/db/schema.server.ts";
import { linesOf } from "./lines.ts";

/** What a service says about the orders it takes. */
export type OrderTerms = { type: OrderType; min: number; max: number; dripfeed: boolean };

/** An order that has been checked against its service's terms. */
export type ParsedOrder = {
  link: string;
  /** Pieces in one run. */
  quantity: number;
  runs: number;
  intervalMinutes: number | null;
  details: Record<string, string | number>;
};

export type OrderFault =
  | { reason: "invalid_field"; field: string; text: string }
  | { reason: "bad_link" }
  | { reason: "quantity_too_small"; min: number }
  | { reason: "quantity_too_large"; max: number };

export type OrderRefusal =
  | OrderFault
  | { reason: "unknown_service" }
  | { reason: "insufficient_funds" }
  | { reason: "idempotency_conflict" };

type Detail = "text" | "lines" | "number" | "url";
type Rule = {
  /** `lines`: as many as the lines of that field; `one`: the order is a package; `posts`: at most `max` for each post. */
  quantity: "asked" | "one" | "posts" | { lines: "comments" | "usernames" };
  /** The order is about a user name. */
  noLink?: true;
  needs: Record<string, Detail>;
  takes?: Record<string, Detail>;
  /** Drip-feed: the quantity again every `interval` minutes, `runs` times. */
  runs?: true;
};

const RULES: Record<OrderType, Rule> = {
  Default: { quantity: "asked", needs: {}, runs: true },
  Package: { quantity: "one", needs: {} },
  SEO: { quantity: "asked", needs: { keywords: "lines" } },
  "Custom Comments": { quantity: { lines: "comments" }, needs: { comments: "lines" } },
  "Custom Comments Package": { quantity: "one", needs: { comments: "lines" } },
  Mentions: { quantity: "asked", needs: { usernames: "lines" } },
  "Mentions with Hashtags": { quantity: "asked", needs: { usernames: "lines", hashtags: "lines" } },
  "Mentions Custom List": { quantity: { lines: "usernames" }, needs: { usernames: "lines" } },
  "Mentions Hashtag": { quantity: "asked", needs: { hashtag: "text" } },
  "Mentions User Followers": { quantity: "asked", needs: { username: "text" } },
  "Mentions Media Likers": { quantity: "asked", needs: { media: "url" } },
  "Comment Likes": { quantity: "asked", needs: { username: "text" } },
  "Comment Replies": { quantity: { lines: "comments" }, needs: { username: "text", comments: "lines" } },
  Poll: { quantity: "asked", needs: { answer_number: "number" } },
  "Invites from Groups": { quantity: "asked", needs: { groups: "lines" } },
  Subscriptions: {
    quantity: "posts",
    noLink: true,
    needs: { username: "text", min: "number", max: "number", delay: "number" },
    takes: { posts: "number", old_posts: "number", expiry: "text" },
  },
  "Web Traffic": {
    quantity: "asked",
    needs: { country: "text", device: "number", type_of_traffic: "number" },
    takes: { google_keyword: "text", referring_url: "url" },
  },
};

/** Fields that a form or a program may send for an order, beside what names the service. */
export const ORDER_FIELDS = [
  "link",
  "quantity",
  "runs",
  "interval",
  "comments",
  "usernames",
  "hashtags",
  "hashtag",
  "username",
  "media",
  "keywords",
  "groups",
  "answer_number",
  "country",
  "device",
  "type_of_traffic",
  "google_keyword",
  "referring_url",
  "min",
  "max",
  "posts",
  "old_posts",
  "delay",
  "expiry",
] as const;
export type OrderFields = Partial<Record<(typeof ORDER_FIELDS)[number], string>>;

const MAX_LINK_CHARACTERS = 2000;
const MAX_TEXT_CHARACTERS = 500;
const MAX_LIST_CHARACTERS = 200_000;
const MAX_RUNS = 1000;
const MAX_INTERVAL_MINUTES = 30 * 24 * 60;

/** What a person does not see and a provider may take for something else; half of a character is none. */
const UNSEEN = /[^\P{Cc}\t\n]|[\u2028\u2029]|\p{Cs}/u;
/** Turns the text after it round, so that a link reads as another one. */
const TURNS_ROUND = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const wholeNumber = z
  .string()
  .regex(/^\d{1,10}$/)
  .transform(Number)
  .pipe(z.number().max(2_147_483_647));

/** True where the rate is for the whole order, not for 1,000 pieces. */
export function isPerOrder(type: OrderType): boolean {
  return RULES[type].quantity === "one";
}

/** What a form has to ask for. */
export function fieldsOf(terms: Pick<OrderTerms, "type" | "dripfeed">): {
  link: boolean;
  quantity: boolean;
  runs: boolean;
  needs: { name: string; kind: Detail; optional: boolean }[];
} {
  const rule = RULES[terms.type];
  const listed = (fields: Record<string, Detail> = {}, optional: boolean) =>
    Object.entries(fields).map(([name, kind]) => ({ name, kind, optional }));
  return {
    link: !rule.noLink,
    quantity: rule.quantity === "asked",
    runs: rule.runs === true && terms.dripfeed,
    needs: [...listed(rule.needs, false), ...listed(rule.takes, true)],
  };
}

export function parseOrder(
  terms: OrderTerms,
  fields: OrderFields,
): { ok: true; order: ParsedOrder } | { ok: false; fault: OrderFault } {
  const rule = RULES[terms.type];
  const link = rule.noLink ? "" : parseLink(fields.link);
  if (link === null) return { ok: false, fault: { reason: "bad_link" } };

  const details: ParsedOrder["details"] = {};
  for (const [name, kind] of Object.entries({ ...rule.needs, ...rule.takes })) {
    const given = fields[name as keyof OrderFields]?.trim() ?? "";
    if (given === "" && rule.takes?.[name]) continue;
    const value = parseDetail(kind, given);
    if (value === null) return invalid(name, detailText(name, kind));
    details[name] = value;
  }

  if (rule.quantity === "posts") return parseSubscription(terms, details);
  const quantity = parseQuantity(rule, fields, details);
  if (quantity === null) return invalid("quantity", "Give the quantity as a whole number");
  if (rule.quantity !== "one") {
    if (quantity < terms.min) return { ok: false, fault: { reason: "quantity_too_small", min: terms.min } };
    if (quantity > terms.max) return { ok: false, fault: { reason: "quantity_too_large", max: terms.max } };
  }

  // Real clients send "0", "" or nothing for an order without drip-feed.
  const runs = wholeNumber.safeParse(fields.runs?.trim() || "0");
  const interval = wholeNumber.safeParse(fields.interval?.trim() || "0");
  if (!runs.success || runs.data > MAX_RUNS) return invalid("runs", `Give runs as a whole number up to ${MAX_RUNS}`);
  if (!interval.success || interval.data > MAX_INTERVAL_MINUTES) {
    return invalid("interval", `Give the interval in minutes, up to ${MAX_INTERVAL_MINUTES}`);
  }
  if (runs.data > 1 && !(rule.runs && terms.dripfeed)) return invalid("runs", "This service has no drip-feed");
  if (runs.data > 1 && interval.data < 1) return invalid("interval", "Give the minutes between two runs");
  const drip = runs.data > 1;
  return {
    ok: true,
    order: { link, quantity, runs: drip ? runs.data : 1, intervalMinutes: drip ? interval.data : null, details },
  };
}

/** Charged for the most it may come to: `max` pieces for each post. What was not delivered goes back at its end. */
function parseSubscription(
  terms: OrderTerms,
  details: ParsedOrder["details"],
): { ok: true; order: ParsedOrder } | { ok: false; fault: OrderFault } {
  const [min, max, delay] = [Number(details.min), Number(details.max), Number(details.delay)];
  const posts = Number(details.posts ?? 0) + Number(details.old_posts ?? 0);
  if (min < terms.min) return { ok: false, fault: { reason: "quantity_too_small", min: terms.min } };
  if (max > terms.max) return { ok: false, fault: { reason: "quantity_too_large", max: terms.max } };
  if (min > max) return invalid("min", "Give a min that is not above max");
  if (posts < 1 || posts > MAX_RUNS) return invalid("posts", `Give posts, new and old together, from 1 to ${MAX_RUNS}`);
  if (!SUBSCRIPTION_DELAYS.includes(delay))
    return invalid("delay", "Give the delay in minutes: 0, 5, 10, 15, 30, 60, 90 … 600");
  if (details.expiry !== undefined && !isDate(String(details.expiry))) {
    return invalid("expiry", "Give expiry as day/month/year");
  }
  return { ok: true, order: { link: "", quantity: max, runs: posts, intervalMinutes: null, details } };
}

const SUBSCRIPTION_DELAYS = [0, 5, 10, 15, ...Array.from({ length: 20 }, (_, n) => (n + 1) * 30)];

function isDate(text: string): boolean {
  const [, day, month, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text)?.map(Number) ?? [];
  if (!day || !month || !year) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCDate() === day && date.getUTCMonth() === month - 1;
}

function parseQuantity(rule: Rule, fields: OrderFields, details: ParsedOrder["details"]): number | null {
  if (rule.quantity === "one") return 1;
  if (typeof rule.quantity === "object") return linesOf(String(details[rule.quantity.lines])).length;
  const parsed = wholeNumber.safeParse(fields.quantity?.trim() ?? "");
  return parsed.success ? parsed.data : null;
}

function parseLink(given: string | undefined): string | null {
  const text = given?.trim() ?? "";
  if (text === "" || text.length > MAX_LINK_CHARACTERS) return null;
  if (/\s/.test(text) || UNSEEN.test(text) || TURNS_ROUND.test(text)) return null;
  const withScheme = /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text.replace(/^\/\//, "")}`;
  if (!URL.canParse(withScheme)) return null;
  const url = new URL(withScheme);
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  return isWeb && url.hostname.includes(".") && !url.username ? withScheme : null;
}

function parseDetail(kind: Detail, text: string): string | number | null {
  switch (kind) {
    case "lines": {
      const lines = linesOf(text);
      const isSeen = lines.every((line) => !UNSEEN.test(line));
      return lines.length > 0 && text.length <= MAX_LIST_CHARACTERS && isSeen ? lines.join("\n") : null;
    }
    case "number": {
      const parsed = wholeNumber.safeParse(text);
      return parsed.success ? parsed.data : null;
    }
    case "url":
      return parseLink(text);
    case "text":
      return text !== "" && text.length <= MAX_TEXT_CHARACTERS && !UNSEEN.test(text) && !text.includes("\n")
        ? text
        : null;
    default:
      return kind satisfies never;
  }
}

function detailText(name: string, kind: Detail): string {
  const label = name.replaceAll("_", " ");
  if (kind === "lines") return `Give ${label}, one a line, without control characters`;
  if (kind === "number") return `Give ${label} as a whole number`;
  if (kind === "url") return `Give ${label} as a web address`;
  return `Give ${label}`;
}

function invalid(field: string, text: string): { ok: false; fault: OrderFault } {
  return { ok: false, fault: { reason: "invalid_field", field, text } };
}
