import { type SaidOfList, saidOfList } from "./catalog-paging.ts";
import type { Convention } from "./conventions/convention.ts";
import { isRecord, memberOf, membersOf } from "./reading/members.ts";
import { wordKey } from "./reading/reader.ts";

/** An entry of a catalog, with what only its place says: the category it is listed under, and the key that is its id. */
export type CatalogEntry = { entry: unknown; category: string | null; key: string | null };
/** One response's part of a catalog. */
export type CatalogPage = { entries: CatalogEntry[] } & SaidOfList;

/** A record needs so many members of a service to be taken for one. */
const NEEDED_MEMBERS = 3;
/** A list in an object in an object: {"data": {"services": {"Likes": [...]}}}. */
const MAX_DEPTH = 4;

/**
 * Returns the entries that a response lists, whatever it wraps them in: a list, a map by id, either of them by category, or one
 * of these in a member such as `data`. Returns null for a response that lists none, such as an error.
 */
export function readCatalogPage(body: unknown, convention: Convention): CatalogPage | null {
  const { id, name, category, type, rate, price, min, max } = convention.catalog.service;
  const known = new Set([id, name, category, type, rate, price, min, max].flat());
  const entries = entriesIn(body, { convention, known, category: null, depth: 0 });
  return entries && { entries, ...saidOfList(body, convention) };
}

/** Where reading stands. `known`: names of the members of a service. */
type Place = { convention: Convention; known: ReadonlySet<string>; category: string | null; depth: number };

function inside(place: Place, category = place.category): Place {
  return { ...place, category, depth: place.depth + 1 };
}

function entriesIn(body: unknown, place: Place): CatalogEntry[] | null {
  if (place.depth > MAX_DEPTH) return null;
  if (Array.isArray(body)) return body.flatMap((entry: unknown) => entriesOfItem(entry, place));
  if (!isRecord(body)) return null;
  const { catalog, members: names } = place.convention;
  const members = membersOf(body);
  if (names.error.some((name) => isText(members.get(name)))) return null;
  for (const name of catalog.wrapper) {
    const member = members.get(name);
    if (typeof member !== "object" || member === null) continue;
    const entries = entriesIn(member, inside(place));
    if (entries) return entries;
  }
  return entriesOfMembers(body, place);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** An item of a list may be a category with its services. */
function entriesOfItem(item: unknown, place: Place): CatalogEntry[] {
  const { catalog } = place.convention;
  if (Array.isArray(item)) return entriesIn(item, inside(place)) ?? [];
  const group = isRecord(item) ? groupIn(item, place) : undefined;
  if (!group) return [{ entry: item, category: place.category, key: null }];
  const members = membersOf(item);
  const { category, name } = catalog.service;
  const named = [...category, ...name]
    .map((one) => nameOf(members.get(one), place.convention))
    .find((text) => text !== null);
  return entriesIn(group, inside(place, named)) ?? [];
}

/** Returns the services of a category. A service has none, whatever else it has. */
function groupIn(item: Record<string, unknown>, place: Place): unknown {
  const { group, service } = place.convention.catalog;
  // Most services hold no list or object.
  if (!Object.values(item).some((member) => typeof member === "object" && member !== null)) return undefined;
  const keys = new Map(Object.keys(item).map((name) => [wordKey(name), name]));
  if (service.rate.some((name) => keys.has(name))) return undefined;
  return group
    .map((name) => item[keys.get(name) ?? ""])
    .find((member) => Array.isArray(member) || isGroup(member, place));
}

/** Reads a map of services by id, or of lists of services by category. */
function entriesOfMembers(body: Record<string, unknown>, place: Place): CatalogEntry[] | null {
  const { beside } = place.convention.catalog;
  const members = Object.entries(body).filter(([name]) => !beside.includes(wordKey(name)));
  if (members.some(([, member]) => isService(member, place))) {
    return members
      .filter(([name, member]) => typeof member === "object" || /^\d+$/.test(name))
      .map(([key, entry]) => ({ entry, category: place.category, key }));
  }
  const groups = members.filter(([, member]) => isGroup(member, place));
  if (groups.length === 0) return null;
  return groups.flatMap(([name, member]) => entriesIn(member, inside(place, name)) ?? []);
}

function isGroup(member: unknown, place: Place): boolean {
  if (typeof member !== "object" || member === null) return false;
  return Object.values(member).some((one) => isService(one, place));
}

function isService(member: unknown, { known }: Place): boolean {
  if (!isRecord(member)) return false;
  return Object.keys(member).filter((name) => known.has(wordKey(name))).length >= NEEDED_MEMBERS;
}

/** Returns the text of a name, or of the name of a record such as {"id": 3, "name": "Likes"}. */
export function nameOf(value: unknown, convention: Convention): string | null {
  if (typeof value === "string" || typeof value === "number") return String(value);
  return isRecord(value) ? nameOf(memberOf(membersOf(value), convention.catalog.service.name), convention) : null;
}
