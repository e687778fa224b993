import { readAnswerJson } from "#app/orders/providers/reading/embedded-json.ts";
import { errorOf, messageOf } from "#app/orders/providers/reading/error-texts.ts";
import { onlyOf } from "#app/orders/providers/reading/members.ts";
import type { Reader } from "#app/orders/providers/reading/reader.ts";
import type { ProviderResponse } from "#app/orders/providers/reading/response.ts";
import type { AskedFor, StatesAnswer } from "#app/orders/providers/reading/states-answer.ts";

/** An answer in the log of a provider about one order or refill. `idThere`: its id at the provider. */
export type KeptAnswer = { idThere: string | null; response: string; httpStatus: number | null };

/** The log keeps 4,000 characters of an answer. */
const MAX_PARTS = 4_000;

type Read<One> = (
  response: ProviderResponse,
  reader: Reader,
  ids: readonly string[],
  mode: AskedFor,
) => StatesAnswer<One>;

/**
 * Reads a kept answer again. Returns null if it can't be read. The log has the entry of the order alone, without an HTTP
 * status, or the whole answer to a call about that order.
 */
export function keptEntry<Report extends { kind: "report" }>(
  { idThere, response, httpStatus }: KeptAnswer,
  reader: Reader,
  read: Read<Report>,
): Report | null {
  const json = readAnswerJson(response, MAX_PARTS);
  if (!json.ok || idThere === null) return null;
  const asEntry = { [idThere]: json.value };
  for (const body of httpStatus === null ? [asEntry, json.value] : [json.value]) {
    const kept: ProviderResponse = { kind: "json", body, raw: response, httpStatus: httpStatus ?? 200 };
    const answer = read(kept, reader, [idThere], "one");
    const entry = answer.kind === "entries" ? answer.entries.get(idThere) : undefined;
    if (entry?.kind === "report") return entry;
  }
  return null;
}

/** Returns the error in a kept answer to an order's submission, or null. */
export function errorIn({ response, httpStatus }: KeptAnswer, { convention }: Reader): string | null {
  const json = readAnswerJson(response, MAX_PARTS);
  if (!json.ok) return null;
  const body = onlyOf(json.value);
  if (typeof body === "string") return body;
  return errorOf(body, convention, (httpStatus ?? 0) >= 400) ?? messageOf(body, convention);
}
