import { fitsType } from "./content-type.ts";

type Problem = "too_long" | "too_short" | "wrong_content";

/** The start of a part that is checked at once. A signature and the start of a markup text fit in it. */
const HEAD_BYTES = 256;

/**
 * Passes a part of a file on and checks it meanwhile. `readable` states its length of `size` bytes, as R2 requires, and
 * fails as soon as `problem` resolves to one: `body` is read no further then, and R2 stores nothing.
 */
export function checkPart(
  body: ReadableStream<Uint8Array> | null,
  part: { size: number; contentType: string; offset: number },
): { readable: ReadableStream<Uint8Array>; problem: Promise<Problem | null> } {
  const { readable, writable } = new FixedLengthStream(part.size);
  const writer = writable.getWriter();
  const reader = body?.getReader();
  const check = async () => {
    try {
      const problem = await pass(reader, writer, part);
      if (problem !== null) await Promise.allSettled([reader?.cancel(), writer.abort(new Error(problem))]);
      return problem;
    } catch (error) {
      // The client is gone, or R2 is.
      await Promise.allSettled([writer.abort(error)]);
      throw error;
    }
  };
  return { readable, problem: check() };
}

async function pass(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  { size, contentType, offset }: { size: number; contentType: string; offset: number },
): Promise<Problem | null> {
  let passed = 0;
  let held = new Uint8Array(0);
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (value) held = joined(held, value);
    const received = passed + held.byteLength;
    if (received > size) return "too_long";
    if (!value && received < size) return "too_short";
    if (value && passed === 0 && received < HEAD_BYTES) continue;
    if (held.byteLength > 0) {
      if (!fitsType(contentType, held, offset + passed)) return "wrong_content";
      await writer.write(held);
      passed = received;
      held = new Uint8Array(0);
    }
    if (!value) break;
  }
  await writer.close();
  return null;
}

function joined(one: Uint8Array<ArrayBuffer>, two: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.byteLength + two.byteLength);
  bytes.set(one);
  bytes.set(two, one.byteLength);
  return bytes;
}
