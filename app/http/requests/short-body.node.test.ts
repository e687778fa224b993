import { expect, test } from "vitest";
import { readShortBody } from "./short-body.ts";

const KIB = 1024;

test("reads a body of up to 64 KB into memory", async () => {
  const sent = posted(stream(["a=", "1"]));
  const read = await readShortBody(sent);
  expect(sent.body?.locked).toBe(true);
  expect([read?.method, read?.headers.get("X-Other"), await read?.text()]).toEqual(["POST", "1", "a=1"]);
});

test("passes on a longer body as it arrives, and its cancellation", async () => {
  let canceled = false;
  let pulled = 0;
  const endless = new ReadableStream({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(16 * KIB));
    },
    cancel() {
      canceled = true;
    },
  });
  const read = await readShortBody(posted(endless));
  const reader = read?.body?.getReader();
  let size = 0;
  while (size < 256 * KIB) size += (await reader?.read())?.value?.byteLength ?? 0;
  await reader?.cancel();
  expect(canceled).toBe(true);
  expect(pulled).toBeLessThan(30);
});

test("leaves a body alone whose Content-Length is above 64 KB", async () => {
  const sent = posted(stream(["a"]), { "Content-Length": String(65 * KIB) });
  expect(await readShortBody(sent)).toBe(sent);
});

test("drops the body of a GET and keeps its headers", async () => {
  const headers = new Headers({ "X-Other": "1" });
  const url = "https://x.example/a?b=1";
  const sent = { method: "GET", url, headers, body: stream(["a=1"]), signal: new AbortController().signal };
  const read = await readShortBody(sent as unknown as Request);
  expect([read?.method, read?.url, read?.headers.get("X-Other"), read?.body]).toEqual(["GET", url, "1", null]);
});

test("returns null for a body that breaks off", async () => {
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("lost")) });
  expect(await readShortBody(posted(broken))).toBeNull();
});

function posted(body: ReadableStream, headers: Record<string, string> = {}): Request {
  const init = { method: "POST", body, headers: { "X-Other": "1", ...headers }, duplex: "half" };
  return new Request("https://x.example/", init as RequestInit);
}

function stream(pieces: string[]): ReadableStream {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
}
