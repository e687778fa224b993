/** Returns the Cookie header that sends back the cookies a response sets. */
export function cookiesOf({ headers }: { headers: Headers }): string {
  return headers
    .getSetCookie()
    .map((header) => header.split(";")[0])
    .join("; ");
}
