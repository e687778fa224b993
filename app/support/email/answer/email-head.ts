const [LF, CR] = [0x0a, 0x0d];
/** Several times what mail servers add to an answer. */
const HEAD_MAX_BYTES = 128 * 1024;
const HEAD_MAX_LINES = 2000;

/**
 * Returns the header of an email: its bytes up to the first empty line. Returns null for a longer one than any mail server
 * writes. Lines end at \n, as the parser sees them: what it reads in the header of the whole email is the same.
 */
export function headOf(raw: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  let lines = 0;
  let isEmpty = true;
  for (let at = 0; at < raw.byteLength; at++) {
    if (at >= HEAD_MAX_BYTES || lines >= HEAD_MAX_LINES) return null;
    const byte = raw[at];
    if (byte === LF && isEmpty) return raw.slice(0, at + 1);
    if (byte === LF) lines++;
    isEmpty = byte === LF || (isEmpty && byte === CR);
  }
  return raw.byteLength <= HEAD_MAX_BYTES ? raw : null;
}
