import { expect, test } from "vitest";
import { csvAttachment } from "./csv-attachment.ts";
import { CSV_ROWS_PER_READ, streamCsv } from "./stream-csv.ts";

/** A table with one row more than is read at once, which notes what is read. */
function table() {
  const asked: number[] = [];
  const read = async (after: number) => {
    asked.push(after);
    const count = after === 0 ? CSV_ROWS_PER_READ : 1;
    return Array.from({ length: count }, (_, at) => ({ id: after + at + 1, cells: [after + at + 1] }));
  };
  return { asked, stream: () => streamCsv(["id"], read) };
}

test("reads one page before there is a response, and the next when the client asks for it", async () => {
  const { asked, stream } = table();
  const response = await csvAttachment("orders", stream());
  expect(asked).toEqual([0]);
  const lines = (await response.text()).trim().split("\r\n");
  expect(asked).toEqual([0, CSV_ROWS_PER_READ]);
  expect(lines).toHaveLength(CSV_ROWS_PER_READ + 2);
  expect([lines[0], lines.at(-1)]).toEqual(["id", String(CSV_ROWS_PER_READ + 1)]);
});

test("fails before there is a response when the first page can't be read", async () => {
  const failing = streamCsv(["id"], () => Promise.reject(new Error("no answer")));
  await expect(csvAttachment("orders", failing)).rejects.toThrow("no answer");
});

test("reads nothing more when the client goes", async () => {
  const { asked, stream } = table();
  const response = await csvAttachment("orders", stream());
  await response.body?.cancel();
  expect(asked).toEqual([0]);
});
