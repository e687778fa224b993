import { eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { isoTime } from "#app/db/iso-time.ts";
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

/** Exports what the account tables hold about a person, without secrets and their digests. Times are ISO 8601. */
export async function exportAccount(db: Db, userId: string) {
  const [accounts, sessions, changes, changed, keys, apps, codes, events, devices] = await db.batch([
    db
      .select({
        id: users.id,
        email: profiles.email,
        fullName: profiles.fullName,
        role: profiles.role,
        createdAt: users.createdAt,
        emailConfirmedAt: users.emailConfirmedAt,
        legacyPasswordMigrated: tempMysqlPasswords.migrated,
      })
      .from(users)
      .innerJoin(profiles, eq(profiles.userId, users.id))
      .leftJoin(tempMysqlPasswords, eq(tempMysqlPasswords.userId, users.id))
      .where(eq(users.id, userId)),
    db
      .select({
        userAgent: authSessions.userAgent,
        createdAt: authSessions.createdAt,
        lastUsedAt: authSessions.lastUsedAt,
        expiresAt: authSessions.expiresAt,
        revokedAt: authSessions.revokedAt,
        verifiedAt: authSessions.verifiedAt,
        secondFactorAt: authSessions.secondFactorAt,
      })
      .from(authSessions)
      .where(eq(authSessions.userId, userId)),
    db
      .select({ newEmail: emailChanges.newEmail, expiresAt: emailChanges.expiresAt })
      .from(emailChanges)
      .where(eq(emailChanges.userId, userId)),
    db
      .select({
        oldEmail: emailChangeUndos.oldEmail,
        createdAt: emailChangeUndos.createdAt,
        expiresAt: emailChangeUndos.expiresAt,
        usedAt: emailChangeUndos.usedAt,
      })
      .from(emailChangeUndos)
      .where(eq(emailChangeUndos.userId, userId)),
    db
      .select({
        name: passkeys.name,
        deviceType: passkeys.deviceType,
        backedUp: passkeys.backedUp,
        isSecondFactor: passkeys.isSecondFactor,
        createdAt: passkeys.createdAt,
        lastUsedAt: passkeys.lastUsedAt,
      })
      .from(passkeys)
      .where(eq(passkeys.userId, userId)),
    db
      .select({ createdAt: totpSecrets.createdAt, confirmedAt: totpSecrets.confirmedAt })
      .from(totpSecrets)
      .where(eq(totpSecrets.userId, userId)),
    db
      .select({ createdAt: recoveryCodes.createdAt, usedAt: recoveryCodes.usedAt })
      .from(recoveryCodes)
      .where(eq(recoveryCodes.userId, userId)),
    db
      .select({
        kind: securityEvents.kind,
        createdAt: securityEvents.createdAt,
        device: securityEvents.device,
        network: securityEvents.network,
        detail: securityEvents.detail,
      })
      .from(securityEvents)
      .where(eq(securityEvents.userId, userId)),
    db
      .select({ firstSeenAt: knownDevices.firstSeenAt, lastSeenAt: knownDevices.lastSeenAt })
      .from(knownDevices)
      .where(eq(knownDevices.userId, userId)),
  ]);
  const [account] = accounts;
  if (!account) throw new Error("account not found");
  return {
    account: {
      ...account,
      createdAt: isoTime(account.createdAt),
      emailConfirmedAt: isoTime(account.emailConfirmedAt),
    },
    sessions: sessions.map((session) => ({
      userAgent: session.userAgent,
      createdAt: isoTime(session.createdAt),
      lastUsedAt: isoTime(session.lastUsedAt),
      expiresAt: isoTime(session.expiresAt),
      revokedAt: isoTime(session.revokedAt),
      verifiedAt: isoTime(session.verifiedAt),
      secondFactorAt: isoTime(session.secondFactorAt),
    })),
    emailChanges: changed.map(({ oldEmail, createdAt, expiresAt, usedAt }) => ({
      oldEmail,
      createdAt: isoTime(createdAt),
      undoUntil: isoTime(expiresAt),
      undoneAt: isoTime(usedAt),
    })),
    pendingEmailChanges: changes.map((change) => ({ ...change, expiresAt: isoTime(change.expiresAt) })),
    passkeys: keys.map((key) => ({
      ...key,
      createdAt: isoTime(key.createdAt),
      lastUsedAt: isoTime(key.lastUsedAt),
    })),
    authenticatorApp: apps.map((app) => ({ createdAt: isoTime(app.createdAt), confirmedAt: isoTime(app.confirmedAt) })),
    recoveryCodes: codes.map((code) => ({ createdAt: isoTime(code.createdAt), usedAt: isoTime(code.usedAt) })),
    knownDevices: devices.map((device) => ({
      firstSeenAt: isoTime(device.firstSeenAt),
      lastSeenAt: isoTime(device.lastSeenAt),
    })),
    securityEvents: events.map((event) => ({ ...event, createdAt: isoTime(event.createdAt) })),
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
