/**
 * Email addresses as people type them and as records of other systems hold them. Every door reads them here, and gets the
 * one form in which two addresses are compared: the domain in lower case and, where it is international, in ASCII (xn--).
 */

/** Length of an address in either form: RFC 5321 allows a path 256 characters, two of which are its brackets. */
export const EMAIL_MAX_CHARACTERS = 254;

/** Characters that the HTML standard allows before the @ of "a valid email address". */
const TYPED_LOCAL_PART = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+$/i;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Separators of lists and headers. */
const SEPARATORS = String.raw`\p{Cc}\s,;<>`;
/** And characters that nobody sees: two records would look alike. */
const NEVER_IN_RECORDS = new RegExp(String.raw`[${SEPARATORS}\p{Bidi_Control}\u200b\u2060]`, "u");
/** Characters that end the local part of an address in a text. A few records hold one, which looks like JSON around them. */
const BEFORE_IN_TEXTS = new RegExp(String.raw`[${SEPARATORS}@:"\\()[\]]`, "u");
/** A local part between quotes. What JSON has between two texts begins with no letter or digit. */
const QUOTED = /"[\p{L}\p{N}][^"\\\s,;<>@]*"$/u;
/** Pairs around an address whose first character could also be part of it. */
const QUOTES = ["''", "``", "{}"];
/** A domain or an IP address in a text, also in the dots of other scripts and as a URL encodes it. Never ends in a dot. */
const DOMAIN_IN_TEXTS =
  /(?:[._\u3002\uff0e\uff61-]{0,9}(?:[\p{L}\p{M}\p{N}]|%[89a-f][\da-f])){1,254}|\[[\p{L}\p{N}.:]{1,254}\]/iuy;
const ASCII = /^\p{ASCII}*$/u;
/** Characters that end or escape the host of a URL. */
const NOT_OF_A_HOST = /[\s%/?#:\\@[\]]/;
const IP_ADDRESS = /(?:^|\.)\d+$/;

/**
 * Returns a typed address in the form to store and compare, or null if it is not valid. The rule is the HTML standard's for
 * fields of type email, with domains in any script. Only ASCII is accepted before the @: many mail servers refuse the rest.
 */
export function readTypedEmail(text: string): string | null {
  const parts = partsOf(text);
  if (parts === null || !TYPED_LOCAL_PART.test(parts.local)) return null;
  return parts.domain.split(".").every((label) => LABEL.test(label)) ? joined(parts) : null;
}

/**
 * Returns the address of a record that exists already, in the form to store and compare, or null if no record may have it.
 * Looser than what may be typed anew, because an imported person logs in with what the old system stored.
 */
export function readExistingEmail(text: string): string | null {
  if (NEVER_IN_RECORDS.test(text.trim()) || !text.isWellFormed()) return null;
  const parts = partsOf(text);
  return parts && joined(parts);
}

/**
 * Returns the form in which a text that names an account is looked up: of a text that can't name one, the text itself,
 * which no account has.
 */
export function lookupEmail(text: string): string {
  return readExistingEmail(text) ?? text.trim();
}

/** Returns a text that is the same for two spellings of one address. The column that holds addresses ignores case. */
export function emailKey(address: string): string {
  return lookupEmail(address).toLowerCase();
}

/**
 * Replaces each address in a text, also one that a URL encodes. Where it begins can't always be told ("to=bo@x.example"):
 * then more is replaced. Takes time in proportion to the text.
 */
export function replaceEmails(text: string, replacement: string): string {
  let replaced = "";
  let from = 0;
  for (const { 0: at, index } of text.matchAll(/@|%40/g)) {
    const start = localPartStart(text, from, index);
    DOMAIN_IN_TEXTS.lastIndex = index + at.length;
    if (start >= index || !DOMAIN_IN_TEXTS.test(text)) continue;
    const end = DOMAIN_IN_TEXTS.lastIndex;
    // A function's name may stand before the URL of its script: render@https://site.example/app.js.
    if (text.startsWith(":/", end)) continue;
    const isQuoted = QUOTES.includes(text.charAt(start) + text.charAt(end));
    replaced += text.slice(from, isQuoted ? start + 1 : start) + replacement;
    from = end;
  }
  return replaced + text.slice(from);
}

/** Returns where the local part before the @ starts, at `from` or later. It is empty if it starts at the @. */
function localPartStart(text: string, from: number, at: number): number {
  const first = Math.max(from, at - EMAIL_MAX_CHARACTERS);
  const last = text.charAt(at - 1);
  if (last === '"') return first + (QUOTED.exec(text.slice(first, at))?.index ?? at - first);
  // Scopes of packages: node_modules/@scope/name.
  if (last === "/") return at;
  let start = at;
  while (start > first && !BEFORE_IN_TEXTS.test(text.charAt(start - 1))) start -= 1;
  // In a path or a URL, only the last part belongs to the address.
  if (text[start] === "/") start = text.lastIndexOf("/", at - 1) + 1;
  return start;
}

type Parts = { local: string; domain: string };

/** Splits at the only @. */
function partsOf(text: string): Parts | null {
  const [local = "", domain = "", ...others] = text.trim().split("@");
  if (local === "" || domain === "" || others.length > 0 || text.trim().length > EMAIL_MAX_CHARACTERS) return null;
  return { local: comparableLocalPart(local), domain: asciiDomain(domain) };
}

function joined({ local, domain }: Parts): string | null {
  const address = `${local}@${domain}`;
  return address.length <= EMAIL_MAX_CHARACTERS ? address : null;
}

/** The database ignores the case of ASCII letters only, so that of others is given up here. */
function comparableLocalPart(local: string): string {
  return ASCII.test(local) ? local : local.toLowerCase().normalize("NFC");
}

/** Returns a domain in lower case and ASCII. One that has no form in ASCII stays as it is written. */
function asciiDomain(domain: string): string {
  if (!ASCII.test(domain) && !NOT_OF_A_HOST.test(domain) && URL.canParse(`http://${domain}`)) {
    const { hostname } = new URL(`http://${domain}`);
    if (!IP_ADDRESS.test(hostname)) return hostname;
  }
  return domain.normalize("NFC").toLowerCase();
}
