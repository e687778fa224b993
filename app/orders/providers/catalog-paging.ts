import type { Convention, PagingNames } from "./conventions/convention.ts";
import { isRecord, type Members, membersOf } from "./reading/members.ts";

/** Describes the pages of a catalog as a response states them, with null for what it doesn't state. */
export type Paging = {
  /** Services on all pages. */
  total: number | null;
  pages: number | null;
  page: number | null;
  /** Services on a page. */
  size: number | null;
  offset: number | null;
  hasMore: boolean | null;
  /** The parameters of the next page as the response gives them. */
  next: Record<string, string> | null;
};

/** Lengths of pages that panels use. A plain list of such a length may be the first of several. */
const PAGE_STEP = 50;
const LARGEST_PAGE = 1_000;

/** Statements of a response about its list as a whole. */
export type SaidOfList = { paging: Paging; currency: string | null };

export function saidOfList(body: unknown, { catalog, members: { currency: names } }: Convention): SaidOfList {
  const said = new Map(recordsIn(body, catalog.paging.places, 0).flatMap((members) => [...members]));
  const currency = names.map((name) => said.get(name)).find((value) => value !== undefined);
  return { paging: pagingOf(said, catalog.paging), currency: typeof currency === "string" ? currency : null };
}

function pagingOf(said: Members, names: PagingNames): Paging {
  const find = (some: readonly string[]) => some.map((name) => said.get(name)).find((value) => value !== undefined);
  const more = find(names.more);
  return {
    total: countOf(find(names.total)),
    pages: countOf(find(names.pages)),
    page: countOf(find(names.page)),
    size: countOf(find(names.size)),
    offset: countOf(find(names.offset)),
    hasMore: more === undefined ? null : more === true || more === 1 || more === "true" || more === "1",
    next: nextIn(said, names),
  };
}

/** Returns the members of an answer that are no lists or objects, and those of what it has under these names. */
function recordsIn(body: unknown, places: readonly string[], depth: number): Members[] {
  if (!isRecord(body) || depth > 2) return [];
  const members = membersOf(body);
  const plain = new Map([...members].filter(([, value]) => typeof value !== "object"));
  return [plain, ...places.flatMap((place) => recordsIn(members.get(place), places, depth + 1))];
}

function countOf(value: unknown): number | null {
  const count = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

function nextIn(said: Members, { next, nextOffset, nextCursor, parameters }: PagingNames): Paging["next"] {
  const given = [
    ...next.map((name) => nextPageOf(said.get(name), parameters)),
    ...nextOffset.map((name) => valueFor(parameters.offset, said.get(name))),
    ...nextCursor.map((name) => valueFor(parameters.cursor, said.get(name))),
  ];
  return given.find((one) => one !== null) ?? null;
}

function isNone(value: unknown): boolean {
  return value === undefined || value === false || value === "" || value === 0;
}

function valueFor(parameter: string, value: unknown): Record<string, string> | null {
  return isNone(value) ? null : { [parameter]: String(value) };
}

/** Takes a number or a URL. The URL itself is not called, since it may be on another host. */
function nextPageOf(value: unknown, { page, offset, cursor, size, others }: PagingNames["parameters"]): Paging["next"] {
  if (isNone(value)) return null;
  const number = countOf(value);
  if (number !== null) return { [page]: String(number) };
  const [, query] = typeof value === "string" ? value.split("?") : [];
  const names = [page, offset, cursor, ...size, ...others];
  const given = [...new URLSearchParams(query ?? "")].filter(([parameter]) => names.includes(parameter));
  return given.length > 0 ? Object.fromEntries(given) : null;
}

/** Where reading stands: entries so far, those of the first page and of the last one, and the calls made. */
type Progress = { came: number; first: number; last: number; calls: number };

/** Returns whether the response itself says that more is to come. */
export function saysMore({ total, pages, page, hasMore, next }: Paging, { came }: Pick<Progress, "came">): boolean {
  if (total !== null && total > came) return true;
  if (pages !== null && page !== null) return page < pages;
  return hasMore ?? next !== null;
}

/** Returns whether a page is as long as pages are, and the last one as long as the first. */
function isFullPage({ size }: Paging, { first, last }: Progress): boolean {
  const isPage = first === size || (first % PAGE_STEP === 0 && first <= LARGEST_PAGE);
  return first > 0 && isPage && last === first;
}

/** Returns whether a response leaves open if more is to come, as a plain list does. */
export function isSilent({ total, pages, hasMore, next }: Paging): boolean {
  return total === null && pages === null && hasMore === null && next === null;
}

/**
 * Returns the parameters of the next page, or null at the end. After a response that leaves open if it is the last, and is as
 * long as a page, the next one is asked for in the ways of all panels at once. A panel without pages gives the same again.
 */
export function nextPage(
  paging: Paging,
  progress: Progress,
  { parameters }: PagingNames,
): Record<string, string> | null {
  const { came, first, calls } = progress;
  if (isSilent(paging) ? !isFullPage(paging, progress) : !saysMore(paging, progress)) return null;
  const size = String(paging.size || first);
  const sizes = Object.fromEntries(parameters.size.map((name) => [name, size]));
  if (paging.next) return { ...sizes, ...paging.next };
  const page = { [parameters.page]: String((paging.page ?? calls) + 1) };
  const offset = { [parameters.offset]: String(came) };
  if (paging.page !== null || paging.pages !== null) return { ...page, ...sizes };
  if (paging.offset !== null) return { ...offset, ...sizes };
  return { ...page, ...offset, ...sizes };
}
