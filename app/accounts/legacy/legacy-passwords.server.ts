import bcrypt from "bcryptjs";
import { type HashCaller, hashInTurn } from "#app/accounts/password/hash-queue.server.ts";

const HASH_CHARACTERS = 60;
const MIN_ROUNDS = 4;
const MAX_ROUNDS = 31;
/** Each round doubles the time: 16 take about five seconds. With more, the platform ends the request. */
const MAX_COMPUTED_ROUNDS = 16;
const HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

export type LegacyCheck = { ok: true; matches: boolean; rounds: number } | { ok: false; message: string };

/** Checks a password against a hash of the previous system. A hash that cannot be checked never matches. */
export async function checkLegacyPassword(password: string, hash: string, caller: HashCaller): Promise<LegacyCheck> {
  return hashInTurn(caller, async () => {
    try {
      const rounds = readRounds(hash);
      return { ok: true, rounds, matches: await bcrypt.compare(password, hash) };
    } catch (error) {
      return { ok: false, message: error instanceof Error ? error.message : String(error) };
    }
  });
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
 * Pads a check of `done` rounds (null: no check) to the work of `target` rounds, so that every refused log-in takes the
 * same time.
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
  for (const rounds of missing) {
    await hashInTurn(caller, () =>
      bcrypt.compare(password, `$2b$${String(rounds).padStart(2, "0")}$${".".repeat(HASH_CHARACTERS - 7)}`),
    );
  }
}
