import { sha256 } from "#app/crypto/sha256.server.ts";

const TAG_CHARACTERS = 32;

/** Returns the body with its ETag, or 304 if the caller already has it. */
export function respondIfChanged(request: Request, body: string, init: HeadersInit): Response {
  const tag = `"${sha256(body).slice(0, TAG_CHARACTERS)}"`;
  const headers = new Headers(init);
  headers.set("ETag", tag);
  const had = request.headers.get("If-None-Match")?.split(",") ?? [];
  // A proxy that compresses makes a strong tag weak.
  if (had.some((one) => one.trim().replace(/^W\//, "") === tag)) return new Response(null, { status: 304, headers });
  return new Response(body, { headers });
}
