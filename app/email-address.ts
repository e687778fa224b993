/**
 * Email addresses as people type them and as records of other systems hold them. Every door reads them here, and gets the
 * one form in which two addresses are compared: the domain in lower case and, where it is international, in ASCII (xn--).
 */

/** Length of an address in either form: RFC 5321 allows a path 256 characters, two of which are its brackets. */
export const EMAIL_MAX_CHARACTERS = 254;

/** Characters that the HTML standard allows before the @ of "a valid email address". */
const TYPED_LOCAL_PART = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+$/i;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Separators of lists and headers, and characters that nobody sees: two records would look alike. */
const NEVER_IN_RECORDS = /[\p{Cc}\p{Bidi_Control}\s,;<>\u200b\u2060]/u;
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
