import { json } from "#app/http/responses/api-response.ts";
import { readAtMost } from "./read-at-most.ts";

const JSON_MAX_BYTES = 64 * 1024;

/**
 * Reads a JSON body of at most 64 KB, or returns undefined if it is not JSON. Throws 413 for a longer one without
 * reading the rest.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  const bytes = await readAtMost(request, JSON_MAX_BYTES);
  if (!bytes) throw json({ error: "The request is larger than 64 KB" }, { status: 413 });
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
