/** One of the senders of a message. `email` is empty where a header names nobody. */
export type Sender = { email: string; name: string };

/** Characters of a header that are read. */
const MAX_HEADER = 4000;

/** Begins an encoded word of RFC 2047, such as `=?utf-8?Q?Gr=C3=BC=C3=9Fe?=`. A language may follow the charset: RFC 2231. */
const WORD_START = /=\?([^?*\s=]{1,40})(?:\*[\w-]{0,20})?\?([bq])\?/iy;

/** Ends one. An address ends it, too: a program closed the word only behind the address. */
const WORD_END = /\?=|\s(?=<)/g;

/** Names of charsets that mail programs write and the Encoding Standard doesn't know. The last two are Python's. */
const CHARSETS = new Map([
  ["cp932", "shift_jis"],
  ["cp936", "gbk"],
  ["cp949", "euc-kr"],
  ["cp950", "big5"],
  ["eucgb2312_cn", "gbk"],
  ["big5_tw", "big5"],
]);

/** Characters that separate the parts of a From header. Where they don't, noncharacters from U+FDD0 on stand for them. */
const SPECIALS = '"(),:;<>@\\';
const FIRST_STAND_IN = 0xfdd0;

/** Decodes the encoded words of a subject, into one line. */
export function decodeWords(subject: string): string {
  const text = replaceWords(subject.slice(0, MAX_HEADER), (decoded) => decoded);
  return text.replaceAll(/[\r\n]+\s*/g, " ").trim();
}

/**
 * Returns the first sender of a From header. What an encoded word or a quoted string holds is never an address, unless it is
 * the whole header. A comment is part of the name: programs don't quote the parentheses of a name. Text without an address
 * becomes the email.
 */
export function parseSender(header: string): Sender {
  const from = header.slice(0, MAX_HEADER);
  const isWhole = replaceWords(from, () => "").trim() === "";
  const senders = membersOf(mask(isWhole ? decodeWords(from) : from)).replaceAll(/\s?<[^<>@]*>/g, "");
  // Unquoted, a comma or a semicolon in a name looks like one between two senders.
  let before = "";
  for (const part of senders.split(/(?<=[,;])/)) {
    const found = addressIn(part);
    if (found) return { email: unmask(found.email), name: nameAround(before + found.before, found) };
    before += part;
  }
  const text = cleanPhrase(senders);
  return { email: text, name: text };
}

/** Returns the senders of a group, "Name: senders;", or its name if there are none. */
function membersOf(from: string): string {
  const [, name = "", senders = from] = /^([^:<@]*):(.*);$/s.exec(from.trim()) ?? [];
  return senders.trim() || name;
}

type Found = { email: string; before: string; after: string };

/** Finds the last address: one before it is part of the name. */
function addressIn(text: string): Found | null {
  const bare = text.matchAll(/[^\s<>,;\ufdd0-\ufdd9]+/g);
  const found = [...text.matchAll(/<[^<>]*>/g)].at(-1) ?? [...bare].findLast(([one]) => /.@./.test(one));
  if (found === undefined) return null;
  const email = found[0].replaceAll(/[<>]/g, "").trim();
  return { email, before: text.slice(0, found.index), after: text.slice(found.index + found[0].length) };
}

function nameAround(before: string, { email, after }: Found): string {
  const name = cleanPhrase(before) || cleanPhrase(after);
  return name === unmask(email) ? "" : name;
}

/** Returns a name as it is shown. Programs also encode the quotes around it. */
function cleanPhrase(phrase: string): string {
  const text = unmask(phrase.replace(/<[^<>]*$/, "").replaceAll(/^[\s,;]+|[,;]$/g, ""))
    .replaceAll(/\s+/g, " ")
    .trim();
  const [, inside = text] = /^"((?:[^"\\]|\\.)*)"$/.exec(text) ?? /^\(([^()]*)\)$/.exec(text) ?? [];
  return inside.replaceAll('\\"', '"').trim();
}

/** Decodes the words of a From header, and masks what separates nothing in them, in quoted strings and in comments. */
function mask(from: string): string {
  return replaceWords(from, maskAll)
    .replaceAll(/\\.|"((?:[^"\\]|\\.)*)"/gs, (all, quoted?: string) =>
      maskAll(quoted === undefined ? all : quoted.replaceAll(/\\(.)/gs, "$1")),
    )
    .replaceAll(/\([^()]*\)/g, maskAll);
}

function maskAll(text: string): string {
  return text.replaceAll(/["(),:;<>@\\]/g, (one) => String.fromCharCode(FIRST_STAND_IN + SPECIALS.indexOf(one)));
}

function unmask(text: string): string {
  return text.replaceAll(/[\ufdd0-\ufdd9]/g, (one) => SPECIALS.charAt(one.charCodeAt(0) - FIRST_STAND_IN));
}

/** Replaces each run of encoded words, with nothing but white space between them, by what `write` makes of its text. */
function replaceWords(text: string, write: (decoded: string) => string): string {
  let result = "";
  let after = 0;
  let run: Word[] = [];
  const flush = () => {
    if (run.length > 0) result += write(decodeRun(run));
    run = [];
  };
  for (let at = text.indexOf("=?"); at !== -1; at = text.indexOf("=?", Math.max(at + 1, after))) {
    const word = wordAt(text, at);
    if (word === null) continue;
    const between = text.slice(after, at);
    if (run.length === 0 || between.trim() !== "") {
      flush();
      result += between;
    }
    run.push(word);
    after = word.end;
  }
  flush();
  return result + text.slice(after);
}

/** A word as it was written. `end` is where the text after it begins. */
type Word = { charset: string; isBase64: boolean; coded: string; end: number };

function wordAt(text: string, start: number): Word | null {
  WORD_START.lastIndex = start;
  const head = WORD_START.exec(text);
  if (!head) return null;
  WORD_END.lastIndex = WORD_START.lastIndex;
  const tail = WORD_END.exec(text);
  if (!tail) return null;
  const [, charset = "", encoding = ""] = head;
  const coded = text.slice(WORD_START.lastIndex, tail.index);
  return { charset: charset.toLowerCase(), isBase64: /b/i.test(encoding), coded, end: tail.index + tail[0].length };
}

/**
 * Decodes neighboring words. Programs cut a text between the bytes of a character, so those of one charset are joined first.
 * Each word of ISO-2022-JP begins and ends in ASCII, and joined ones would not be valid.
 */
function decodeRun(run: Word[]): string {
  const parts: { charset: string; bytes: number[] }[] = [];
  for (const { charset, isBase64, coded } of withWholeLetters(run)) {
    const bytes = isBase64 ? [...Buffer.from(coded, "base64")] : quotedBytes(coded);
    const last = parts.at(-1);
    if (last?.charset === charset && !charset.startsWith("iso-2022")) last.bytes.push(...bytes);
    else parts.push({ charset, bytes });
  }
  return parts.map(({ charset, bytes }) => decodeBytes(Uint8Array.from(bytes), charset)).join("");
}

/** Joins words that were cut between the letters of one byte. No base64 ends with the first of four letters. */
function withWholeLetters(run: Word[]): Word[] {
  const words: Word[] = [];
  for (const word of run) {
    const last = words.at(-1);
    const isCut = last?.isBase64 && word.isBase64 && last.coded.length % 4 === 1 && !last.coded.endsWith("=");
    if (isCut) last.coded += word.coded;
    else words.push({ ...word });
  }
  return words;
}

/** Decodes as declared. Bytes that are none of that charset, and those of an unknown one, are UTF-8 or else Windows-1252. */
function decodeBytes(bytes: Uint8Array, charset: string): string {
  const declared = CHARSETS.get(charset) ?? charset;
  const whole = [declared, "utf-8"].map((name) => decodeAs(name, bytes, true)).find((text) => text !== null);
  const isReadable = (text: string | null) => /[^\0-\x7f\ufffd]/.test(text ?? "");
  const partly = () => [declared, "utf-8", "windows-1252"].map((name) => decodeAs(name, bytes, false)).find(isReadable);
  return whole ?? partly() ?? "";
}

function decodeAs(charset: string, bytes: Uint8Array, fatal: boolean): string | null {
  try {
    return new TextDecoder(charset, { fatal }).decode(bytes);
  } catch {
    return null;
  }
}

function quotedBytes(text: string): number[] {
  const bytes: number[] = [];
  for (const [, hex, char = ""] of text.matchAll(/=([0-9a-f]{2})|(.)/gis)) {
    if (hex) bytes.push(Number.parseInt(hex, 16));
    else bytes.push(...new TextEncoder().encode(char === "_" ? " " : char));
  }
  return bytes;
}
