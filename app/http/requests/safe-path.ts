const BASE = "https://same.invalid";

/** Returns the given path, normalized, if a browser stays on this site with it, otherwise `fallback`. */
export function safePath(value: FormDataEntryValue | null | undefined, fallback: string): string {
  if (typeof value !== "string" || !value.startsWith("/") || !URL.canParse(value, BASE)) return fallback;
  const url = new URL(value, BASE);
  const path = url.pathname + url.search + url.hash;
  // Checks the parsed path, because parsing drops tabs, turns backslashes into slashes and resolves dots. Two slashes at
  // the start would name a host.
  return url.origin === BASE && !path.startsWith("//") ? path : fallback;
}

const MAX_PATH_CHARACTERS = 1000;

/**
 * Returns the path that a URL names on this site, with its query, to lead back to. Without the query if that is too long,
 * and "/" if the path alone is, which would become a header that no client reads, or if it would name a host by itself.
 */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  const path = [pathname + search, pathname].find((one) => one.length <= MAX_PATH_CHARACTERS) ?? "/";
  return safePath(path, "/");
}

/** Returns the path of the page on this site that a request came from, as its Referer names it, or undefined. */
export function pageBefore(request: Request): string | undefined {
  return ownPath(request.headers.get("Referer"), new URL(request.url).origin);
}

const IN_AREA = /^\/(?:admin|dashboard)(?:\/|$)/;
const EXPORT = /\/exports?(?:\/|$)|\.csv$/;

/**
 * Returns the path of the page that links to an export, as the request's Referer names it, or `fallback` if that is no page
 * of the customers' or the staff's area: a proof must not lead to an export, a log-out or the page that asks for a proof.
 */
export function pageOfExport(request: Request, fallback: string): string {
  const before = pageBefore(request);
  if (before === undefined) return fallback;
  const { pathname } = new URL(before, BASE);
  return IN_AREA.test(pathname) && !EXPORT.test(pathname) ? before : fallback;
}

/** Returns the path of a URL on `origin`, or the path itself, normalized. Returns undefined for any other text. */
export function ownPath(value: string | null, origin: string): string | undefined {
  if (value === null || value.length > MAX_PATH_CHARACTERS) return undefined;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null) return safePath(value, "") || undefined;
  return url.origin === origin ? safePath(url.pathname + url.search + url.hash, "") || undefined : undefined;
}
