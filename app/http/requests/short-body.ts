import { readStart } from "./read-at-most.ts";

const SHORT_BODY_MAX_BYTES = 64 * 1024;

/**
 * Returns the request with a body of up to 64 KB in memory. A response to a body that nobody reads closes the connection
 * while the client still sends, and the client may lose it. Drops the body of a GET or HEAD, to which Remix responds 500.
 * Returns null for a body that breaks off.
 */
export async function readShortBody(request: Request): Promise<Request | null> {
  const { method, headers, url, signal } = request;
  if (!request.body) return request;
  const isForReading = method === "GET" || method === "HEAD";
  if (!isForReading && Number(headers.get("Content-Length")) > SHORT_BODY_MAX_BYTES) return request;
  const reader = request.body.getReader();
  const start = await readStart(reader, SHORT_BODY_MAX_BYTES).catch(() => null);
  if (!start) return null;
  if (isForReading) {
    if (!start.isWhole) await reader.cancel();
    return new Request(url, { method, headers, signal });
  }
  const { bytes, isWhole } = start;
  const body = isWhole ? bytes : resume(bytes, reader);
  const init: RequestInit & { duplex: "half" } = { body, duplex: "half", signal };
  return new Request(request, init);
}

/** Returns a stream of these bytes and of what the reader still reads. */
function resume(
  bytes: Uint8Array<ArrayBuffer>,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(bytes),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
