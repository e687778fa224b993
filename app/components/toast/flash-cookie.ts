const NAME = "growline_flash";
const MAX_AGE_SECONDS = 60;

/** Builds a Set-Cookie header that carries one message to the next page, where a script shows it. */
export function flashCookie(text: string): string {
  return `${NAME}=${encodeURIComponent(text)}; Path=/; Max-Age=${MAX_AGE_SECONDS}; SameSite=Lax`;
}

/** Returns the message in `document.cookie`, or null. */
export function readFlash(cookies: string): string | null {
  const found = cookies.split("; ").find((cookie) => cookie.startsWith(`${NAME}=`));
  return found ? decodeURIComponent(found.slice(NAME.length + 1)) : null;
}

export const FORGET_FLASH = `${NAME}=; Path=/; Max-Age=0; SameSite=Lax`;
