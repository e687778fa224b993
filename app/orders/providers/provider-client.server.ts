import { readAtMost } from "#app/http/requests/read-at-most.ts";
import { ownValue } from "#app/own-value.ts";
import { HOUR_MS } from "#app/time.ts";
import type { Convention } from "./conventions/convention.ts";
import { PANEL_API_V2 } from "./conventions/panel-api-v2.ts";
import { decodeAnswer } from "./reading/answer-charset.ts";
import { linesOf } from "./reading/own-texts.ts";
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
const MAX_RETRY_AFTER_MS = HOUR_MS;

/** How a provider is called. Without a convention, as most panels are. */
export type Connection = { apiUrl: string; key: string; convention?: Convention };

/**
 * Posts one action as the provider's convention spells it. Parameters of an order have the names that most panels give them.
 * A `request_id` is its idempotency key, and becomes the header too. Returns errors as `no_response` and never throws. Reads
 * at most 1 MB of the decompressed body, 8 MB of a catalog, and parses it only if it has no more parts than such a response.
 */
export async function postToProvider(
  provider: Connection,
  params: Record<string, string>,
  signal: AbortSignal = AbortSignal.timeout(TIMEOUT_MS),
): Promise<ProviderResponse> {
  const sent = sentTexts(provider, params);
  let httpStatus: number | null = null;
  let retryAfter: { retryAfterMs?: number } = {};
  let raw = "";
  try {
    const response = await fetch(provider.apiUrl, {
      method: "POST",
      ...(params.request_id !== undefined && { headers: { "Idempotency-Key": params.request_id } }),
      body: new URLSearchParams(spelledCall(provider, params)),
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
      return { kind: "no_response", why, raw, httpStatus, isTooLong: true, sent, ...retryAfter };
    }
    raw = decodeAnswer(bytes, response.headers.get("Content-Type") ?? "");
    const maxParts = isCatalog ? MAX_CATALOG_PARTS : MAX_PARTS;
    // https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
    const isChallenge = response.headers.get("cf-mitigated") === "challenge";
    return { ...responseOf(httpStatus, raw, maxParts, isChallenge), sent, ...retryAfter };
  } catch (error) {
    return { kind: "no_response", why: String(error), raw, httpStatus, sent, ...retryAfter };
  }
}

/** A service's id and a call's name are no secrets, and may be words of any error. */
function sentTexts({ key }: Connection, { action: _, service: __, ...params }: Record<string, string>): string[] {
  return [key, ...linesOf(Object.values(params))];
}

function spelledCall(
  { convention = PANEL_API_V2, key }: Connection,
  { action = "", ...params }: Record<string, string>,
): Record<string, string> {
  const { parameters, calls, fields } = convention;
  const { action: name } = ownValue(calls, action) ?? { action };
  // The other calls already use the convention's own names.
  const spell = (field: string) => (action === "add" ? (ownValue(fields, field) ?? field) : field);
  const spelled = Object.entries(params).map(([field, value]) => [spell(field), value]);
  return { [parameters.key]: key, [parameters.action]: name, ...Object.fromEntries(spelled) };
}

/** Reads how long the provider wants no call, in seconds or as a date, from a 429. */
function readRetryAfter(response: Response): { retryAfterMs?: number } {
  const header = response.headers.get("Retry-After");
  if (response.status !== 429 || header === null) return {};
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return waitMs > 0 ? { retryAfterMs: Math.min(waitMs, MAX_RETRY_AFTER_MS) } : {};
}
