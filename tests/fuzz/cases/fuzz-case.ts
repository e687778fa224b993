import type { RawRequest } from "../client/raw-client.ts";
import type { Frame } from "../client/socket-client.ts";

/** Callers. The last four send a key or a token instead of a cookie. */
export const CALLERS = ["visitor", "customer", "agent", "admin", "key", "readKey", "testKey", "token"] as const;
export type CallerName = (typeof CALLERS)[number];

/**
 * One request of the fuzz, or a socket on which `frames` are sent. It names no session: `authorize` adds that of the
 * caller when it is sent.
 */
export type FuzzCase = { number: number; route: string; caller: CallerName; request: RawRequest; frames?: Frame[] };

/** Credentials that a caller sends. */
export type Credentials = { cookie?: string; bearer?: string };

/** Stands for the caller's key inside a body. */
export const KEY_PLACEHOLDER = "{{key}}";

/** Returns the request with the caller's credentials and this host, unless the case sets a header of that name itself. */
export function authorize({ request, number }: FuzzCase, { cookie, bearer }: Credentials, host: string): RawRequest {
  const has = (name: string) => request.headers.some(([known]) => known.toLowerCase() === name.toLowerCase());
  const headers: [string, string][] = has("Host") ? [] : [["Host", host]];
  if (cookie) headers.push(["Cookie", cookie]);
  if (bearer && !has("Authorization")) headers.push(["Authorization", `Bearer ${bearer}`]);
  headers.push(["X-Fuzz-Case", String(number)]);
  const { body } = request;
  const filled = body.includes(KEY_PLACEHOLDER)
    ? Buffer.from(body.toString("latin1").replaceAll(KEY_PLACEHOLDER, bearer ?? ""), "latin1")
    : body;
  return { ...request, headers: [...headers, ...request.headers], body: filled };
}
