import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/** N·r·p must stay within 2^20: the platform refuses more. */
export const SCRYPT = { N: 2 ** 14, r: 8, p: 5 } as const;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** The algorithm and its parameters are stored with the hash: `scrypt$N$r$p$salt$key`, base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, SCRYPT);
  return ["scrypt", SCRYPT.N, SCRYPT.r, SCRYPT.p, salt.toString("base64"), key.toString("base64")].join("$");
}

/** False for a hash that is missing or not ours, after the same time that a real comparison takes. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const parsed = parseHash(stored);
  const key = await derive(password, parsed?.salt ?? DUMMY_SALT, parsed ?? SCRYPT);
  return parsed !== null && timingSafeEqual(key, parsed.key);
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
    // NFKC, so that the same password typed on two keyboards is one password.
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, { N, r, p }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
