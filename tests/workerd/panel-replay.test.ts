import { beforeAll, expect, test, vi } from "vitest";
import type { ProviderLink } from "#app/orders/providers/provider-link.server.ts";
import { type AnswerRow, isSame, isSilent, rowsIn, verdictOf } from "#tests/panels/answer-verdicts.ts";
import answers from "../panels/answers.jsonl?raw";
import { linkAt } from "./provider-links.ts";
import { sandboxProvider } from "./sandbox-service.ts";

/** Rows that may be read otherwise than they were judged, as on Node. None of them acts on its own. */
const LEAST_RIGHT = 0.97;

let link: ProviderLink;

beforeAll(async () => {
  link = await linkAt(await sandboxProvider());
});

test("reads each answer of real panels as it was judged, from its bytes over the client to its meaning", async () => {
  const rows = rowsIn<AnswerRow>(answers);
  const wrong: { name: string; expected: unknown; read: unknown; isSilent: boolean }[] = [];
  for (const row of rows) {
    const read = verdictOf(row, link.reader, await served(row));
    if (isSame(row.verdict, read)) continue;
    wrong.push({ name: row.name, expected: row.verdict, read, isSilent: isSilent(row.verdict, read) });
  }
  expect(rows.length).toBeGreaterThanOrEqual(300);
  expect(wrong.filter((one) => one.isSilent)).toEqual([]);
  expect(1 - wrong.length / rows.length, JSON.stringify(wrong, null, 1)).toBeGreaterThanOrEqual(LEAST_RIGHT);
});

/** Makes the row's call, which a provider answers with the row's bytes. */
function served({ call, http, raw, ids = [], id, mode = "one" }: AnswerRow) {
  const body = raw === "" && http === 204 ? null : raw;
  const fetched = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response(body, { status: http }));
  const parameter = link.reader.convention.calls[call][mode];
  const named = parameter === undefined ? {} : { [parameter]: id ?? ids.join(",") };
  return link.call({ action: call, ...named }).finally(() => fetched.mockRestore());
}
