import { MAX_INT32 } from "#app/product.ts";
import { linesOf } from "./lines.ts";
import { hasUnseen, seenBefore, trimLink, trimUnseen } from "./links/link-text.ts";
import { acceptedLink, judgeLink, linkFromName, readName } from "./links/service-links.ts";
import {
  type FieldKind,
  type OrderFault,
  type OrderFieldName,
  type OrderFields,
  type OrderSender,
  type OrderTerms,
  orderField,
  type ParsedOrder,
  TYPE_RULES,
} from "./order-input.ts";
import {
  MAX_INTERVAL_MINUTES,
  MAX_LINK_CHARACTERS,
  MAX_LIST_CHARACTERS,
  MAX_RUNS,
  MAX_TEXT_CHARACTERS,
  OPEN_ENDED_POSTS,
} from "./order-limits.ts";

type Parsed = { ok: true; order: ParsedOrder } | { ok: false; fault: OrderFault };
type ProviderFields = ParsedOrder["providerFields"];
/** The part of an order that does not depend on how its quantity is given. */
type Base = Omit<ParsedOrder, "quantity" | "runs" | "intervalMinutes">;

/** Control characters, invisible and easily misread by a provider, and halves of surrogate pairs. */
const CONTROLS = /[^\P{Cc}\t\n]|[\u2028\u2029]|\p{Cs}/u;

/** Parses the fields of one order against its service's terms. */
export function parseOrder(terms: OrderTerms, fields: OrderFields, sender: OrderSender = { isPerson: false }): Parsed {
  const rule = TYPE_RULES[terms.type];
  const checked = rule.noLink ? { ok: true as const, link: "" } : parseTargetLink(terms, fields.link, sender);
  if (!checked.ok) return checked;
  const { link } = checked;

  const providerFields: ProviderFields = {};
  for (const name of [...rule.needs, ...(rule.takes ?? [])]) {
    const { kind, isProse, isSplitAtCommas } = orderField(name);
    const text = isProse ? (fields[name]?.trim() ?? "") : trimUnseen(fields[name] ?? "");
    if (text === "" && rule.takes?.includes(name)) continue;
    const value = parseField(kind, text, isProse);
    if (value === null) return invalid(name, faultText(name, kind));
    if (!isProse && hasUnseen(String(value))) return invalid(name, unseenText(name, kind));
    if (isSplitAtCommas && terms.splitsComments && String(value).includes(",")) {
      const refusal = commaText(name, String(value));
      return { ok: false, fault: { reason: "invalid_field", field: name, text: refusal, isOurs: true } };
    }
    providerFields[name] = value;
  }

  const base = { link, providerFields };
  if (rule.quantity === "posts") return parseSubscription(terms, base);
  const quantity = parseQuantity(terms, fields, providerFields);
  if (quantity === null) return invalid("quantity", "Enter the quantity as a whole number");
  if (rule.quantity !== "one") {
    if (quantity < terms.min) return { ok: false, fault: { reason: "quantity_too_small", min: terms.min } };
    if (quantity > terms.max) return { ok: false, fault: { reason: "quantity_too_large", max: terms.max } };
  }
  return parseRuns(terms, fields, { ...base, quantity });
}

/** Adds runs and interval. Real clients send "0", "" or nothing for an order without drip-feed. */
function parseRuns(terms: OrderTerms, fields: OrderFields, order: Base & Pick<ParsedOrder, "quantity">): Parsed {
  const runs = parseNumber(trimUnseen(fields.runs ?? "") || "0");
  const interval = parseNumber(trimUnseen(fields.interval ?? "") || "0");
  if (runs === null || runs > MAX_RUNS) return invalid("runs", `Enter runs as a whole number up to ${MAX_RUNS}`);
  if (interval === null || interval > MAX_INTERVAL_MINUTES) {
    return invalid("interval", `Enter the interval in minutes, up to ${MAX_INTERVAL_MINUTES}`);
  }
  if (runs <= 1) return { ok: true, order: { ...order, runs: 1, intervalMinutes: null } };
  if (!(TYPE_RULES[terms.type].runs && terms.dripfeed)) return invalid("runs", "This service has no drip-feed");
  if (interval < 1) return invalid("interval", "Enter the minutes between two runs");
  return { ok: true, order: { ...order, runs, intervalMinutes: interval } };
}

/**
 * A subscription is charged for the most it can deliver: `max` pieces for each post. The rest is refunded at its end.
 */
function parseSubscription(terms: OrderTerms, base: Base): Parsed {
  const { providerFields } = base;
  const [min, max, delay] = [Number(providerFields.min), Number(providerFields.max), Number(providerFields.delay)];
  if (!Number(providerFields.posts ?? 0) && !Number(providerFields.old_posts ?? 0))
    providerFields.posts = OPEN_ENDED_POSTS;
  const posts = Number(providerFields.posts ?? 0) + Number(providerFields.old_posts ?? 0);
  if (min < terms.min) return { ok: false, fault: { reason: "quantity_too_small", min: terms.min } };
  if (max > terms.max) return { ok: false, fault: { reason: "quantity_too_large", max: terms.max } };
  if (min > max) return invalid("min", "Enter a minimum that is not above the maximum");
  if (posts > MAX_RUNS) return invalid("posts", `Enter up to ${MAX_RUNS} posts, new and old together`);
  if (!SUBSCRIPTION_DELAYS.includes(delay)) {
    return invalid("delay", "Enter the delay in minutes: 0, 5, 10, 15, 30, 60, 90 … 600");
  }
  if (providerFields.expiry !== undefined && !isDate(String(providerFields.expiry))) {
    return invalid("expiry", "Enter the end date as day/month/year");
  }
  return { ok: true, order: { ...base, quantity: max, runs: posts, intervalMinutes: null } };
}

const SUBSCRIPTION_DELAYS = [0, 5, 10, 15, ...Array.from({ length: 20 }, (_, n) => (n + 1) * 30)];

function isDate(text: string): boolean {
  const [, day, month, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text)?.map(Number) ?? [];
  if (!day || !month || !year) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCDate() === day && date.getUTCMonth() === month - 1;
}

function parseQuantity({ type }: OrderTerms, fields: OrderFields, providerFields: ProviderFields): number | null {
  const { quantity } = TYPE_RULES[type];
  if (quantity === "one") return 1;
  if (typeof quantity === "object") return linesOf(String(providerFields[quantity.lines])).length;
  return parseNumber(trimUnseen(fields.quantity ?? ""));
}

function parseNumber(text: string): number | null {
  return /^\d{1,10}$/.test(text) && Number(text) <= MAX_INT32 ? Number(text) : null;
}

function parseLink(given: string | undefined): string | null {
  const text = trimLink(given ?? "");
  if (text === "" || text.length > MAX_LINK_CHARACTERS) return null;
  if (/\s/.test(text) || CONTROLS.test(text)) return null;
  const withScheme = /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text.replace(/^\/\//, "")}`;
  if (!URL.canParse(withScheme)) return null;
  const url = new URL(withScheme);
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  return isWeb && url.hostname.includes(".") && !url.username && !url.password ? withScheme : null;
}

type ParsedLink = { ok: true; link: string } | { ok: false; fault: OrderFault };

/**
 * Parses the link that is delivered to, by what the service takes. A person's link is stored in its usual form if it is
 * right; a program's stays as it was sent, because programs find their orders by it.
 */
function parseTargetLink(terms: OrderTerms, given: string | undefined, sender: OrderSender): ParsedLink {
  const before = seenBefore(trimLink(given ?? ""));
  if (before !== null) return { ok: false, fault: { reason: "bad_link", seenBefore: before } };
  const { network, category, name, linkKind, linkCheck = "off" } = terms;
  const isKnown = network !== undefined && category !== undefined && name !== undefined && linkKind !== undefined;
  if (!isKnown || linkCheck === "off") {
    const link = parseLink(given);
    return link === null ? { ok: false, fault: { reason: "bad_link" } } : { ok: true, link };
  }
  const service = { network, category, name, linkKind };
  const link = linkFromName(service, given ?? "") ?? parseLink(given);
  const takes = () => acceptedLink(service);
  if (link === null) return { ok: false, fault: { reason: "bad_link", takes: takes() } };
  const { verdict, read } = judgeLink(service, link);
  if (verdict === "right") return { ok: true, link: sender.isPerson ? read.link : link };
  const isAgreed =
    sender.isPerson && (sender.agreedLink === "all" || trimLink(sender.agreedLink) === trimLink(given ?? ""));
  if (verdict === "unsure" || (linkCheck === "warn" && (!sender.isPerson || isAgreed))) return { ok: true, link };
  if (linkCheck === "strict") return { ok: false, fault: { reason: "bad_link", takes: takes() } };
  return { ok: false, fault: { reason: "doubtful_link", read: readName(read), takes: takes() } };
}

function parseField(kind: FieldKind, text: string, isProse?: boolean): string | number | null {
  switch (kind) {
    case "lines": {
      if (text.length > MAX_LIST_CHARACTERS) return null;
      const lines = isProse ? linesOf(text) : linesOf(text).map(trimUnseen);
      return lines.length > 0 && lines.every((line) => !CONTROLS.test(line)) ? lines.join("\n") : null;
    }
    case "number":
      return parseNumber(text);
    case "url":
      return parseLink(text);
    case "text":
      return text !== "" && text.length <= MAX_TEXT_CHARACTERS && !CONTROLS.test(text) && !text.includes("\n")
        ? text
        : null;
    default:
      return kind satisfies never;
  }
}

function faultText(name: OrderFieldName, kind: FieldKind): string {
  const label = name.replaceAll("_", " ");
  if (kind === "lines") return `Enter ${label}, one per line, without control characters`;
  if (kind === "number") return `Enter ${label} as a whole number`;
  if (kind === "url") return `Enter ${label} as a web address`;
  return `Enter ${label}`;
}

function unseenText(name: OrderFieldName, kind: FieldKind): string {
  return `Enter ${name.replaceAll("_", " ")}${kind === "lines" ? ", one per line," : ""} without invisible characters`;
}

/** Characters of a comment that an error quotes. */
const MAX_QUOTED = 60;

function commaText(name: OrderFieldName, list: string): string {
  const [first = "", ...others] = list.split("\n").filter((line) => line.includes(","));
  const quoted = `“${[...first].slice(0, MAX_QUOTED).join("")}${[...first].length > MAX_QUOTED ? "…" : ""}”`;
  const commas = others.length === 0 && first.split(",").length === 2 ? "the comma" : "the commas";
  const where = others.length === 0 ? quoted : `${quoted} and ${others.length} more`;
  return `${orderField(name).label} for this service can't contain commas. Remove ${commas} from ${where}.`;
}

function invalid(field: OrderFieldName, text: string): { ok: false; fault: OrderFault } {
  return { ok: false, fault: { reason: "invalid_field", field, text } };
}
