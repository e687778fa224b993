import { useLocation } from "@remix-run/react";

/**
 * Returns the page's path and query as a link to it. A path that begins with two slashes would name another site's host in
 * a link, and React Router does not change the one of the page itself.
 */
export function useOwnAddress(): string {
  const { pathname, search } = useLocation();
  return pathname.replace(/^\/+/, "/") + search;
}
