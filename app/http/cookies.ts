import { type Cookie, createCookie } from "@remix-run/cloudflare";
import { cookieName, hasSecureCookies } from "#app/cookie-names.ts";
import { FLASH_COOKIE } from "#app/product.ts";

const FLASH_SECONDS = 60;

/**
 * Returns a cookie that no other site's form can send, and no script can read unless it is `forScripts`. It is Secure
 * and its name starts with `__Host-`, except on http://localhost. With `secrets`, the comma-separated SESSION_SECRET,
 * its value is signed: the newest secret signs, all verify. SameSite=Lax, because visitors also return through links and redirects from other sites.
 */
export function browserCookie(
  request: Request,
  name: string,
  { maxAgeSeconds, secrets, forScripts = false }: { maxAgeSeconds: number; secrets?: string; forScripts?: boolean },
): Cookie {
  const page = new URL(request.url);
  return createCookie(cookieName(page, name), {
    httpOnly: !forScripts,
    sameSite: "lax",
    path: "/",
    maxAge: maxAgeSeconds,
    secure: hasSecureCookies(page),
    ...(secrets !== undefined && { secrets: secrets.split(",") }),
  });
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
export function flashCookie(request: Request, text: string): Promise<string> {
  return browserCookie(request, FLASH_COOKIE, { maxAgeSeconds: FLASH_SECONDS, forScripts: true }).serialize(text);
}

/** Returns the Set-Cookie header that deletes the cookie. */
export function clearCookie(cookie: Cookie): Promise<string> {
  return cookie.serialize("", { maxAge: 0 });
}
