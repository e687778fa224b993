/** What firewalls in front of a panel answer, before any of it is called, with the HTTP status that they give it. */
const PAGE = /^<(?:!doctype html|html)[\s>]/i;
const TITLES =
  /<title>\s*(?:Just a moment\.\.\.|Attention Required! \| Cloudflare|Sucuri WebSite Firewall - [^<]{0,40}Access Denied|Access Denied - Sucuri Website Firewall|DDoS-Guard)\s*<\/title>/i;
/** Cloudflare's codes for a client that it blocks by its address, country or software. Others are about the panel behind it. */
const BLOCKED_CLIENT = /^error code: (?:100[6-9]|1010|1012|1020)$/;
const STATUSES: ReadonlySet<number> = new Set([403, 503]);
const MAX_START = 5000;

/**
 * Returns whether a firewall turned a call away, so that its provider certainly never got it. That is so only for a firewall
 * that stands before the panel's server and is known by its page: a server's own page, such as nginx's 403, may be given in
 * place of what the panel answered, and modules such as ModSecurity judge answers too.
 */
export function isTurnedAway(httpStatus: number, raw: string): boolean {
  if (!STATUSES.has(httpStatus)) return false;
  const start = raw.slice(0, MAX_START).trim();
  return PAGE.test(start) ? TITLES.test(start) : BLOCKED_CLIENT.test(start);
}
