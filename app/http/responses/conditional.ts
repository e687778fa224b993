import { sha256 } from "#app/crypto/sha256.server.ts";

const TAG_CHARACTERS = 32;

/** Returns the ETag of a body. */
export function tagOf(body: string): string {
  return `"${sha256(body).slice(0, TAG_CHARACTERS)}"`;
}

/** Returns a text with its ETag, or 304 if the caller already has it. */
export function respondIfChanged(request: Request, body: string, init: HeadersInit): Response {
  return respondIfTagDiffers(request, body, tagOf(body), init);
}

/** Returns the body whose ETag is `tag`, or 304 if the caller already has it. */
export function respondIfTagDiffers(request: Request, body: BodyInit, tag: string, init: HeadersInit): Response {
  const headers = new Headers(init);
  headers.set("ETag", tag);
  return hasTag(request, tag) ? new Response(null, { status: 304, headers }) : new Response(body, { headers });
}

/** Returns whether the caller already has the body whose ETag is `tag`. */
export function hasTag(request: Request, tag: string): boolean {
  const had = request.headers.get("If-None-Match")?.split(",") ?? [];
  // A proxy that compresses makes a strong tag weak.
  return had.some((one) => one.trim().replace(/^W\//, "") === tag);
}
