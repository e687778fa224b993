import { type Cookie, createCookie } from "@remix-run/cloudflare";

/**
 * Returns a cookie that no script can read and no other site's form can send. With `secrets`, the comma-separated
 * SESSION_SECRET, its value is signed: the newest secret signs, all verify. SameSite=Lax, because visitors also return
 * through links and redirects from other sites.
 */
export function browserCookie(
  request: Request,
  name: string,
  { maxAgeSeconds, secrets }: { maxAgeSeconds: number; secrets?: string },
): Cookie {
  return createCookie(name, {
    httpOnly: true,
    sameSite: "lax",
    path: "/",
    maxAge: maxAgeSeconds,
    secure: new URL(request.url).protocol === "https:",
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

/** Returns the Set-Cookie header that deletes the cookie. */
export function clearCookie(cookie: Cookie): Promise<string> {
  return cookie.serialize("", { maxAge: 0 });
}
