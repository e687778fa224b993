import { limitStream } from "#app/http/requests/read-at-most.ts";

/** Returns a `fetch` for libraries that read responses whole: reading fails once more than `maxBytes` have arrived. */
export function cappedFetch(maxBytes: number): typeof fetch {
  return async (input: RequestInfo | URL, init?: RequestInit) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    return new Response(
      limitStream(response.body, maxBytes, () => {}),
      response,
    );
  };
}
