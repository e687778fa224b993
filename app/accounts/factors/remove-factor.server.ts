import { and, eq, exists, isNotNull, ne, not, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { isSessionOpen, type SessionOwner } from "#app/db/open-session.server.ts";
import { passkeys, recoveryCodes, totpSecrets } from "#app/db/schema.server.ts";

/** `unknown`: the account has no such factor, or the session has ended. `last_factor`: the account must keep one. */
export type FactorRemoval = { ok: true; name: string } | { ok: false; reason: "unknown" | "last_factor" };

/** Removes a passkey. With `mustKeepOne`, never the last factor: one statement decides, so that two can't remove both. */
export async function removePasskey(
  db: Db,
  owner: SessionOwner,
  id: string,
  mustKeepOne: boolean,
): Promise<FactorRemoval> {
  const { userId } = owner;
  const own = and(eq(passkeys.id, id), eq(passkeys.userId, userId), isSessionOpen(owner));
  const others = or(exists(passkeysOf(db, userId, ne(passkeys.id, id))), exists(confirmedTotpOf(db, userId)));
  const [removed] = await db.batch([
    db
      .delete(passkeys)
      .where(and(own, mustKeepOne ? others : undefined))
      .returning({ name: passkeys.name }),
    removeUselessCodes(db, userId),
  ]);
  if (removed[0]) return { ok: true, name: removed[0].name };
  const [left] = await db.select({ id: passkeys.id }).from(passkeys).where(own).limit(1);
  return { ok: false, reason: left ? "last_factor" : "unknown" };
}

/** Removes the authenticator app. With `mustKeepOne`, never the last factor. */
export async function removeTotp(db: Db, owner: SessionOwner, mustKeepOne: boolean): Promise<FactorRemoval> {
  const { userId } = owner;
  const own = and(eq(totpSecrets.userId, userId), isNotNull(totpSecrets.confirmedAt), isSessionOpen(owner));
  const [removed] = await db.batch([
    db
      .delete(totpSecrets)
      .where(and(own, mustKeepOne ? exists(passkeysOf(db, userId)) : undefined))
      .returning({ userId: totpSecrets.userId }),
    removeUselessCodes(db, userId),
  ]);
  if (removed[0]) return { ok: true, name: "" };
  const [left] = await db.select({ userId: totpSecrets.userId }).from(totpSecrets).where(own).limit(1);
  return { ok: false, reason: left ? "last_factor" : "unknown" };
}

/** Deletes the recovery codes of an account without any factor: nothing asks for them. */
function removeUselessCodes(db: Db, userId: string) {
  return db
    .delete(recoveryCodes)
    .where(
      and(
        eq(recoveryCodes.userId, userId),
        not(exists(passkeysOf(db, userId))),
        not(exists(confirmedTotpOf(db, userId))),
      ),
    );
}

function passkeysOf(db: Db, userId: string, condition?: SQL) {
  return db
    .select({ one: sql`1` })
    .from(passkeys)
    .where(and(eq(passkeys.userId, userId), condition));
}

function confirmedTotpOf(db: Db, userId: string) {
  return db
    .select({ one: sql`1` })
    .from(totpSecrets)
    .where(and(eq(totpSecrets.userId, userId), isNotNull(totpSecrets.confirmedAt)));
}
