/**
 * What no log line may hold, whoever wrote it: error messages of databases, libraries and other services quote what they
 * were given.
 */
type Replacement = string | ((match: string, ...groups: (string | undefined)[]) => string);
const FORBIDDEN: [what: RegExp, by: Replacement][] = [
  // Also of other alphabets, and as a URL encodes them. Bounded, or a long text without one would take seconds.
  [/[\p{L}\p{N}!#$&'*+.=?^_`{|}~%-]{1,64}(?:@|%40)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/giu, "[email]"],
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
  return FORBIDDEN.reduce(
    (left, [what, by]) => (typeof by === "string" ? left.replace(what, by) : left.replace(what, by)),
    text,
  );
}
