import { type Cookie, createCookie } from "@remix-run/cloudflare";
import { parse, serialize } from "cookie";
import { cookieName, hasSecureCookies } from "#app/cookie-names.ts";
import { FLASH_COOKIE } from "#app/product.ts";

const FLASH_SECONDS = 60;

/** The site's cookies, and whether the server shows a public page differently to a stranger whose browser sends one. */
const COOKIES = {
  growline_auth: "names who is logged in",
  growline_dismissed: "changes a public page",
  [FLASH_COOKIE]: "changes no public page",
  growline_bookmark: "changes no public page",
  growline_device: "changes no public page",
  growline_gmail: "changes no public page",
  growline_gmail_connect: "changes no public page",
  growline_passkey: "changes no public page",
  growline_second_step: "changes no public page",
  growline_support: "changes no public page",
} as const;

export type CookieName = keyof typeof COOKIES;

/** The cookies that a browser may send with a request for a page that is kept for everybody. */
export const PUBLIC_COOKIES = (Object.keys(COOKIES) as CookieName[]).filter(
  (name) => COOKIES[name] !== "names who is logged in",
);

/**
 * Returns a cookie that no other site's form can send, and no script can read unless it is `forScripts`. It is Secure
 * and its name starts with `__Host-`, except on http://localhost. With `secrets`, the comma-separated SESSION_SECRET,
 * its value is signed: the newest secret signs, all verify. SameSite=Lax, because visitors also return through links and redirects from other sites.
 */
export function browserCookie(
  { url }: Pick<Request, "url">,
  name: CookieName,
  { maxAgeSeconds, secrets, forScripts = false }: { maxAgeSeconds: number; secrets?: string; forScripts?: boolean },
): Cookie {
  const page = new URL(url);
  return createCookie(cookieName(page, name), {
    httpOnly: !forScripts,
    sameSite: "lax",
    path: "/",
    maxAge: maxAgeSeconds,
    secure: hasSecureCookies(page),
    ...(secrets !== undefined && { secrets: secrets.split(",") }),
  });
}

/** Returns the text of each cookie in this request by its name. Remix, which reads our cookies, uses the same parser. */
export function sentCookies(request: Request): Record<string, string> {
  return parse(request.headers.get("Cookie") ?? "");
}

/** Cookies of Cloudflare's own, which it sets in front of the worker: during a flood, every browser sends them. */
const CLOUDFLARE_COOKIES = new Set(["cf_clearance", "__cf_bm", "_cfuvid"]);

/**
 * Returns the Cookie header with what a public page reads of this request's cookies, "" if that is nothing. Returns null if
 * the request sends one that names somebody, or that neither we nor Cloudflare set.
 */
export function publicCookieHeader(request: Request): string | null {
  const page = new URL(request.url);
  const known = new Map(PUBLIC_COOKIES.map((name) => [cookieName(page, name), COOKIES[name]]));
  const sent = Object.entries(sentCookies(request));
  if (sent.some(([name]) => !known.has(name) && !CLOUDFLARE_COOKIES.has(name))) return null;
  const read = sent.filter(([name]) => known.get(name) === "changes a public page");
  return read.map(([name, text]) => serialize(name, text)).join("; ");
}

/** Returns the cookie's value in this request, or null if it is missing or its signature is wrong. */
export async function readCookie(cookie: Cookie, request: Request): Promise<unknown> {
  try {
    return await cookie.parse(request.headers.get("Cookie"));
  } catch {
    // Remix throws for a signature that is not base64.
    return null;
  }
}

/** Returns the text in a cookie, or null if there is none. */
export async function readCookieText(cookie: Cookie, request: Request): Promise<string | null> {
  const value = await readCookie(cookie, request);
  return typeof value === "string" && value !== "" ? value : null;
}

/** Returns the Set-Cookie header with a message that the next page's scripts show as a toast. */
export function flashCookie(page: Pick<Request, "url">, text: string): Promise<string> {
  return browserCookie(page, FLASH_COOKIE, { maxAgeSeconds: FLASH_SECONDS, forScripts: true }).serialize(text);
}

/** Returns the Set-Cookie header that deletes the cookie. */
export function clearCookie(cookie: Cookie): Promise<string> {
  return cookie.serialize("", { maxAge: 0 });
}
