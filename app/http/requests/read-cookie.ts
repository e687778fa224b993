import type { Cookie } from "@remix-run/cloudflare";

/** What the request's cookie says. Null when it is not there, or is not as we signed it. */
export async function readCookie(cookie: Cookie, request: Request): Promise<unknown> {
  try {
    return await cookie.parse(request.headers.get("Cookie"));
  } catch {
    // Remix throws when a signature is no base64, instead of saying that it is none of ours.
    return null;
  }
}
