/** The body with its ETag, or 304 without it when the caller has that already. */
export async function answerIfChanged(request: Request, body: string, init: HeadersInit): Promise<Response> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
  const tag = `"${Buffer.from(digest).toString("base64url").slice(0, 22)}"`;
  const headers = new Headers(init);
  headers.set("ETag", tag);
  const had = request.headers.get("If-None-Match")?.split(",") ?? [];
  // A proxy that compresses makes a strong tag weak.
  if (had.some((one) => one.trim().replace(/^W\//, "") === tag)) return new Response(null, { status: 304, headers });
  return new Response(body, { headers });
}
