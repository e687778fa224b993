import { env } from "cloudflare:workers";
import { beforeAll, expect, test, vi } from "vitest";
import { conventionNamed } from "#app/orders/providers/conventions/conventions.ts";
import { readerOf } from "#app/orders/providers/dialect.server.ts";
import { callProvider, type Provider } from "#app/orders/providers/provider-calls.server.ts";
import { type AnswerRow, isSame, isSilent, rowsIn, verdictOf } from "#tests/panels/answer-verdicts.ts";
import answers from "../panels/answers.jsonl?raw";
import { readProvider } from "./place-orders.ts";
import { sandboxProvider } from "./sandbox-service.ts";

/** Rows that may be read otherwise than they were judged, as on Node. None of them acts on its own. */
const LEAST_RIGHT = 0.97;

let provider: Provider;

beforeAll(async () => {
  provider = await readProvider(await sandboxProvider());
});

test("reads each answer of real panels as it was judged, from its bytes over the client to its meaning", async () => {
  const rows = rowsIn<AnswerRow>(answers);
  const wrong: { name: string; expected: unknown; read: unknown; isSilent: boolean }[] = [];
  for (const row of rows) {
    const read = verdictOf(row, readerOf(provider), await served(row));
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
  const parameter = conventionNamed(provider.convention).calls[call][mode];
  const named = parameter === undefined ? {} : { [parameter]: id ?? ids.join(",") };
  return callProvider(env, provider, { action: call, ...named }).finally(() => fetched.mockRestore());
}
