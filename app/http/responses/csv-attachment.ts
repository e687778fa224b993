/**
 * Returns a CSV that the browser saves under `name` and today's date. Rejects if its first piece can't be read: an outage is
 * an answer of its own then, and not a file that breaks off.
 */
export async function csvAttachment(name: string, body: ReadableStream<Uint8Array>): Promise<Response> {
  const today = new Date().toISOString().slice(0, 10);
  return new Response(await begun(body), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}-${today}.csv"`,
      "Cache-Control": "no-store",
    },
  });
}

/** Returns the stream after its first piece is read. The others are read when the client asks for them. */
async function begun(stream: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const reader = stream.getReader();
  let next: Awaited<ReturnType<typeof reader.read>> | null = await reader.read();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = next ?? (await reader.read());
        next = null;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
