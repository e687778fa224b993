/** Rows of one list, some at a time. */
export type Pages<Row = unknown> = AsyncGenerator<Row[]>;

/** Streams an object as indented JSON. A field that is `Pages` becomes one list, of which only a page is in memory. */
export function streamJson(fields: Record<string, unknown>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pieces = piecesOf(fields);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return();
    },
  });
}

async function* piecesOf(fields: Record<string, unknown>): AsyncGenerator<string, void> {
  let separator = "{";
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    yield `${separator}\n  ${JSON.stringify(name)}: `;
    separator = ",";
    if (isPages(value)) yield* listOf(value);
    else yield indented(value, "  ");
  }
  yield separator === "{" ? "{}" : "\n}";
}

async function* listOf(pages: Pages): AsyncGenerator<string, void> {
  let separator = "[";
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield rows.map((row, at) => `${at === 0 ? separator : ","}\n    ${indented(row, "    ")}`).join("");
    separator = ",";
  }
  yield separator === "[" ? "[]" : "\n  ]";
}

/** The line breaks of JSON are all its own: those in texts are escaped. */
function indented(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
}

function isPages(value: unknown): value is Pages {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
