export type TableEncoding = "UTF-8" | "UTF-16" | "Windows-1252";

/** Letters that no byte order mark or UTF-8 explains may be of any older encoding. More than two in a row are none of Western Europe. */
const MAX_WESTERN_RUN = 2;
/** Þ, þ, Ð, ð, Ý and ý are Turkish letters in Windows-1254; × and ÷ are none. */
const NO_WESTERN_LETTERS = new Set([0xd0, 0xd7, 0xdd, 0xde, 0xf0, 0xf7, 0xfd, 0xfe]);
/** …, quotation marks and dashes, which most of the Windows encodings share. */
const SHARED_MARKS = new Set([0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97]);
const OPENING_MARKS = new Set([0x91, 0x93]);
const CLOSING_DOUBLE_MARK = 0x94;
const EN_DASH = 0x96;
/** ® stands right behind a word in all of the Windows encodings. */
const REGISTERED = 0xae;
const MAC_LINE = /^[^\r\n]*\r(?!\n)/;

/**
 * Decodes a table that a program wrote: UTF-8, UTF-16 with its mark, or Windows-1252 if it can be told from the bytes.
 * Otherwise `encoding` is null, and what is not UTF-8 is U+FFFD in `text`.
 */
export function readTableText(bytes: Uint8Array): { text: string; encoding: TableEncoding | null } {
  const [one, two] = bytes;
  if (one === 0xff && two === 0xfe) return decoded("utf-16le", "UTF-16", bytes);
  if (one === 0xfe && two === 0xff) return decoded("utf-16be", "UTF-16", bytes);
  const utf8 = decoded("utf-8", "UTF-8", bytes);
  if (utf8.encoding !== null || hasMacLines(utf8.text) || !isWestern(bytes)) return utf8;
  return decoded("windows-1252", "Windows-1252", bytes);
}

/** Returns whether lines end with a carriage return alone, as only programs on a Mac write them. Its own encoding is Mac OS Roman. */
export function hasMacLines(text: string): boolean {
  return MAC_LINE.test(text.trimStart());
}

function decoded(label: string, encoding: TableEncoding, bytes: Uint8Array) {
  try {
    return { text: new TextDecoder(label, { fatal: true }).decode(bytes), encoding };
  } catch {
    return { text: new TextDecoder(label).decode(bytes), encoding: null };
  }
}

/**
 * Returns whether bytes outside ASCII can only be letters and marks of Western Europe. Polish, Turkish, Cyrillic, Greek or
 * Asian text, Mac OS Roman and files of two encodings have others, or those letters in other places.
 */
function isWestern(bytes: Uint8Array): boolean {
  let run = 0;
  for (const [at, byte] of bytes.entries()) {
    if (byte < 0x80) {
      run = 0;
      continue;
    }
    const before = bytes[at - 1] ?? 0;
    const after = bytes[at + 1] ?? 0;
    run++;
    if (run > MAX_WESTERN_RUN || isUtf8Pair(byte, after)) return false;
    if (SHARED_MARKS.has(byte)) {
      if (isLetterOfAnother(byte, before, after)) return false;
      continue;
    }
    if (isLetter(byte)) {
      // A capital inside a word is a small letter of Mac OS Roman or MS-DOS.
      if (byte < 0xdf && isSmallLetter(before) && isSmallLetter(after)) return false;
      continue;
    }
    if (byte === REGISTERED && before < 0x80 && !isLetter(after)) continue;
    if (byte < 0xa0 && byte !== 0x80) return false;
    if (byte >= 0xc0 || isLetter(before) || isLetter(after)) return false;
  }
  return true;
}

/** Returns whether a mark stands where nobody types one. Mac OS Roman and MS-DOS have letters in its place. */
function isLetterOfAnother(mark: number, before: number, after: number): boolean {
  if (OPENING_MARKS.has(mark)) return isLetter(before);
  if (mark === CLOSING_DOUBLE_MARK) return isLetter(after);
  return mark === EN_DASH && isLetter(before) && isSmallLetter(after);
}

/** Returns whether two bytes are a character of UTF-8. As Windows-1252 they would be a letter before a sign, as in "Ã©". */
function isUtf8Pair(byte: number, after: number): boolean {
  return byte >= 0xc2 && byte <= 0xf4 && after >= 0x80 && after <= 0xbf;
}

function isLetter(byte: number): boolean {
  if (byte >= 0xc0) return !NO_WESTERN_LETTERS.has(byte);
  return isSmallLetter(byte) || (byte >= 0x41 && byte <= 0x5a);
}

function isSmallLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0xdf && !NO_WESTERN_LETTERS.has(byte));
}

/** Names of the separators between the cells of a line. */
export const SEPARATOR_NAMES = { "|": "bars", "\t": "tabs", ";": "semicolons", ",": "commas" };
export type Separator = keyof typeof SEPARATOR_NAMES;

/** Returns the separator that Excel's first line `sep=;` states, and the text with that line empty, so that lines keep their numbers. */
export function withoutSeparatorLine(text: string): { text: string; separator: Separator | null } {
  const found = /^\uFEFF?"?sep=([,;|\t])"?[ \t]*(?=\r|\n|$)/i.exec(text);
  return {
    text: found ? text.slice(found[0].length) : text,
    separator: (found?.[1] ?? null) as Separator | null,
  };
}
