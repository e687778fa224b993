import { FLASH_COOKIE } from "#app/product.ts";

/** Returns the message of `flashCookie` in `document.cookie`, or null. */
export function readFlash(cookies: string): string | null {
  const found = cookies.split("; ").find((cookie) => cookie.startsWith(`${FLASH_COOKIE}=`));
  if (!found) return null;
  // Remix stores a cookie's value as JSON in base64.
  const bytes = atob(decodeURIComponent(found.slice(FLASH_COOKIE.length + 1)));
  const text: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))));
  return typeof text === "string" ? text : null;
}

export const FORGET_FLASH = `${FLASH_COOKIE}=; Path=/; Max-Age=0; SameSite=Lax`;
