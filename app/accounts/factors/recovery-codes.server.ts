import { randomBytes } from "node:crypto";
import { and, eq, isNull, sql } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { isSessionOpen, type SessionOwner } from "#app/db/open-session.server.ts";
import { recoveryCodes } from "#app/db/schema.server.ts";

export const RECOVERY_CODES = 10;
/** 120 bits. OWASP ASVS 5.0 (6.5.2) lets a plain digest store 112 bits and more. */
const CODE_BYTES = 15;
/** Crockford's base 32: no letter looks like a digit. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const GROUP = /.{4}/g;

/**
 * Generates ten codes, and the statements that replace all earlier ones, unless the session that asks for them has ended:
 * an emailed link removes only what is there. The second statement returns what it stored. The codes can't be read again.
 */
export function newRecoveryCodes(db: Db, owner: SessionOwner, now = Date.now()) {
  const { userId } = owner;
  const codes = Array.from({ length: RECOVERY_CODES }, newCode);
  const digests = JSON.stringify(codes.map((code) => digestOf(userId, code)));
  const isOpen = isSessionOpen(owner);
  const statements = [
    db.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, userId), isOpen)),
    db
      .insert(recoveryCodes)
      .select(sql`select value, ${userId}, cast(${now} as integer), null from json_each(${digests}) where ${isOpen}`)
      .returning({ digest: recoveryCodes.digest }),
  ] as const;
  return { codes, statements };
}

/** Uses a code up. Returns false if it is wrong or used already. One statement, so that a parallel use passes once. */
export async function spendRecoveryCode(db: Db, userId: string, typed: string, now = Date.now()): Promise<boolean> {
  const used = await db
    .update(recoveryCodes)
    .set({ usedAt: now })
    .where(
      and(
        eq(recoveryCodes.digest, digestOf(userId, typed)),
        eq(recoveryCodes.userId, userId),
        isNull(recoveryCodes.usedAt),
      ),
    )
    .returning({ digest: recoveryCodes.digest });
  return used.length === 1;
}

function newCode(): string {
  let bits = BigInt(`0x${randomBytes(CODE_BYTES).toString("hex")}`);
  let code = "";
  for (let i = 0; i < (CODE_BYTES * 8) / 5; i++, bits >>= 5n) code += ALPHABET[Number(bits & 31n)];
  return code.match(GROUP)?.join("-") ?? code;
}

/** Reads a typed code as Crockford says: case, spaces and hyphens don't matter, O is 0, and I and L are 1. */
function digestOf(userId: string, typed: string): string {
  const code = typed.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");
  return sha256(`recovery code:${userId}:${code}`);
}
