type Page = Pick<URL, "protocol" | "hostname">;

/** Browsers accept such a cookie only over https, without a Domain and with Path=/: no subdomain can set or shadow it. */
const HOST_PREFIX = "__Host-";

/** Returns whether the site's cookies are Secure on this page. Not every browser keeps those on http://localhost. */
export function hasSecureCookies(page: Page): boolean {
  return page.protocol === "https:" || !isLoopback(page.hostname);
}

/** Returns the name under which a browser keeps the site's cookie on this page. */
export function cookieName(page: Page, name: string): string {
  return hasSecureCookies(page) ? HOST_PREFIX + name : name;
}

/** Returns whether the host is the browser's own machine, as `URL` writes it. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}
