import { eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { exportedColumns, exportedRows } from "#app/db/exported-columns.server.ts";
import {
  accountDeletions,
  authSessions,
  emailChanges,
  emailChangeUndos,
  importSkips,
  knownDevices,
  passkeys,
  profiles,
  recoveryCodes,
  securityEvents,
  tempMysqlPasswords,
  totpSecrets,
  users,
} from "#app/db/schema.server.ts";
import { addressDigest } from "#app/email/suppressions.server.ts";

/** Exports what the account tables hold about a person, as `exportedColumns` writes it. */
export async function exportAccount(db: Db, userId: string) {
  const { id, ...times } = exportedColumns(users);
  const [[account], sessions, changes, changed, keys, apps, codes, events, devices] = await db.batch([
    db
      .select({
        id,
        ...exportedColumns(profiles),
        ...times,
        ...exportedColumns(tempMysqlPasswords),
      })
      .from(users)
      .innerJoin(profiles, eq(profiles.userId, users.id))
      .leftJoin(tempMysqlPasswords, eq(tempMysqlPasswords.userId, users.id))
      .where(eq(users.id, userId)),
    exportedRows(db, authSessions, userId),
    exportedRows(db, emailChanges, userId),
    exportedRows(db, emailChangeUndos, userId),
    exportedRows(db, passkeys, userId),
    exportedRows(db, totpSecrets, userId),
    exportedRows(db, recoveryCodes, userId),
    exportedRows(db, securityEvents, userId),
    exportedRows(db, knownDevices, userId),
  ]);
  if (!account) throw new Error("account not found");
  return {
    account,
    sessions,
    emailChanges: changed,
    pendingEmailChanges: changes,
    passkeys: keys,
    authenticatorApp: apps,
    recoveryCodes: codes,
    knownDevices: devices,
    securityEvents: events,
  };
}

/**
 * Deletes the account itself and the record of its deletion. Foreign keys delete the rows that reference `users`. A digest
 * of the address stays, so that no import of the old system brings the person back.
 */
export async function deleteAccountRows(db: Db, userId: string): Promise<void> {
  const erased = await db.select({ email: users.email }).from(users).where(eq(users.id, userId)).limit(1);
  await db.batch([
    db.delete(users).where(eq(users.id, userId)),
    db.delete(accountDeletions).where(eq(accountDeletions.userId, userId)),
    ...erased.map(({ email }) =>
      db
        .insert(importSkips)
        .values({ addressDigest: addressDigest(email) })
        .onConflictDoNothing(),
    ),
  ]);
}
