import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { type HashCaller, hashInTurn } from "./hash-queue.server.ts";

/** N·r·p must stay within 2^20: the platform refuses more. */
export const SCRYPT = { N: 2 ** 14, r: 8, p: 5 } as const;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** Hashes a password as `scrypt$N$r$p$salt$key`, in base64: algorithm and parameters are stored with it. */
export async function hashPassword(password: string, caller: HashCaller): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await hashInTurn(caller, () => derive(password, salt, SCRYPT));
  return ["scrypt", SCRYPT.N, SCRYPT.r, SCRYPT.p, salt.toString("base64"), key.toString("base64")].join("$");
}

/** Checks a password. Returns false for a missing or foreign hash, after the time of a real comparison. */
export async function verifyPassword(password: string, stored: string | null, caller: HashCaller): Promise<boolean> {
  const parsed = parseHash(stored);
  const key = await hashInTurn(caller, () => derive(password, parsed?.salt ?? DUMMY_SALT, parsed ?? SCRYPT));
  return parsed !== null && timingSafeEqual(key, parsed.key);
}

/** Returns whether the hash was made with other parameters than `hashPassword` uses. */
export function isOutdatedHash(stored: string): boolean {
  const parsed = parseHash(stored);
  return parsed === null || parsed.N !== SCRYPT.N || parsed.r !== SCRYPT.r || parsed.p !== SCRYPT.p;
}

const DUMMY_SALT = Buffer.alloc(SALT_BYTES, 7);

function parseHash(stored: string | null) {
  const [algorithm, N, r, p, salt, key] = stored?.split("$") ?? [];
  if (algorithm !== "scrypt" || !salt || !key) return null;
  const keyBytes = Buffer.from(key, "base64");
  if (keyBytes.length !== KEY_BYTES) return null;
  return { N: Number(N), r: Number(r), p: Number(p), salt: Buffer.from(salt, "base64"), key: keyBytes };
}

function derive(password: string, salt: Buffer, { N, r, p }: { N: number; r: number; p: number }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // NFKC, because keyboards encode the same character differently.
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, { N, r, p }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
