const FIRST_BYTES = 1024;

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
  const reader = body?.getReader();
  if (!reader) return new Uint8Array(0);
  const { bytes, isWhole } = await readStart(reader, limit);
  if (isWhole) return bytes;
  await reader.cancel();
  return null;
}

/** Drops a body that decides nothing, so that the connection can go on. */
export async function dropBody({ body }: Pick<Request, "body">): Promise<void> {
  await body?.cancel();
}

/** Reads until the body ends, or at most one chunk beyond `limit` bytes. */
export async function readStart(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: number,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; isWhole: boolean }> {
  // Copies each chunk, because the runtime hands out a few bytes of a large buffer for a body that arrives slowly.
  let bytes = new Uint8Array(Math.min(limit, FIRST_BYTES));
  let size = 0;
  let isWhole = false;
  while (size <= limit) {
    const { done, value } = await reader.read();
    isWhole = done || !value;
    if (done || !value) break;
    const end = size + value.byteLength;
    if (end > bytes.byteLength) bytes = new Uint8Array(bytes.buffer.transfer(Math.max(end, 2 * bytes.byteLength)));
    bytes.set(value, size);
    size = end;
  }
  return { bytes: new Uint8Array(bytes.buffer.transfer(size)), isWhole };
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
