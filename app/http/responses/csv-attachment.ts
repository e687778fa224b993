/** Returns a CSV that the browser saves under `name` and today's date. */
export function csvAttachment(name: string, body: ReadableStream<Uint8Array>): Response {
  const today = new Date().toISOString().slice(0, 10);
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}-${today}.csv"`,
      "Cache-Control": "no-store",
    },
  });
}
