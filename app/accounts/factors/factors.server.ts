import { and, asc, count, eq, isNotNull, isNull } from "drizzle-orm";
import type { BatchResponse } from "drizzle-orm/batch";
import { requiresStaffFactor, type Viewer } from "#app/accounts/session/viewer.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { passkeys, recoveryCodes, totpSecrets } from "#app/db/schema.server.ts";

/** A passkey as its owner sees it. Times in ms. */
export type ListedPasskey = {
  id: string;
  name: string;
  isSynced: boolean;
  isSecondFactor: boolean;
  createdAt: number;
  lastUsedAt: number | null;
};
export type Factors = { passkeys: ListedPasskey[]; hasTotp: boolean; recoveryCodesLeft: number };

/** Returns what an account can prove its owner with, apart from the password. Unconfirmed setups don't count. */
export async function factorsOf(db: Db, userId: string): Promise<Factors> {
  return readFactors(await db.batch(selectFactors(db, userId)));
}

/** Builds the statements of `factorsOf`, for a batch that reads more. Pass the results to `readFactors`. */
export function selectFactors(db: Db, userId: string) {
  return [
    db
      .select({
        id: passkeys.id,
        name: passkeys.name,
        isSynced: passkeys.backedUp,
        isSecondFactor: passkeys.isSecondFactor,
        createdAt: passkeys.createdAt,
        lastUsedAt: passkeys.lastUsedAt,
      })
      .from(passkeys)
      .where(eq(passkeys.userId, userId))
      .orderBy(asc(passkeys.createdAt)),
    db
      .select({ userId: totpSecrets.userId })
      .from(totpSecrets)
      .where(and(eq(totpSecrets.userId, userId), isNotNull(totpSecrets.confirmedAt))),
    db
      .select({ left: count() })
      .from(recoveryCodes)
      .where(and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt))),
  ] as const;
}

export function readFactors([keys, totp, [codes]]: BatchResponse<ReturnType<typeof selectFactors>>): Factors {
  return { passkeys: keys, hasTotp: totp.length === 1, recoveryCodesLeft: codes?.left ?? 0 };
}

/** Returns whether a log-in by password must be followed by a second factor. */
export function hasSecondStep({ passkeys, hasTotp }: Pick<Factors, "passkeys" | "hasTotp">): boolean {
  return hasTotp || passkeys.some((passkey) => passkey.isSecondFactor);
}

/** Returns whether the account has any factor that can follow the password. Recovery codes alone are none. */
export function hasFactor({ passkeys, hasTotp }: Pick<Factors, "passkeys" | "hasTotp">): boolean {
  return hasTotp || passkeys.length > 0;
}

/**
 * Returns whether this session took no second step although the account has a factor to take it with. Then the password
 * alone would change or replace what protects the account from whoever knows it.
 */
export function lacksSecondStep({ isHeld, secondFactorAt }: Viewer, factors: Factors): boolean {
  return secondFactorAt === null && (isHeld ? hasFactor(factors) : hasSecondStep(factors));
}

/** Returns whether the last factor can't be removed, because the person's role requires one. */
export function mustKeepFactor(env: Env, { role, isHeld }: Viewer): boolean {
  return (isHeld || role !== "customer") && requiresStaffFactor(env);
}
