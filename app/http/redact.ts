import { replaceEmails } from "#app/email-address.ts";

/**
 * What no log line may hold, whoever wrote it: error messages of databases, libraries and other services quote what they
 * were given.
 */
type Replacement = string | ((match: string, ...groups: (string | undefined)[]) => string);
const FORBIDDEN: [what: RegExp, by: Replacement][] = [
  // Query strings of URLs and of paths.
  [/(\/[\w.~%-]*)\?[\w.~%-]+=[^\s"'\\)]*/g, "$1?[query]"],
  // The query is optional, so that what has none is not searched again from its middle.
  [
    /(https?:\/\/[^\s"'?#\\]*)([?#][^\s"'\\)]*)?/g,
    (_, url = "", query) => (query === undefined ? url : `${url}?[query]`),
  ],
  [/\b(Bearer|Basic) [\w.~+/=-]{8,}/gi, "$1 [token]"],
  // API keys, secrets of webhooks, and keys of Stripe.
  [/\b(gl_live_|gl_test_|whsec_|sk_live_|sk_test_|rk_live_|re_)[\w+/=-]{4,}/g, "$1[key]"],
  // Signed tokens, truncated ones too.
  [/\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g, "[token]"],
  // A customer's conversation is named by their id, and a visitor's by what opens it for nobody else.
  [/\buser_[\w-]{22,64}/g, "user_[id]"],
];

/** Returns the text without addresses, tokens, keys, query strings and user ids. */
export function redact(text: string): string {
  const left = FORBIDDEN.reduce(
    (left, [what, by]) => (typeof by === "string" ? left.replace(what, by) : left.replace(what, by)),
    text,
  );
  return replaceEmails(left, "[email]");
}
