import { readOutsideJson } from "#app/http/outside-json.ts";
import { json } from "#app/http/responses/api-response.ts";
import { readAtMost } from "./read-at-most.ts";

const JSON_MAX_BYTES = 64 * 1024;
/** No body of ours has more objects, lists and members. */
export const JSON_MAX_PARTS = 1000;

/**
 * Reads a JSON body of at most 64 KB, or returns undefined if it is not JSON. Throws 413 for a longer one without
 * reading the rest, and for one of too many parts.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  const bytes = await readAtMost(request, JSON_MAX_BYTES);
  if (!bytes) throw json({ error: "The request is larger than 64 KB" }, { status: 413 });
  const text = decoded(bytes);
  const read = text === null ? null : readOutsideJson(text, JSON_MAX_PARTS);
  if (read?.ok) return read.value;
  if (read?.reason === "too_many_parts") throw json({ error: "The request has too many parts" }, { status: 413 });
  return undefined;
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
