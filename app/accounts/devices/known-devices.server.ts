import { and, eq, exists, gt, inArray, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { DEVICE_MS, type Visit } from "#app/accounts/visit/visit.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { deleteInChunks } from "#app/db/delete-in-chunks.server.ts";
import { knownDevices, newDeviceAlerts, profiles } from "#app/db/schema.server.ts";
import { lookupEmail } from "#app/email-address.ts";

/** A device is a browser, recognized by a signed cookie with a random id. The cookie alone gives access to nothing. */

/** The longest unused is forgotten for the next one. */
export const MAX_KNOWN_DEVICES = 20;

/**
 * Returns the digest of this browser's device id if the account has logged in with it, and null otherwise. Guesses from
 * such a browser have limits of their own, so that nobody else can lock its owner out.
 */
export async function knownDevice(
  db: Db,
  visit: Pick<Visit, "deviceId">,
  { userId }: { userId: string },
): Promise<string | null> {
  const digest = deviceDigest(visit);
  if (digest === null) return null;
  const [history] = await db.select(deviceHistory(db, digest)).from(profiles).where(eq(profiles.userId, userId));
  return history?.isKnown ? digest : null;
}

/** The device that a visit names. `isKnown` matches where the account uses it: for the batch that counts its attempt. */
export type SentDevice = { digest: string; isKnown: SQL };

/** Returns the device of a visit about the account with this email, or null if it names none. */
export function sentDevice(db: Db, visit: Pick<Visit, "deviceId">, email: string): SentDevice | null {
  const digest = deviceDigest(visit);
  if (digest === null) return null;
  const owner = db
    .select({ userId: profiles.userId })
    .from(profiles)
    .where(eq(profiles.email, lookupEmail(email)));
  return { digest, isKnown: isKnownDevice(db, owner, digest) };
}

/** Returns the digest that a device is stored by, or null if the visit names none. */
export function deviceDigest({ deviceId }: Pick<Visit, "deviceId">): string | null {
  return deviceId === null ? null : sha256(deviceId);
}

/** Whether an account has logged in before, and whether it did so on this device. */
export type DeviceHistory = { hasDevices: boolean; isKnown: boolean };

/** Selects a `DeviceHistory` in a query of `profiles`. */
export function deviceHistory(db: Db, digest: string | null) {
  const owner = sql`${profiles.userId}`;
  return {
    hasDevices: hasDevice(db, owner).mapWith(Boolean).as("has_devices"),
    isKnown: isKnownDevice(db, owner, digest).mapWith(Boolean).as("is_known_device"),
  };
}

/** Matches where an account that `owner` selects has logged in with this device. */
export function isKnownDevice(db: Db, owner: SQLWrapper, digest: string | null): SQL {
  return hasDevice(db, owner, eq(knownDevices.deviceDigest, digest ?? ""));
}

function hasDevice(db: Db, owner: SQLWrapper, condition?: SQL): SQL {
  const devices = db.select({ one: sql`1` }).from(knownDevices);
  return exists(devices.where(and(sql`${knownDevices.userId} in (${owner})`, condition)));
}

/** Builds the statements that remember a log-in on a device, and forget the devices beyond the limit. */
export function rememberDevice(db: Db, userId: string, digest: string, now: number) {
  const kept = sql`select ${knownDevices.deviceDigest} from ${knownDevices} where ${knownDevices.userId} = ${userId}
    order by ${knownDevices.lastSeenAt} desc limit ${sql.raw(String(MAX_KNOWN_DEVICES))}`;
  return [
    db
      .insert(knownDevices)
      .values({ userId, deviceDigest: digest, firstSeenAt: now, lastSeenAt: now })
      .onConflictDoUpdate({
        target: [knownDevices.userId, knownDevices.deviceDigest],
        set: { lastSeenAt: now },
      }),
    db
      .delete(knownDevices)
      .where(and(eq(knownDevices.userId, userId), sql`${knownDevices.deviceDigest} not in (${kept})`)),
  ] as const;
}

/** Builds the statement that forgets all devices of the accounts that `owner` selects. */
export function forgetDevices(db: Db, owner: SQLWrapper) {
  return db.delete(knownDevices).where(sql`${knownDevices.userId} in (${owner})`);
}

/**
 * Builds the statement that voids the links about log-ins after the first one on this device, because whoever uses it
 * has just proved to know the account's password. A thief's device can't void the link about its own log-in. Links about
 * factors stay, because a thief may have added one on a known device.
 */
export function voidLaterAlerts(db: Db, userId: string, digest: string | null) {
  const firstSeen = db
    .select({ at: knownDevices.firstSeenAt })
    .from(knownDevices)
    .where(and(eq(knownDevices.userId, userId), eq(knownDevices.deviceDigest, digest ?? "")));
  return db
    .delete(newDeviceAlerts)
    .where(
      and(
        eq(newDeviceAlerts.userId, userId),
        eq(newDeviceAlerts.subject, "log_in"),
        gt(newDeviceAlerts.createdAt, sql`(${firstSeen})`),
      ),
    );
}

/** Selects the time, in ms, of the first announcement whose link still works, or null. `owner` selects a user id. */
export function firstAlertOf(db: Db, owner: SQLWrapper): SQL<number | null> {
  const { createdAt, userId, expiresAt } = newDeviceAlerts;
  const first = db
    .select({ at: sql`min(${createdAt})` })
    .from(newDeviceAlerts)
    .where(and(inArray(userId, owner), gt(expiresAt, Date.now())));
  return sql`(${first})`;
}

/** Deletes devices whose cookie has expired, and links that have. */
export async function deleteExpiredDevices(db: Db, now = Date.now()): Promise<void> {
  await deleteInChunks(db, knownDevices, lt(knownDevices.lastSeenAt, now - DEVICE_MS));
  await deleteInChunks(db, newDeviceAlerts, lt(newDeviceAlerts.expiresAt, now));
}
