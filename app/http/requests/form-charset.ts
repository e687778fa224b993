/**
 * Forms are UTF-8 unless they say otherwise. Sites in ISO-8859-1, old PHP scripts and Java programs send
 * others, and the platform's parser turns each byte that is not UTF-8 into U+FFFD.
 */

/** The text as the platform's parser marks what is not UTF-8. */
const REPLACED = "\ufffd";
/** The charset that HTTP once assumed, which programs still declare for text that is UTF-8. */
const ASSUMED = "windows-1252";
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** A browser fills a field of this name with the charset of the form. */
const CHARSET_FIELD = "_charset_";
const PART_HEADERS_MAX_CHARACTERS = 2000;

/** Characters stand for bytes, as in Latin-1. */
type Bytes = string;
type Field = { name: Bytes; value: Bytes | File; charset: TextDecoder | null };

/** Returns the decoder of the charset that a Content-Type declares. Null if it declares none that is known, or UTF-8. */
export function declaredCharset(contentType: string): TextDecoder | null {
  return decoderOf(/;\s*charset\s*=\s*"?([\w.:+-]{1,40})/i.exec(contentType)?.[1]);
}

/** Returns whether the form reads alike in UTF-8 and in whatever charset it may be in. */
export function isSurelyUtf8(form: Iterable<[string, unknown]>, declared: TextDecoder | null): boolean {
  if (declared !== null && declared.encoding !== ASSUMED) return false;
  for (const [name, value] of form) {
    if (name === CHARSET_FIELD || name.includes(REPLACED)) return false;
    if (typeof value === "string" && value.includes(REPLACED)) return false;
  }
  return true;
}

/** Decodes a form of the type `application/x-www-form-urlencoded`. Returns null if its bytes are not of its charset. */
export function decodePairs(body: Uint8Array<ArrayBuffer>, declared: TextDecoder | null): FormData | null {
  const pairs = bytesOf(body)
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const at = pair.includes("=") ? pair.indexOf("=") : pair.length;
      return { name: unescaped(pair.slice(0, at)), value: unescaped(pair.slice(at + 1)) };
    });
  return decodeFields(pairs.map((pair) => ({ ...pair, charset: declared })));
}

/** `form` is the form as the platform has read it, and `asBytes` the same of what `asText` returns. */
type Parts = { form: FormData; asBytes: FormData; boundary: string; declared: TextDecoder | null };

/** Decodes a multipart form, whose parts may declare charsets of their own. Returns null if its bytes are not of its charset. */
export function decodeParts(
  body: Uint8Array<ArrayBuffer>,
  { form, asBytes, boundary, declared }: Parts,
): FormData | null {
  const [read, given] = [[...asBytes], [...form]];
  const ofParts = charsetsOfParts(bytesOf(body), boundary);
  const fields = read.map(([name, value], at): Field => {
    const charset = (ofParts.length === read.length ? ofParts[at] : null) ?? declared;
    // A file is what it was, and not text.
    const file = given[at]?.[1];
    return { name, value: typeof value === "string" ? value : file instanceof File ? file : "", charset };
  });
  return decodeFields(fields);
}

function charsetsOfParts(bytes: Bytes, boundary: string): (TextDecoder | null)[] {
  const parts = bytes.split(`--${boundary}`).slice(1, -1);
  return parts.map((part) => {
    const headers = part.slice(0, Math.min(part.indexOf("\r\n\r\n"), PART_HEADERS_MAX_CHARACTERS)).split("\r\n");
    return declaredCharset(headers.find((line) => /^content-type:/i.test(line)) ?? "");
  });
}

function decodeFields(fields: Field[]): FormData | null {
  const named = fields.find(({ name }) => name === CHARSET_FIELD)?.value;
  const ofForm = decoderOf(typeof named === "string" ? named : undefined);
  const decoded = new FormData();
  for (const { name, value, charset } of fields) {
    const decode = (bytes: Bytes) => decodeText(bytes, charset ?? ofForm);
    const [asName, asValue] = [decode(name), typeof value === "string" ? decode(value) : value];
    if (asName === null || asValue === null) return null;
    if (typeof asValue === "string") decoded.append(asName, asValue);
    else decoded.append(asName, asValue);
  }
  return decoded;
}

/** Returns null for bytes that are not of the charset. */
function decodeText(bytes: Bytes, charset: TextDecoder | null): string | null {
  if (charset === null) return decodedBy(UTF_8, bytes);
  const assumed = charset.encoding === ASSUMED ? decodedBy(UTF_8, bytes) : null;
  return assumed ?? decodedBy(charset, bytes);
}

function decodedBy(decoder: TextDecoder, bytes: Bytes): string | null {
  try {
    return decoder.decode(Buffer.from(bytes, "latin1"));
  } catch {
    return null;
  }
}

/** Returns null for a charset that is unknown, UTF-8, or none in which a form can be written. */
function decoderOf(label: string | undefined): TextDecoder | null {
  try {
    const decoder = new TextDecoder(label ?? "", { fatal: true, ignoreBOM: true });
    return /^utf-|^replacement$/.test(decoder.encoding) ? null : decoder;
  } catch {
    return null;
  }
}

/** Returns UTF-8 with a character for each byte, so that the platform's parser leaves the bytes as they are. */
export function asText(body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return Buffer.from(bytesOf(body), "utf8");
}

function bytesOf(body: Uint8Array<ArrayBuffer>): Bytes {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
}

function unescaped(text: Bytes): Bytes {
  const spaced = text.replaceAll("+", " ");
  return spaced.replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
