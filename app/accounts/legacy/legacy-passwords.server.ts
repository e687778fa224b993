import bcrypt from "bcryptjs";
import { type HashCaller, hashInTurn } from "#app/accounts/password/hash-queue.server.ts";

const HASH_CHARACTERS = 60;
const MIN_ROUNDS = 4;
const MAX_ROUNDS = 31;
/** Each round doubles the time: 16 take about five seconds. With more, the platform ends the request. */
const MAX_COMPUTED_ROUNDS = 16;
/** Spellings of one password that are checked at most. Together they take no more than a check of the most rounds. */
const MAX_SPELLINGS = 3;
/** Grave, acute, tilde, hook and dot below. */
const TONE_MARKS = /[\u0300\u0301\u0303\u0309\u0323]/g;
/** bcrypt ignores the bytes after these. */
const HASHED_BYTES = 72;
const HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

export type LegacyCheck = { ok: true; matches: boolean; rounds: number } | { ok: false; message: string };

/**
 * Checks a password against a hash of the previous system, in the spellings that its rounds leave time for. A hash that
 * cannot be checked never matches.
 */
export async function checkLegacyPassword(password: string, hash: string, caller: HashCaller): Promise<LegacyCheck> {
  try {
    const rounds = readRounds(hash);
    let matches = false;
    for (const spelling of spellingsWithin(password, rounds)) {
      matches ||= await hashInTurn(caller, () => bcrypt.compare(spelling, hash));
    }
    return { ok: true, rounds, matches };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Returns the ways to encode what was typed, the likeliest first: as it arrived, then composed, decomposed, as one keyboard
 * writes it, and without compatibility letters, where those differ. Keyboards, browsers and what is pasted give "ü" as one
 * character or as two, and the previous system hashed what arrived. ASCII has one spelling.
 */
export function spellingsOf(password: string): string[] {
  if (/^\p{ASCII}*$/u.test(password)) return [password];
  const [nfc = "", nfd = "", nfkc = ""] = ["NFC", "NFD", "NFKC"].map((form) => password.normalize(form));
  const spellings = new Map<string, string>();
  for (const spelling of [password, nfc, nfd, withTonesApart(nfd), nfkc]) {
    const hashed = Buffer.from(spelling).subarray(0, HASHED_BYTES).toString("base64");
    if (!spellings.has(hashed)) spellings.set(hashed, spelling);
  }
  return [...spellings.values()].slice(0, MAX_SPELLINGS);
}

/**
 * Returns a decomposed text as the Vietnamese keyboard of Windows writes it: tone marks on their own, as in code page 1258,
 * other marks composed with their letter. http://archives.miloush.net/michkap/archive/2005/11/11/491349.html
 */
function withTonesApart(nfd: string): string {
  return nfd.replaceAll(/(\P{M})(\p{M}+)/gu, (_, letter: string, marks: string) => {
    const tones = marks.match(TONE_MARKS) ?? [];
    return (letter + marks.replaceAll(TONE_MARKS, "")).normalize("NFC") + tones.join("");
  });
}

/** Returns the spellings to check at a number of rounds, at least the first. */
function spellingsWithin(password: string, rounds: number): string[] {
  return spellingsOf(password).slice(0, 2 ** (MAX_COMPUTED_ROUNDS - rounds));
}

/** Returns the salt rounds of a bcrypt hash. Throws if it is malformed or too expensive to check. */
export function readRounds(hash: string): number {
  if (hash.length !== HASH_CHARACTERS) throw new Error(`Illegal hash length: ${hash.length} != ${HASH_CHARACTERS}`);
  const rounds = Number(HASH.exec(hash)?.[1] ?? Number.NaN);
  if (Number.isNaN(rounds)) throw new Error("Not a bcrypt hash");
  if (rounds < MIN_ROUNDS || rounds > MAX_ROUNDS) {
    throw new Error(`Illegal number of rounds (${MIN_ROUNDS}-${MAX_ROUNDS}): ${rounds}`);
  }
  if (rounds > MAX_COMPUTED_ROUNDS) throw new Error(`Too many rounds to compute: ${rounds} > ${MAX_COMPUTED_ROUNDS}`);
  return rounds;
}

/**
 * Pads a check of `done` rounds (null: no check) to the work of `target` rounds, for each spelling that is checked, so that
 * every refused log-in with this password takes the same time.
 */
export async function padBcryptWork(
  password: string,
  done: number | null,
  target: number | null,
  caller: HashCaller,
): Promise<void> {
  if (target === null) return;
  // Each round doubles the work: 2^done + 2^done + 2^(done+1) + … + 2^(target-1) = 2^target.
  const missing = done === null ? [target] : Array.from({ length: Math.max(0, target - done) }, (_, i) => done + i);
  for (const spelling of spellingsWithin(password, target)) {
    for (const rounds of missing) {
      await hashInTurn(caller, () =>
        bcrypt.compare(spelling, `$2b$${String(rounds).padStart(2, "0")}$${".".repeat(HASH_CHARACTERS - 7)}`),
      );
    }
  }
}
