import { cookieName } from "#app/cookie-names.ts";

/** Returns the cookie's name on the deployed site. */
export function siteCookie(name: string): string {
  return cookieName(new URL("https://growline.example"), name);
}

/** Returns the Cookie header that sends back the cookies a response sets. */
export function cookiesOf({ headers }: { headers: Headers }): string {
  return headers
    .getSetCookie()
    .map((header) => header.split(";")[0])
    .join("; ");
}
