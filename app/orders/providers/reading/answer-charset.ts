import { declaredCharset } from "#app/http/requests/form-charset.ts";
import { readTableText } from "#app/http/table-text.ts";

/** A symbol that a panel or a cut left as U+FFFD: apart from letters, or at the end. */
const LOST_SYMBOLS = /(?<![\p{L}\ufffd])\ufffd{1,3}(?![\p{L}\ufffd])|(?<!\ufffd)\ufffd{1,3}$/gu;

/**
 * Decodes a provider's answer. JSON is UTF-8, and servers declare other charsets for answers in UTF-8, so what is valid UTF-8,
 * or would be but for a few cut characters, is read as such. Then the charset of Content-Type counts; bytes that declare none
 * are Windows-1252 if they can be told to be. What isn't a character then is U+FFFD.
 */
export function decodeAnswer(bytes: Uint8Array, contentType: string): string {
  const { text, encoding } = readTableText(bytes);
  const declared = declaredCharset(contentType);
  if (declared === null || encoding === "UTF-8" || encoding === "UTF-16") return text;
  if (encoding === null && isMostlyUtf8(text)) return text;
  return new TextDecoder(declared.encoding).decode(bytes);
}

function isMostlyUtf8(text: string): boolean {
  let surplus = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) surplus += code === 0xfffd ? -1 : 1;
  }
  return surplus > 0;
}

/** Returns a name without symbols that were lost on the way. Lost letters of words stay U+FFFD: see `lacksLetters`. */
export function withoutLostSymbols(name: string): string {
  return name.includes("\ufffd") ? name.replaceAll(LOST_SYMBOLS, "") : name;
}

export function lacksLetters(name: string): boolean {
  return name.includes("\ufffd");
}
