/** Crockford's base 32, without letters that look like digits. Each character holds 5 random bits. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Characters between two hyphens, and those that a list shows of a code: its last ones. */
export const CODE_GROUP = 4;

/** Returns a random code of so many characters: "7KQX-M2VD-90ZT". */
export function randomCode(characters: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(characters));
  // 256 is a multiple of 32, so every character is equally likely.
  const text = Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return (text.match(new RegExp(`.{${CODE_GROUP}}`, "g")) ?? []).join("-");
}
