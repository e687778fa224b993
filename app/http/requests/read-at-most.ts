/**
 * Reads a body of at most `limit` bytes. Returns null for a longer one: at once if its Content-Length says so, otherwise
 * as soon as more has arrived.
 */
export async function readAtMost(
  { body, headers }: Pick<Request | Response, "body" | "headers">,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(headers.get("Content-Length")) > limit) {
    await body?.cancel();
    return null;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done || !value) break;
    size += value.byteLength;
    if (size > limit) {
      await reader?.cancel();
      return null;
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** Returns a stream that calls `onTooLong` and fails once more than `limit` bytes have passed. */
export function limitStream(
  stream: ReadableStream<Uint8Array>,
  limit: number,
  onTooLong: () => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let size = 0;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      size += value.byteLength;
      if (size <= limit) return controller.enqueue(value);
      onTooLong();
      await reader.cancel();
      controller.error(new Error(`longer than ${limit} bytes`));
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
