import { readAtMost } from "#app/http/requests/read-at-most.ts";
import { type ProviderResponse, responseOf } from "./reading/response.ts";

const TIMEOUT_MS = 20_000;
/** 100 order statuses take about 20 KB. */
const MAX_BYTES = 1024 * 1024;
/** A catalog of 20,000 services with long names. */
const MAX_CATALOG_BYTES = 8 * MAX_BYTES;
/** Objects, lists and members: 100 order statuses of 200 members each. */
export const MAX_PARTS = 20_000;
/** 20,000 services of 30 members each. */
export const MAX_CATALOG_PARTS = 600_000;
/** A provider that wants to be left alone for longer is asked again after this. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

/**
 * Posts one action of the panel convention. A `request_id` is its idempotency key, and becomes the header too. Returns errors as `no_response` and never throws. Reads at most 1 MB of the
 * decompressed body, 8 MB of a catalog, and parses it only if it has no more parts than such a response.
 */
export async function postToProvider(
  provider: { apiUrl: string; key: string },
  params: Record<string, string>,
  signal: AbortSignal = AbortSignal.timeout(TIMEOUT_MS),
): Promise<ProviderResponse> {
  let httpStatus: number | null = null;
  let retryAfter: { retryAfterMs?: number } = {};
  let raw = "";
  try {
    const response = await fetch(provider.apiUrl, {
      method: "POST",
      ...(params.request_id !== undefined && { headers: { "Idempotency-Key": params.request_id } }),
      body: new URLSearchParams({ key: provider.key, ...params }),
      // A redirect may turn the POST into a GET, or send our key to another host.
      redirect: "manual",
      signal,
    });
    httpStatus = response.status;
    retryAfter = readRetryAfter(response);
    const isCatalog = params.action === "services";
    const maxBytes = isCatalog ? MAX_CATALOG_BYTES : MAX_BYTES;
    const bytes = await readAtMost(response, maxBytes);
    if (!bytes) {
      const why = `the response is longer than ${maxBytes} bytes`;
      return { kind: "no_response", why, raw, httpStatus, isTooLong: true, ...retryAfter };
    }
    raw = new TextDecoder().decode(bytes);
    return { ...responseOf(httpStatus, raw, isCatalog ? MAX_CATALOG_PARTS : MAX_PARTS), ...retryAfter };
  } catch (error) {
    return { kind: "no_response", why: String(error), raw, httpStatus, ...retryAfter };
  }
}

/** Reads how long the provider wants no call, in seconds or as a date, from a 429. */
function readRetryAfter(response: Response): { retryAfterMs?: number } {
  const header = response.headers.get("Retry-After");
  if (response.status !== 429 || header === null) return {};
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return waitMs > 0 ? { retryAfterMs: Math.min(waitMs, MAX_RETRY_AFTER_MS) } : {};
}
