import { cookieName, hasSecureCookies } from "#app/cookie-names.ts";
import { FLASH_COOKIE } from "#app/product.ts";

type Page = Pick<URL, "protocol" | "hostname">;

/** Returns the message of `flashCookie` in the page's `document.cookie`, or null. */
export function readFlash(cookies: string, page: Page): string | null {
  const start = `${cookieName(page, FLASH_COOKIE)}=`;
  const found = cookies.split("; ").find((cookie) => cookie.startsWith(start));
  if (!found) return null;
  // Remix stores a cookie's value as JSON in base64.
  const bytes = atob(decodeURIComponent(found.slice(start.length)));
  const text: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))));
  return typeof text === "string" ? text : null;
}

/** Returns what to assign to `document.cookie` to delete the message. */
export function forgetFlash(page: Page): string {
  return `${cookieName(page, FLASH_COOKIE)}=; Path=/; Max-Age=0; SameSite=Lax${hasSecureCookies(page) ? "; Secure" : ""}`;
}
