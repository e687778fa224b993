import { limitStream } from "#app/http/requests/read-at-most.ts";

/**
 * Returns a `fetch` for libraries that read responses whole: reading fails once more than `maxBytes` have arrived.
 * Follows no redirect, which could take our credentials to another host.
 */
export function cappedFetch(maxBytes: number): typeof fetch {
  return async (input: RequestInfo | URL, init?: RequestInit) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (!response.body) return response;
    return new Response(
      limitStream(response.body, maxBytes, () => {}),
      response,
    );
  };
}
