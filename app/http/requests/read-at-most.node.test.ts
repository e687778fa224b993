import { expect, test, vi } from "vitest";
import { limitStream, readAtMost } from "./read-at-most.ts";

const LIMIT = 5000;

/** A body that arrives in chunks of 512 bytes. `size` is its real size. */
function body(size: number, contentLength?: number) {
  const headers = new Headers(contentLength === undefined ? {} : { "Content-Length": String(contentLength) });
  return { body: streamOf(size), headers };
}

function streamOf(size: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      const length = Math.min(512, size - sent);
      if (length > 0) controller.enqueue(new Uint8Array(length).map((_, at) => (sent + at) % 251));
      else controller.close();
      sent += length;
    },
  });
}

test("reads a body of exactly the limit, byte for byte, with or without its length in a header", async () => {
  const whole = new Uint8Array(LIMIT).map((_, at) => at % 251);
  for (const length of [LIMIT, undefined]) expect(await readAtMost(body(LIMIT, length), LIMIT)).toEqual(whole);
});

test("refuses a body of one byte more, with or without its length in a header", async () => {
  for (const length of [LIMIT + 1, undefined]) expect(await readAtMost(body(LIMIT + 1, length), LIMIT)).toBeNull();
});

test("refuses a body that is longer than its header says", async () => {
  expect(await readAtMost(body(LIMIT + 1, 1), LIMIT)).toBeNull();
});

test("reads an empty and a missing body as no bytes", async () => {
  expect(await readAtMost(body(0), LIMIT)).toHaveLength(0);
  expect(await readAtMost({ body: null, headers: new Headers() }, LIMIT)).toHaveLength(0);
});

test("passes a stream of exactly the limit on, and ends one of a byte more", async () => {
  const onTooLong = vi.fn();
  expect(await new Response(limitStream(streamOf(LIMIT), LIMIT, onTooLong)).arrayBuffer()).toHaveProperty(
    "byteLength",
    LIMIT,
  );
  expect(onTooLong).not.toHaveBeenCalled();
  await expect(new Response(limitStream(streamOf(LIMIT + 1), LIMIT, onTooLong)).arrayBuffer()).rejects.toThrow(
    `longer than ${LIMIT} bytes`,
  );
  expect(onTooLong).toHaveBeenCalledOnce();
});
