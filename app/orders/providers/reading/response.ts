import { readAnswerJson } from "./embedded-json.ts";
import { isTurnedAway } from "./firewall-answer.ts";

/**
 * The result of a call to a provider. `no_response`: a timeout, a cut connection, a redirect, a 5xx, no bytes, or more than
 * is read. `unreadable`: the provider answered, and not with JSON, such as a web page or an error of PHP.
 */
export type ProviderResponse = (
  | { kind: "json"; body: unknown; raw: string; httpStatus: number }
  | { kind: "no_response"; why: string; raw: string; httpStatus: number | null; isTooLong?: boolean }
  | { kind: "unreadable"; why: string; raw: string; httpStatus: number }
) & {
  /** A firewall answered, and the provider never got the call. */
  isTurnedAway?: true;
  /** Sent with HTTP 429: how long to wait before the next call, in ms. */
  retryAfterMs?: number;
  /** Our key and the texts of the call that it answers, line by line. Its errors may quote them. */
  sent?: readonly string[];
};

/**
 * Reads what a provider answered. `maxParts`: objects, lists and members that are parsed at most. An answer with a 4xx is
 * read, because panels explain their refusals in it. `isChallenge`: its headers say that a firewall answered.
 */
export function responseOf(httpStatus: number, raw: string, maxParts: number, isChallenge = false): ProviderResponse {
  if (isChallenge || isTurnedAway(httpStatus, raw)) {
    return { kind: "unreadable", why: "a firewall turned the call away", raw, httpStatus, isTurnedAway: true };
  }
  if (httpStatus >= 500 || (httpStatus >= 300 && httpStatus < 400)) {
    return { kind: "no_response", why: `HTTP ${httpStatus}`, raw, httpStatus };
  }
  if (raw.trim() === "") {
    // A 4xx says by itself that somebody answered.
    return { kind: httpStatus >= 400 ? "unreadable" : "no_response", why: "the response is empty", raw, httpStatus };
  }
  const read = readAnswerJson(raw, maxParts);
  if (read.ok) return { kind: "json", body: read.value, raw, httpStatus };
  if (read.reason === "too_many_parts") {
    return { kind: "no_response", why: "the response has too many parts", raw, httpStatus, isTooLong: true };
  }
  return { kind: "unreadable", why: "the response is not JSON", raw, httpStatus };
}
