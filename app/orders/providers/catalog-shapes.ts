import { ownValue } from "#app/own-value.ts";
import { type SaidOfList, saidOfList } from "./catalog-paging.ts";
import { isRecord } from "./reading/members.ts";

/** An entry of a catalog, with what only its place says: the category it is listed under, and the key that is its id. */
export type CatalogEntry = { entry: unknown; category: string | null; key: string | null };
/** One response's part of a catalog. */
export type CatalogPage = { entries: CatalogEntry[] } & SaidOfList;

/** Members under which panels put the list. */
const WRAPPERS = ["services", "data", "result", "results", "response", "items", "list", "catalog"];
/** Members under which a category has its services. */
const GROUPED = ["services", "items", "data", "list"];
/** Members beside a list that are no services. */
const BESIDE = new Set(["meta", "links", "pagination", "paging", "page_info", "errors"]);
/** Members of a service, of which a record needs a few to be taken for one. */
const MEMBERS = new Set([
  "service",
  "service_id",
  "id",
  "name",
  "title",
  "category",
  "type",
  "rate",
  "price",
  "min",
  "max",
]);
const NEEDED_MEMBERS = 3;
/** A list in an object in an object: {"data": {"services": {"Likes": [...]}}}. */
const MAX_DEPTH = 4;

/**
 * Returns the entries that a response lists, whatever it wraps them in: a list, a map by id, either of them by category, or one
 * of these in a member such as `data`. Returns null for a response that lists none, such as an error.
 */
export function readCatalogPage(body: unknown): CatalogPage | null {
  const entries = entriesIn(body, null, 0);
  return entries && { entries, ...saidOfList(body) };
}

function entriesIn(body: unknown, category: string | null, depth: number): CatalogEntry[] | null {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(body)) return body.flatMap((entry: unknown) => entriesOfItem(entry, category, depth));
  if (!isRecord(body) || (typeof body.error === "string" && body.error.trim() !== "")) return null;
  for (const name of WRAPPERS) {
    const member = ownValue(body, name);
    if (typeof member !== "object" || member === null) continue;
    const entries = entriesIn(member, category, depth + 1);
    if (entries) return entries;
  }
  return entriesOfMembers(body, category, depth);
}

/** An item of a list may be a category with its services. */
function entriesOfItem(item: unknown, category: string | null, depth: number): CatalogEntry[] {
  if (Array.isArray(item)) return entriesIn(item, category, depth + 1) ?? [];
  const group = isRecord(item) && item.rate === undefined && GROUPED.map((name) => ownValue(item, name)).find(isList);
  if (!group) return [{ entry: item, category, key: null }];
  const name = [item.category, item.category_name, item.name, item.title].map(nameOf).find((text) => text !== null);
  return entriesIn(group, name ?? category, depth + 1) ?? [];
}

function isList(member: unknown): boolean {
  return Array.isArray(member) || isGroup(member);
}

/** Reads a map of services by id, or of lists of services by category. */
function entriesOfMembers(
  body: Record<string, unknown>,
  category: string | null,
  depth: number,
): CatalogEntry[] | null {
  const members = Object.entries(body).filter(([name]) => !BESIDE.has(name.toLowerCase()));
  if (members.some(([, member]) => isService(member))) {
    return members
      .filter(([name, member]) => typeof member === "object" || /^\d+$/.test(name))
      .map(([key, entry]) => ({ entry, category, key }));
  }
  const groups = members.filter(([, member]) => isGroup(member));
  if (groups.length === 0) return null;
  return groups.flatMap(([name, member]) => entriesIn(member, name, depth + 1) ?? []);
}

function isGroup(member: unknown): boolean {
  if (typeof member !== "object" || member === null) return false;
  return Object.values(member).some(isService);
}

function isService(member: unknown): boolean {
  if (!isRecord(member)) return false;
  const known = Object.keys(member).filter((name) => MEMBERS.has(name.toLowerCase()));
  return known.length >= NEEDED_MEMBERS;
}

/** Returns the text of a name, or of the name of a record such as {"id": 3, "name": "Likes"}. */
export function nameOf(value: unknown): string | null {
  if (typeof value === "string" || typeof value === "number") return String(value);
  return isRecord(value) ? (nameOf(value.name) ?? nameOf(value.title)) : null;
}
