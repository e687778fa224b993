import type { CallerName, FuzzCase } from "../cases/fuzz-case.ts";
import { MARKER } from "../cases/hostile-values.ts";
import type { RawResponse } from "../client/raw-client.ts";

export type Rule = "5xx" | "size" | "markup" | "leak" | "session" | "changed" | "log" | "hang" | "reset" | "frame";
export type Violation = { rule: Rule; text: string };

const MAX_BYTES = 256 * 1024;

/** Responses that may be longer than 256 KB, each as long as what it lists or holds. */
const LONG_RESPONSES: readonly (readonly [RegExp, string])[] = [
  [/\.csv$/, "an export"],
  [/^\/dashboard\/account\/export/, "the export of an account"],
  [/^\/upload\/files\//, "a file that was uploaded"],
  [/^\/catalog\.json|^\/api\/(v2|services)/, "the list of all services"],
  [/^\/admin\/(services|orders|customers|payments|emails|audit)$/, "a list for staff"],
];

/** Refusals that name a failure of somebody else's server. */
const FOREIGN_FAILURES: readonly (readonly [RegExp, number, string])[] = [
  [/^\/admin\/providers/, 502, "the provider's catalog could not be read"],
  [/^\/dashboard\/top-up$/, 502, "Stripe opened no checkout"],
  [/^\/readyz$/, 503, "a database, a bucket or a dispatcher didn't answer in time"],
];

/** Secrets and texts of another account, which nobody but staff may see, and what not even staff may. */
export type Canaries = { texts: readonly string[]; secrets: readonly string[] };

/** Shows every email, on this machine only. */
const SHOWS_ALL = "/debug/mail";
const STAFF: readonly CallerName[] = ["agent", "admin"];
const SESSION_COOKIE = /^(__Host-)?growline_auth=[^;]/;

/** Returns what is wrong with a response, whatever was sent. */
export function judgeResponse({ caller, route }: FuzzCase, response: RawResponse, canaries: Canaries): Violation[] {
  const { status, headers, body } = response;
  const found: Violation[] = [];
  const isOfProduct = headers.some(([name]) => name === "x-request-id");
  // The server in front of the product refuses methods and first lines by itself.
  const isForeign = FOREIGN_FAILURES.some(([pattern, known]) => status === known && pattern.test(route));
  if (status >= 500 && (isOfProduct || status === 500) && !isForeign) found.push({ rule: "5xx", text: `${status}` });
  if (body.length > MAX_BYTES && !LONG_RESPONSES.some(([pattern]) => pattern.test(route))) {
    found.push({ rule: "size", text: `${body.length} bytes` });
  }
  const text = body.toString("utf8");
  const type = headers.find(([name]) => name === "content-type")?.[1] ?? "";
  if (type.includes("html") && text.includes(MARKER)) found.push({ rule: "markup", text: excerpt(text, MARKER) });
  const searched = `${text}\n${headers.join("\n")}`;
  const forbidden = [...canaries.secrets, ...(STAFF.includes(caller) || route === SHOWS_ALL ? [] : canaries.texts)];
  for (const canary of forbidden.filter((one) => searched.includes(one))) {
    found.push({ rule: "leak", text: excerpt(searched, canary) });
  }
  const isRefused = status >= 400;
  if (isRefused && headers.some(([name, value]) => name === "set-cookie" && SESSION_COOKIE.test(value))) {
    found.push({ rule: "session", text: `a refusal with ${status} sets a session cookie` });
  }
  return found;
}

function excerpt(text: string, part: string): string {
  const at = text.indexOf(part);
  return text.slice(Math.max(0, at - 80), at + 120);
}
