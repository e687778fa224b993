/** Where the path of a program's call begins, with the slash of a base URL before it. */
const AFTER_SITE = /^\/{2,}(?=(?:api|auth\/v1|functions)(?:\/|$))/;
/** The same for the base URLs that client libraries are given. */
const AFTER_BASE = /^(\/(?:api|auth)\/v1)\/{2,}/;

/**
 * Returns the request with the path that its program meant. Programs join a base URL that ends in a slash with a path that
 * begins with one. A redirect would repair no POST. Other spellings of a path stay what they are.
 */
export function withoutDoubledSlashes<Given extends Request>(request: Given): Given {
  const url = new URL(request.url);
  const pathname = url.pathname.replace(AFTER_SITE, "/").replace(AFTER_BASE, "$1/");
  if (pathname === url.pathname) return request;
  url.pathname = pathname;
  return new Request(url, request) as Given;
}
