import { expect, test } from "vitest";
import { readJsonBody } from "./read-json.ts";

test("reads JSON, and returns undefined for anything else", async () => {
  expect(await readJsonBody(posted('{"a":1}'))).toEqual({ a: 1 });
  for (const body of ["{", "", new Uint8Array([255, 254])]) expect(await readJsonBody(posted(body))).toBeUndefined();
});

test("refuses a body of more than 64 KB, with or without its length in a header", async () => {
  const long = JSON.stringify("x".repeat(64 * 1024));
  for (const body of [long, new Blob([long]).stream()]) {
    await expect(readJsonBody(posted(body))).rejects.toMatchObject({ status: 413 });
  }
});

function posted(body: BodyInit): Request {
  return new Request("https://x.example/", { method: "POST", body, duplex: "half" } as RequestInit);
}
