import { expect, test } from "vitest";
import { streamJson } from "./stream-json.ts";

test("streams the same text as JSON.stringify, with lists that come in pages", async () => {
  async function* pages(...given: unknown[][]) {
    yield* given;
  }
  const row = { id: 1, text: 'two\nlines, "quoted"', nested: { list: [1, 2], empty: [] } };
  const fields = { first: "a", missing: undefined, none: null, ...row };
  const streamed = streamJson({ ...fields, rows: pages([row, row], [], [row]), empty: pages(), last: [row] });
  const expected = { ...fields, rows: [row, row, row], empty: [], last: [row] };
  expect(await new Response(streamed).text()).toBe(JSON.stringify(expected, null, 2));
  expect(await new Response(streamJson({})).text()).toBe("{}");
});

test("reads a page only when it is asked for, and none after the reader left", async () => {
  let read = 0;
  let isEnded = false;
  async function* endless() {
    try {
      for (;;) yield [++read];
    } finally {
      isEnded = true;
    }
  }
  const reader = streamJson({ rows: endless() }).getReader();
  for (let piece = 0; piece < 4; piece++) await reader.read();
  expect(read).toBeLessThan(6);
  await reader.cancel();
  expect(isEnded).toBe(true);
});
