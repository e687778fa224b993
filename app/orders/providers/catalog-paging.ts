import { isRecord } from "./reading/members.ts";

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

const NAMES: Record<"total" | "pages" | "page" | "size" | "offset", readonly string[]> = {
  total: [
    "total",
    "totalcount",
    "totalservices",
    "totalitems",
    "totalrecords",
    "totalresults",
    "recordstotal",
    "count",
  ],
  pages: ["totalpages", "lastpage", "pagecount", "pages"],
  page: ["currentpage", "pagenumber", "page"],
  size: ["perpage", "pagesize", "itemsperpage", "limit"],
  offset: ["offset", "skip"],
};
const MORE = ["hasmore", "hasnext", "hasnextpage", "more"];
const NEXT = ["nextpageurl", "nextpage", "next", "nextoffset", "nextcursor"];
/** Parameters of a next page's URL that are sent. The URL itself is not called: it may be on another host. */
const PARAMETERS = ["page", "offset", "limit", "per_page", "cursor", "skip"];
/** Where panels put these: in the response, beside the list in `data`, or in a member of its own. */
const PLACES = ["data", "result", "response", "meta", "pagination", "paging", "page_info", "links"];

/** Lengths of pages that panels use. A plain list of such a length may be the first of several. */
const PAGE_STEP = 50;
const LARGEST_PAGE = 1_000;

/** Statements of a response about its list as a whole. */
export type SaidOfList = { paging: Paging; currency: string | null };

export function saidOfList(body: unknown, currencyNames: readonly string[]): SaidOfList {
  const said = new Map(recordsIn(body, 0).flatMap(membersOf));
  const currency = currencyNames.map((name) => said.get(name)).find((value) => value !== undefined);
  return { paging: pagingOf(said), currency: typeof currency === "string" ? currency : null };
}

function pagingOf(said: ReadonlyMap<string, unknown>): Paging {
  const find = (names: readonly string[]) => names.map((name) => said.get(name)).find((value) => value !== undefined);
  const count = (names: readonly string[]) => countOf(find(names));
  const more = find(MORE);
  return {
    total: count(NAMES.total),
    pages: count(NAMES.pages),
    page: count(NAMES.page),
    size: count(NAMES.size),
    offset: count(NAMES.offset),
    hasMore: more === undefined ? null : more === true || more === 1 || more === "true" || more === "1",
    next: NEXT.map((name) => parametersOf(name, said.get(name))).find((given) => given !== null) ?? null,
  };
}

function recordsIn(body: unknown, depth: number): Record<string, unknown>[] {
  if (!isRecord(body) || depth > 2) return [];
  return [body, ...PLACES.flatMap((place) => recordsIn(body[place], depth + 1))];
}

function membersOf(record: Record<string, unknown>): [string, unknown][] {
  return Object.entries(record)
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => [name.toLowerCase().replaceAll(/[_-]/g, ""), value]);
}

function countOf(value: unknown): number | null {
  const count = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

function parametersOf(name: string, value: unknown): Record<string, string> | null {
  if (value === undefined || value === false || value === "" || value === 0) return null;
  if (name === "nextcursor") return { cursor: String(value) };
  const number = countOf(value);
  if (number !== null) return name === "nextoffset" ? { offset: String(number) } : { page: String(number) };
  const [, query] = typeof value === "string" ? value.split("?") : [];
  const given = [...new URLSearchParams(query ?? "")].filter(([parameter]) => PARAMETERS.includes(parameter));
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
export function nextPage(paging: Paging, progress: Progress): Record<string, string> | null {
  const { came, first, calls } = progress;
  if (isSilent(paging) ? !isFullPage(paging, progress) : !saysMore(paging, progress)) return null;
  const size = String(paging.size || first);
  const sizes = { limit: size, per_page: size };
  if (paging.next) return { ...sizes, ...paging.next };
  const page = { page: String((paging.page ?? calls) + 1) };
  const offset = { offset: String(came) };
  if (paging.page !== null || paging.pages !== null) return { ...page, ...sizes };
  if (paging.offset !== null) return { ...offset, ...sizes };
  return { ...page, ...offset, ...sizes };
}
