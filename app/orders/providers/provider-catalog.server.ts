import type { OfferedTerms, OrderType } from "#app/db/schema.server.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { decodeEntities } from "#app/http/html-entities.ts";
import { isPerOrder } from "#app/orders/rules/order-input.ts";
import { MAX_INT32 } from "#app/product.ts";
import { type CatalogEntry, nameOf, readCatalogPage } from "./catalog-shapes.ts";
import { readServiceType } from "./conventions/service-types.ts";
import { isOurCurrency } from "./order-cost.ts";
import { readPieceCount } from "./piece-count.ts";
import { categoryName } from "./price-rule.ts";
import { type DecimalMarks, decimalMarksOf, readRate } from "./rate-text.ts";
import { isRecord } from "./reading/members.ts";
import type { UnreadableEntry, UnreadableReason } from "./unreadable-entry.ts";

/** A service in a provider's catalog, in our units. */
export type OfferedService = OfferedTerms & { providerServiceId: string; name: string };

export type ProviderCatalog = {
  services: OfferedService[];
  /** One for each id, and those that have none. */
  unreadable: UnreadableEntry[];
};

/** Twice the largest catalogs. */
export const MAX_OFFERED = 40_000;

const MAX_ID_CHARACTERS = 50;
const MAX_NAME_CHARACTERS = 300;
const MAX_WORD_CHARACTERS = 60;
const MAX_RAW_CHARACTERS = 200;
/** Members that state a price per 1,000 by their name, without case and underscores. A mere "price" may be for one piece. */
const RATES_BY_NAME = new Set(["rateper1000", "rateper1k", "priceper1000", "priceper1k", "priceperthousand"]);
const FLAGS_SET = new Set(["1", "true", "yes", "y", "on", "enabled"]);

/**
 * Reads a catalog that came in one response. Returns null if it lists nothing, or more than any provider has.
 */
export function readCatalog(body: unknown): ProviderCatalog | null {
  if (Array.isArray(body) && body.length > MAX_OFFERED) return null;
  const page = readCatalogPage(body);
  return page && page.entries.length <= MAX_OFFERED ? readEntries(page.entries, page.currency) : null;
}

/**
 * Returns the readable services of a catalog and the other entries. An id with different terms is unreadable, too: nothing
 * says which of them an order would get. Some panels list a service in several categories, on the same terms. `currency` is
 * that of all rates, if the catalog says it.
 */
export function readEntries(entries: readonly CatalogEntry[], currency: string | null = null): ProviderCatalog {
  const services = new Map<string, OfferedService>();
  const unreadable = new Map<string, UnreadableEntry>();
  const listed = entries.map((one) => ({ ...one, fields: fieldsOf(one.entry) }));
  const marks = decimalMarksOf(listed.map(({ fields }) => fields && priceOf(fields)?.value));
  for (const one of listed) {
    const read = readEntry(one, marks, currency);
    const id = read.ok ? read.service.providerServiceId : idOf(one);
    const found = read.ok ? faultOfTwo(services.get(read.service.providerServiceId), read.service) : read.fault;
    if (read.ok) services.set(read.service.providerServiceId, read.service);
    if (!found) continue;
    const entry = { id: id ?? "?", ...found, raw: rawOf(one.entry) };
    const key = id ?? `? ${entry.raw}`;
    if (!unreadable.has(key)) unreadable.set(key, entry);
  }
  for (const id of unreadable.keys()) services.delete(id);
  return { services: [...services.values()], unreadable: [...unreadable.values()] };
}

type Fields = Record<string, unknown>;
type Listed = CatalogEntry & { fields: Fields | null };
type Fault = { reason: UnreadableReason; word: string };
type ReadEntry = { ok: true; service: OfferedService } | { ok: false; fault: Fault };

function readEntry(listed: Listed, marks: DecimalMarks, ofAll: string | null): ReadEntry {
  const { fields } = listed;
  if (!fields) return fault("no_service");
  const providerServiceId = idOf(listed);
  if (providerServiceId === null) return fault("id");
  const name = cleanName(plainText(nameOf(nameFieldOf(fields)) ?? "")).slice(0, MAX_NAME_CHARACTERS);
  if (name === "") return fault("name");
  const limits = limitsOf(fields);
  if ("reason" in limits) return { ok: false, fault: limits };
  const type = typeOf(fields.type, limits.max);
  if (typeof type !== "string") return { ok: false, fault: type };
  const price = priceOf(fields);
  if (price?.isPerPiece) return fault("rate_unit", price.value);
  const rate = readRate(price?.value, marks);
  if (!rate.ok) return fault(rate.reason, price?.value);
  const currency = nameOf(fields.currency) ?? ofAll ?? "";
  if (!isOurCurrency(currency)) return fault("rate_currency", `${wordOf(price?.value)} ${currency}`);
  const category = categoryName(nameOf(fields.category) ?? nameOf(fields.category_name) ?? listed.category ?? "");
  const flags = { dripfeed: isSet(fields.dripfeed), refill: isSet(fields.refill), cancel: isSet(fields.cancel) };
  return { ok: true, service: { providerServiceId, name, category, type, rate: rate.rate, ...limits, ...flags } };
}

function fault(reason: UnreadableReason, word?: unknown): { ok: false; fault: Fault } {
  return { ok: false, fault: { reason, word: wordOf(word) } };
}

function wordOf(value: unknown): string {
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  return cleanName(text).slice(0, MAX_WORD_CHARACTERS);
}

function rawOf(entry: unknown): string {
  return cleanName(JSON.stringify(entry) ?? "").slice(0, MAX_RAW_CHARACTERS);
}

/** Returns an entry's members, with small letters if it has no id otherwise. */
function fieldsOf(entry: unknown): Fields | null {
  if (!isRecord(entry)) return null;
  if (["service", "service_id", "id", "rate"].some((name) => entry[name] !== undefined)) return entry;
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name.toLowerCase(), value]));
}

function idOf({ fields, key }: Pick<Listed, "fields" | "key">): string | null {
  if (!fields) return key;
  const { service, service_id: serviceId, id } = fields;
  const given = hasNameAsService(fields) ? [serviceId, id] : [service, serviceId, id];
  return asId(given.find((value) => value !== undefined && value !== null && value !== "") ?? key);
}

/** Some panels write the service's name as `service`, and its id as `id`. */
function hasNameAsService({ service, service_id: serviceId, id, name, title, service_name: serviceName }: Fields) {
  const hasName = [name, title, serviceName].some((value) => value !== undefined);
  return !hasName && (id ?? serviceId) !== undefined && typeof service === "string" && /\p{L}/u.test(service);
}

/** Returns what tells an entry from others when pages are put together. */
export function identityOf({ entry, key }: CatalogEntry): string {
  return idOf({ fields: fieldsOf(entry), key }) ?? JSON.stringify(entry) ?? "";
}

function asId(value: unknown): string | null {
  // JSON's larger numbers have lost digits, and would name another service.
  if (typeof value === "number" && !(Number.isSafeInteger(value) && value >= 0)) return null;
  if (typeof value !== "number" && typeof value !== "string") return null;
  const id = String(value).trim();
  return id !== "" && id.length <= MAX_ID_CHARACTERS ? id : null;
}

function nameFieldOf(fields: Fields): unknown {
  return fields.name ?? fields.title ?? fields.service_name ?? (hasNameAsService(fields) ? fields.service : undefined);
}

/** Elements that panels put around names. Anything else in angle brackets is a part of the name. */
const ELEMENTS = /<\/?(?:a|b|br|div|em|font|i|img|p|small|span|strong|u)(?:\s[^<>]*)?\/?>/gi;

/** Returns a name that a panel escaped or marked up for its own pages. Entities are decoded once. */
function plainText(name: string): string {
  return decodeEntities(name.replaceAll(ELEMENTS, " ")).replaceAll(/ {2,}/g, " ");
}

/** Returns the type, which some panels don't write. Their orders have a link and a quantity. */
function typeOf(given: unknown, max: number): OrderType | Fault {
  if (given === undefined || given === null || given === "") {
    return max > 1 ? "Default" : { reason: "type_missing", word: "" };
  }
  return readServiceType(given) ?? { reason: "type", word: wordOf(given) };
}

/** Returns the price per 1,000 pieces or per order, or one whose unit nobody knows. */
function priceOf(fields: Fields): { value: unknown; isPerPiece: boolean } | null {
  if (fields.rate !== undefined) return { value: fields.rate, isPerPiece: false };
  for (const [name, value] of Object.entries(fields)) {
    if (RATES_BY_NAME.has(name.toLowerCase().replaceAll("_", ""))) return { value, isPerPiece: false };
  }
  return fields.price === undefined ? null : { value: fields.price, isPerPiece: true };
}

/** Panels write a set flag as true, 1, "1", "true" or "yes", and some a refill as its days. */
function isSet(given: unknown): boolean {
  if (typeof given === "string") return FLAGS_SET.has(given.trim().toLowerCase()) || Number(given) > 0;
  return given === true || (typeof given === "number" && given > 0);
}

type Limits = { min: number; max: number };

/**
 * Returns the limits. A minimum that is 0 or missing is 1, so is a package's maximum: its orders have no quantity. A maximum
 * above what we can store is the most that we can. A range that holds no quantity is not turned round: panels refuse all
 * orders of such a service.
 */
function limitsOf(fields: Fields): Limits | Fault {
  const type = readServiceType(fields.type);
  const given = readPieceCount(orMissing(fields.min, 1));
  if (given === null) return { reason: "min", word: wordOf(fields.min) };
  const most = readPieceCount(type && isPerOrder(type) ? orMissing(fields.max, 1) || 1 : fields.max);
  if (most === null) return { reason: "max", word: wordOf(fields.max) };
  const [min, max] = [Math.max(1, Math.ceil(given)), Math.min(MAX_INT32, Math.floor(most))];
  return max >= min ? { min, max } : { reason: "limits", word: `${wordOf(fields.min)} – ${wordOf(fields.max)}` };
}

function orMissing(value: unknown, missing: number): unknown {
  return value === undefined || value === null || value === "" ? missing : value;
}

function faultOfTwo(before: OfferedService | undefined, offered: OfferedService): Fault | null {
  return before && termsText(before) !== termsText(offered) ? { reason: "terms", word: "" } : null;
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
