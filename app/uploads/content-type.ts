import { ownValue } from "#app/own-value.ts";

type Signature = { at: number; bytes: number[] };

const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0));

/** The bytes with which a file of each type starts, whatever its name. */
const SIGNATURES: Record<string, Signature[]> = {
  "image/png": [{ at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] }],
  "image/jpeg": [{ at: 0, bytes: [0xff, 0xd8, 0xff] }],
  "image/gif": [
    { at: 0, bytes: ascii("GIF87a") },
    { at: 0, bytes: ascii("GIF89a") },
  ],
  "image/webp": [{ at: 8, bytes: ascii("WEBP") }],
  "application/pdf": [{ at: 0, bytes: ascii("%PDF-") }],
  "video/mp4": [{ at: 4, bytes: ascii("ftyp") }],
  "video/quicktime": [
    { at: 4, bytes: ascii("ftypqt") },
    { at: 4, bytes: ascii("moov") },
    { at: 4, bytes: ascii("mdat") },
    { at: 4, bytes: ascii("wide") },
    { at: 4, bytes: ascii("free") },
  ],
  "video/webm": [{ at: 0, bytes: [0x1a, 0x45, 0xdf, 0xa3] }],
};

const [TAB, LINE_FEED, FORM_FEED, CARRIAGE_RETURN, SPACE] = [9, 10, 12, 13, 32];

/** Returns whether the part of a file at `offset` can be of that type. Checks all of a text, the start of others. */
export function fitsType(contentType: string, part: Uint8Array, offset: number): boolean {
  if (contentType.startsWith("text/")) return isText(part) && (offset > 0 || !isMarkup(part));
  if (offset > 0) return true;
  const known = ownValue(SIGNATURES, contentType) ?? [];
  return known.some(({ at, bytes }) => bytes.every((byte, index) => part[at + index] === byte));
}

/** UTF-8 and the one-byte encodings have no control characters; binary files that are named as text do. */
function isText(part: Uint8Array): boolean {
  for (const byte of part) {
    if (byte < SPACE && byte !== TAB && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== FORM_FEED)
      return false;
  }
  return true;
}

/** Returns whether a text starts like a page or a PDF. */
function isMarkup(part: Uint8Array): boolean {
  const start = new TextDecoder().decode(part.subarray(0, 256)).trimStart().toLowerCase();
  return /^(<!doctype|<html|<\?xml|<svg|<script|%pdf-|\{\\rtf|#!)/.test(start);
}
