import { expect, test } from "vitest";
import { checkPart } from "./check-part.server.ts";

const CSV = { contentType: "text/csv", offset: 0 };
const PNG = { contentType: "image/png", offset: 0 };
const PNG_START = "\u0089PNG\r\n\u001a\n";

test("passes a part on unchanged, however it is cut", async () => {
  const text = "a,b\n".repeat(1000);
  for (const length of [1, 7, 256, 4000]) {
    expect(await sent(text, length, { ...CSV, size: 4000 }), `${length}`).toEqual({ problem: null, text });
  }
  expect((await sent(`${PNG_START}rest`, 1, { ...PNG, size: 12 })).problem).toBeNull();
  expect((await sent("\u0000rest", 1, { ...PNG, size: 5, offset: 100 })).problem).toBeNull();
});

test("fails for a part that is longer or shorter, and for one that is missing", async () => {
  expect(await sent("abcde", 2, { ...CSV, size: 4 })).toEqual({ problem: "too_long", text: null });
  expect(await sent("a".repeat(5000), 100, { ...CSV, size: 4000 })).toEqual({ problem: "too_long", text: null });
  expect(await sent("abc", 2, { ...CSV, size: 4 })).toEqual({ problem: "too_short", text: null });
  const missing = checkPart(null, { ...CSV, size: 4 });
  expect(await Promise.all([missing.problem, textOf(missing.readable)])).toEqual(["too_short", null]);
});

test("checks the start across chunks, and each later byte of a text", async () => {
  const size = 4000;
  for (const length of [1, 100, 4000]) {
    const page = `<!doctype html>${" ".repeat(size - 15)}`;
    expect((await sent(page, length, { ...CSV, size })).problem, `${length}`).toBe("wrong_content");
    expect((await sent(`${"a".repeat(size - 1)}\u0000`, length, { ...CSV, size })).problem).toBe("wrong_content");
    expect((await sent("a".repeat(size), length, { ...PNG, size })).problem).toBe("wrong_content");
  }
});

test("fails with the error of a body that breaks off", async () => {
  const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("gone")) });
  const { problem, readable } = checkPart(broken, { ...CSV, size: 4 });
  await expect(problem).rejects.toThrow("gone");
  expect(await textOf(readable)).toBeNull();
});

/** Sends the characters as bytes, in chunks of `length`. */
async function sent(text: string, length: number, part: { size: number; contentType: string; offset: number }) {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + length));
      at += length;
    },
  });
  const { problem, readable } = checkPart(body, part);
  const [found, received] = await Promise.all([problem, textOf(readable)]);
  return { problem: found, text: received };
}

/** Returns null if the stream fails. */
function textOf(stream: ReadableStream): Promise<string | null> {
  return new Response(stream).text().catch(() => null);
}
