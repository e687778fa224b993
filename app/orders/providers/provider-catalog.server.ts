import { z } from "zod";
import { type OfferedTerms, ORDER_TYPES } from "#app/db/schema.server.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { parseDecimal } from "#app/orders/rules/money-text.ts";
import { MAX_INT32 } from "#app/product.ts";
import { categoryName } from "./price-rule.ts";

/** A service in a provider's catalog, in our units. */
export type OfferedService = OfferedTerms & { providerServiceId: string; name: string };

/** Twice the largest catalogs. */
export const MAX_OFFERED = 40_000;
/** $1,000,000 per 1,000 pieces or per order. A higher rate is a mistake, and a price made from it would not be exact. */
const MAX_RATE = 1_000_000_000_000;

const text = z.union([z.string(), z.number()]).transform((given) => String(given).trim());
const count = text
  .pipe(z.string().regex(/^\d{1,10}$/))
  .transform(Number)
  .pipe(z.number().max(MAX_INT32));
/** Panels write a set flag as true, 1, "1" or "true". */
const flag = z
  .unknown()
  .optional()
  .transform((given) => given === true || given === 1 || given === "1" || given === "true");
const rate = text.transform(roundedUp).transform(parseDecimal).pipe(z.number().max(MAX_RATE));

const entry = z
  .object({
    service: text.pipe(z.string().min(1).max(50)),
    name: text
      .transform(cleanName)
      .pipe(z.string().min(1))
      .transform((name) => name.slice(0, 300)),
    category: text.default("").transform(categoryName),
    type: z.enum(ORDER_TYPES),
    rate,
    min: count,
    max: count,
    dripfeed: flag,
    refill: flag,
    cancel: flag,
  })
  .refine(({ min, max }) => min >= 1 && max >= min);

/**
 * Returns the readable services of a catalog and the ids of unreadable ones. An id with different terms is unreadable, too:
 * nothing says which of them an order would get. Some panels list a service in several categories, on the same terms.
 * Returns null if the catalog is not a list, or a longer one than any provider's.
 */
export function readCatalog(body: unknown): { services: OfferedService[]; unreadable: string[] } | null {
  if (!Array.isArray(body) || body.length > MAX_OFFERED) return null;
  const services = new Map<string, OfferedService>();
  const unreadable = new Set<string>();
  for (const item of body) {
    const parsed = entry.safeParse(item);
    if (!parsed.success) {
      unreadable.add(String((item as { service?: unknown } | null)?.service ?? "?").slice(0, 50));
      continue;
    }
    const { service, ...rest } = parsed.data;
    const offered = { providerServiceId: service, ...rest };
    const before = services.get(service);
    if (before && termsText(before) !== termsText(offered)) unreadable.add(service);
    services.set(service, offered);
  }
  for (const id of unreadable) services.delete(id);
  return { services: [...services.values()], unreadable: [...unreadable] };
}

function termsText({ name: _, category: __, ...terms }: OfferedService): string {
  return JSON.stringify(terms);
}

/** Returns what orders depend on. */
export function termsOf({ category, type, rate, min, max, dripfeed, refill, cancel }: OfferedService): OfferedTerms {
  return { category, type, rate, min, max, dripfeed, refill, cancel };
}

/** Returns the network that a category's name contains, or "Other". */
export function networkOf(category: string): string {
  const known = NETWORKS.find((network) => category.toLowerCase().includes(network.toLowerCase()));
  return known ?? "Other";
}

const NETWORKS = [
  "Instagram",
  "TikTok",
  "YouTube",
  "Facebook",
  "Twitter",
  "Telegram",
  "Spotify",
  "Twitch",
  "LinkedIn",
  "Discord",
  "Pinterest",
  "Reddit",
  "Snapchat",
  "SoundCloud",
  "Threads",
  "Website",
];

/** Rounds a rate with more than six decimals up to six, as many as our rates hold. */
function roundedUp(decimal: string): string {
  const match = /^(\d{1,9})\.(\d{6})(\d+)$/.exec(decimal);
  if (!match) return decimal;
  const [, whole = "", six = "", rest = ""] = match;
  if (/^0+$/.test(rest)) return `${whole}.${six}`;
  const micro = (BigInt(whole + six) + 1n).toString().padStart(7, "0");
  return `${micro.slice(0, -6)}.${micro.slice(-6)}`;
}
