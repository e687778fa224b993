import { browserCookie, readCookieText } from "./cookies.ts";

/** Replicas are seconds behind, so that an older bookmark names nothing they lack. */
const BOOKMARK_SECONDS = 60 * 60;
/** Four hexadecimal numbers: https://developers.cloudflare.com/d1/reference/time-travel/#bookmarks. */
const BOOKMARK = /^[0-9a-f]{1,16}(-[0-9a-f]{1,64}){3}$/;

/**
 * Returns the database bookmark of the browser's last write, or null. It is signed: D1 documents nothing about one that it
 * never gave out, such as one of the far future.
 */
export async function readBookmark(request: Request, secrets: string): Promise<string | null> {
  const text = await readCookieText(bookmarkCookie(request, secrets), request);
  return text !== null && BOOKMARK.test(text) ? text : null;
}

/** Returns the Set-Cookie header that keeps the bookmark. */
export function keepBookmark(request: Request, secrets: string, bookmark: string): Promise<string> {
  return bookmarkCookie(request, secrets).serialize(bookmark);
}

function bookmarkCookie(request: Request, secrets: string) {
  return browserCookie(request, "growline_bookmark", { maxAgeSeconds: BOOKMARK_SECONDS, secrets });
}
