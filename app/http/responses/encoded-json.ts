import { respondIfTagDiffers } from "./conditional.ts";

/** JSON in UTF-8 that is sent to many callers, with its ETag. */
export type EncodedJson = { bytes: Uint8Array<ArrayBuffer>; tag: string };

/** Responds with JSON that is already encoded, or with 304 to a GET whose caller has it. */
export function encodedJson(request: Request, { bytes, tag }: EncodedJson, given: HeadersInit): Response {
  const headers = new Headers(given);
  headers.set("Content-Type", "application/json; charset=utf-8");
  // The caller keeps it, but asks each time: the key may be revoked, and a price may have changed.
  headers.set("Cache-Control", "private, no-cache");
  return request.method === "GET" || request.method === "HEAD"
    ? respondIfTagDiffers(request, bytes, tag, headers)
    : new Response(bytes, { headers });
}
