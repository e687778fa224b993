import { cutText } from "#app/cut-text.ts";
import type { OfferedTerms, OrderType } from "#app/db/schema.server.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { decodeEntities } from "#app/http/html-entities.ts";
import { isPerOrder } from "#app/orders/rules/order-input.ts";
import { MAX_INT32 } from "#app/product.ts";
import { type CatalogEntry, nameOf, readCatalogPage } from "./catalog-shapes.ts";
import type { CatalogNames, Convention, ServiceMember } from "./conventions/convention.ts";
import { readServiceType } from "./conventions/service-types.ts";
import { isOurCurrency } from "./order-cost.ts";
import { readPieceCount } from "./piece-count.ts";
import { categoryName } from "./price-rule.ts";
import { type DecimalMarks, decimalMarksOf, readRate } from "./rate-text.ts";
import { lacksLetters, withoutLostSymbols } from "./reading/answer-charset.ts";
import { isRecord, type Members, memberOf, membersOf } from "./reading/members.ts";
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
const FLAGS_SET = new Set(["1", "true", "yes", "y", "on", "enabled"]);

/**
 * Reads a catalog that came in one response. Returns null if it lists nothing, or more than any provider has.
 */
export function readCatalog(body: unknown, convention: Convention): ProviderCatalog | null {
  if (Array.isArray(body) && body.length > MAX_OFFERED) return null;
  const page = readCatalogPage(body, convention);
  return page && page.entries.length <= MAX_OFFERED ? readEntries(page.entries, page.currency, convention) : null;
}

/**
 * Returns the readable services of a catalog and the other entries. An id with different terms is unreadable, too: nothing
 * says which of them an order would get. Some panels list a service in several categories, on the same terms. `currency` is
 * that of all rates, if the catalog says it.
 */
export function readEntries(
  entries: readonly CatalogEntry[],
  currency: string | null,
  convention: Convention,
): ProviderCatalog {
  const services = new Map<string, OfferedService>();
  const unreadable = new Map<string, UnreadableEntry>();
  const listed = entries.map(({ entry, category, key }) => {
    return { entry, category, key, fields: fieldsOf(entry, convention) };
  });
  const marks = decimalMarksOf(listed.map(({ fields }) => fields && priceOf(fields)?.value));
  for (const one of listed) {
    const read = readEntry(one, marks, currency, convention);
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

/**
 * Moves the services whose names lack letters to the unreadable entries, unless we have them: those keep their names here, and
 * must follow their rates.
 */
export function withReadableNames(
  { services, unreadable }: ProviderCatalog,
  known: ReadonlySet<string | null>,
): ProviderCatalog {
  const isLost = ({ name, providerServiceId }: OfferedService) => lacksLetters(name) && !known.has(providerServiceId);
  const lost = services.filter(isLost).map(({ providerServiceId: id, name }): UnreadableEntry => {
    return { id, reason: "name_letters", word: wordOf(name), raw: rawOf(name) };
  });
  return { services: services.filter((one) => !isLost(one)), unreadable: [...unreadable, ...lost] };
}

/** The fields of a service that a catalog entry states. */
type Fields = Record<ServiceMember | "currency", unknown>;
type Listed = CatalogEntry & { fields: Fields | null };
type Fault = { reason: UnreadableReason; word: string };
type ReadEntry = { ok: true; service: OfferedService } | { ok: false; fault: Fault };

function readEntry(listed: Listed, marks: DecimalMarks, ofAll: string | null, convention: Convention): ReadEntry {
  const { fields } = listed;
  const { types } = convention.catalog;
  if (!fields) return fault("no_service");
  const providerServiceId = idOf(listed);
  if (providerServiceId === null) return fault("id");
  const given = plainText(withoutLostSymbols(nameOf(fields.name, convention) ?? ""));
  const name = cutText(cleanName(given), MAX_NAME_CHARACTERS);
  if (name === "") return fault("name");
  const limits = limitsOf(fields, readServiceType(fields.type, types));
  if ("reason" in limits) return { ok: false, fault: limits };
  const type = typeOf(fields.type, limits.max, types);
  if (typeof type !== "string") return { ok: false, fault: type };
  const price = priceOf(fields);
  if (price?.isPerPiece) return fault("rate_unit", price.value);
  const rate = readRate(price?.value, marks);
  if (!rate.ok) return fault(rate.reason, price?.value);
  const currency = nameOf(fields.currency, convention) ?? ofAll ?? "";
  if (!isOurCurrency(currency)) return fault("rate_currency", `${wordOf(price?.value)} ${currency}`);
  const category = categoryName(nameOf(fields.category, convention) ?? listed.category ?? "");
  const flags = { dripfeed: isSet(fields.dripfeed), refill: isSet(fields.refill), cancel: isSet(fields.cancel) };
  return { ok: true, service: { providerServiceId, name, category, type, rate: rate.rate, ...limits, ...flags } };
}

function fault(reason: UnreadableReason, word?: unknown): { ok: false; fault: Fault } {
  return { ok: false, fault: { reason, word: wordOf(word) } };
}

function wordOf(value: unknown): string {
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  return cutText(cleanName(text), MAX_WORD_CHARACTERS);
}

function rawOf(entry: unknown): string {
  return cutText(cleanName(JSON.stringify(entry) ?? ""), MAX_RAW_CHARACTERS);
}

/** Returns what an entry says under the names of a convention, or null if it is no record. */
function fieldsOf(entry: unknown, { catalog: { service }, members: { currency } }: Convention): Fields | null {
  if (!isRecord(entry)) return null;
  const members = membersOf(entry);
  const { id, name } = idAndName(members, service);
  return {
    id,
    name,
    category: memberOf(members, service.category),
    type: memberOf(members, service.type),
    rate: memberOf(members, service.rate),
    price: memberOf(members, service.price),
    min: memberOf(members, service.min),
    max: memberOf(members, service.max),
    dripfeed: memberOf(members, service.dripfeed),
    refill: memberOf(members, service.refill),
    cancel: memberOf(members, service.cancel),
    currency: memberOf(members, currency),
  };
}

/** Some panels write the service's name as `service`, and its id as `id`. */
function idAndName(
  members: Members,
  { id: ids, name: names }: CatalogNames["service"],
): { id: unknown; name: unknown } {
  const id = memberOf(members, ids);
  const name = memberOf(members, names);
  if (name !== undefined || typeof id !== "string" || !/\p{L}/u.test(id)) return { id, name };
  const other = ids.map((one) => memberOf(members, [one])).filter((one) => one !== undefined)[1];
  const hasName = names.some((one) => members.has(one));
  return hasName || other === undefined ? { id, name } : { id: other, name: id };
}

function idOf({ fields, key }: Pick<Listed, "fields" | "key">): string | null {
  return asId(fields?.id ?? key);
}

/** Returns what tells an entry from others when pages are put together. */
export function identityOf({ entry, key }: CatalogEntry, convention: Convention): string {
  return idOf({ fields: fieldsOf(entry, convention), key }) ?? JSON.stringify(entry) ?? "";
}

function asId(value: unknown): string | null {
  // JSON's larger numbers have lost digits, and would name another service.
  if (typeof value === "number" && !(Number.isSafeInteger(value) && value >= 0)) return null;
  if (typeof value !== "number" && typeof value !== "string") return null;
  const id = String(value).trim();
  return id !== "" && id.length <= MAX_ID_CHARACTERS ? id : null;
}

/** Elements that panels put around names. Anything else in angle brackets is a part of the name. */
const ELEMENTS = /<\/?(?:a|b|br|div|em|font|i|img|p|small|span|strong|u)(?:\s[^<>]*)?\/?>/gi;

const MARKED_UP = /[<&]| {2}/;

/** Returns a name that a panel escaped or marked up for its own pages. Entities are decoded once. */
function plainText(name: string): string {
  if (!MARKED_UP.test(name)) return name;
  return decodeEntities(name.replaceAll(ELEMENTS, " ")).replaceAll(/ {2,}/g, " ");
}

/** Returns the type, which some panels don't write. Their orders have a link and a quantity. */
function typeOf(given: unknown, max: number, types: CatalogNames["types"]): OrderType | Fault {
  if (given === undefined) return max > 1 ? "Default" : { reason: "type_missing", word: "" };
  return readServiceType(given, types) ?? { reason: "type", word: wordOf(given) };
}

/** Returns the price per 1,000 pieces or per order, or one whose unit nobody knows. A mere "price" may be for one piece. */
function priceOf({ rate, price }: Fields): { value: unknown; isPerPiece: boolean } | null {
  if (rate !== undefined) return { value: rate, isPerPiece: false };
  return price === undefined ? null : { value: price, isPerPiece: true };
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
function limitsOf(fields: Fields, type: OrderType | null): Limits | Fault {
  const given = readPieceCount(fields.min ?? 1);
  if (given === null) return { reason: "min", word: wordOf(fields.min) };
  const most = readPieceCount(type && isPerOrder(type) ? fields.max || 1 : fields.max);
  if (most === null) return { reason: "max", word: wordOf(fields.max) };
  const [min, max] = [Math.max(1, Math.ceil(given)), Math.min(MAX_INT32, Math.floor(most))];
  return max >= min ? { min, max } : { reason: "limits", word: `${wordOf(fields.min)} – ${wordOf(fields.max)}` };
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
