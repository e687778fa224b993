import { addressParser } from "postal-mime";

/** One of the senders of a message. `email` is empty where a header names nobody. */
export type Sender = { email: string; name: string };

/** Characters of a header that are read. */
const MAX_HEADER = 4000;

/** Begins an encoded word of RFC 2047, such as `=?utf-8?Q?Gr=C3=BC=C3=9Fe?=`. A language may follow the charset: RFC 2231. */
const WORD_START = /=\?([^?*\s=]{1,40})(?:\*[\w-]{0,20})?\?([bq])\?/iy;

/** Names of charsets that mail programs write and the Encoding Standard doesn't know. */
const CHARSETS = new Map([
  ["cp932", "shift_jis"],
  ["cp936", "gbk"],
  ["cp949", "euc-kr"],
  ["cp950", "big5"],
]);

/** Decodes the encoded words of a subject. */
export function decodeWords(subject: string): string {
  return replaceWords(subject.slice(0, MAX_HEADER), (text) => text);
}

/**
 * Returns the first sender of a From header. What an encoded word or a quoted string holds is never an address, unless it is
 * the whole header. A comment names an address that has no other name. Text without an address becomes the email.
 */
export function parseSender(header: string): Sender {
  const from = header.slice(0, MAX_HEADER);
  const isWhole = replaceWords(from, () => "").trim() === "";
  const senders = addressesIn(isWhole ? from : withQuotedWords(from));
  const first = senders.findIndex(({ email }) => email !== "");
  // Unquoted, the comma in "Doe, J <j@x.example>" looks like one between two senders.
  const names = senders.slice(0, first + 1 || senders.length).map(({ name }) => name);
  const name = names.filter((one) => one !== "").join(", ");
  return { email: senders[first]?.email ?? name, name };
}

function addressesIn(header: string): Sender[] {
  return addressParser(header).flatMap((one) =>
    (one.group?.length ? one.group : [one]).map(({ address = "", name }) => ({
      email: address.trim(),
      name: name.trim(),
    })),
  );
}

/** Replaces encoded words by quoted strings, in which a comma or a bracket separates nothing. Programs also quote the words. */
function withQuotedWords(from: string): string {
  let result = "";
  let after = 0;
  for (let at = from.indexOf('"'); at !== -1; at = from.indexOf('"', after)) {
    const end = endOfQuoted(from, at);
    if (end === -1) break;
    const inside = from.slice(at + 1, end).replaceAll(/\\(.)/gs, "$1");
    result += replaceWords(from.slice(after, at), quote) + quote(replaceWords(inside, (text) => text));
    after = end + 1;
  }
  return result + replaceWords(from.slice(after), quote);
}

/** Returns where the quoted string that begins at `start` ends, or -1. */
function endOfQuoted(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at;
    if (text[at] === "\\") at++;
  }
  return -1;
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
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

type Word = { charset: string; bytes: number[]; end: number };

function wordAt(text: string, start: number): Word | null {
  WORD_START.lastIndex = start;
  const head = WORD_START.exec(text);
  if (!head) return null;
  const end = text.indexOf("?=", WORD_START.lastIndex);
  if (end === -1) return null;
  const [, charset = "", encoding = ""] = head;
  const coded = text.slice(WORD_START.lastIndex, end);
  const bytes = encoding.toLowerCase() === "b" ? [...Buffer.from(coded, "base64")] : quotedBytes(coded);
  return { charset: charset.toLowerCase(), bytes, end: end + 2 };
}

/** Decodes neighboring words. Programs cut a text between the bytes of a character, so those of one charset are joined first. */
function decodeRun(run: Word[]): string {
  const parts: { charset: string; bytes: number[] }[] = [];
  for (const { charset, bytes } of run) {
    const last = parts.at(-1);
    if (last?.charset === charset) last.bytes.push(...bytes);
    else parts.push({ charset, bytes });
  }
  return parts.map(({ charset, bytes }) => decodeBytes(Uint8Array.from(bytes), charset)).join("");
}

/** Decodes as declared. Bytes that are none of that charset, and those of an unknown one, are UTF-8 or else Windows-1252. */
function decodeBytes(bytes: Uint8Array, charset: string): string {
  for (const name of [CHARSETS.get(charset) ?? charset, "utf-8"]) {
    try {
      return new TextDecoder(name, { fatal: true }).decode(bytes);
    } catch {
      // The next one.
    }
  }
  const readable = new TextDecoder().decode(bytes);
  const hasOthers = /[^\0-\x7f\ufffd]/.test(readable);
  return hasOthers ? readable : new TextDecoder("windows-1252").decode(bytes);
}

function quotedBytes(text: string): number[] {
  const bytes: number[] = [];
  for (const [, hex, char = ""] of text.matchAll(/=([0-9a-f]{2})|(.)/gis)) {
    if (hex) bytes.push(Number.parseInt(hex, 16));
    else bytes.push(...new TextEncoder().encode(char === "_" ? " " : char));
  }
  return bytes;
}
