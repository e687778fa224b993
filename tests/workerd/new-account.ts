import { env } from "cloudflare:workers";
import { randomBytes, scryptSync } from "node:crypto";
import { asc, eq } from "drizzle-orm";
import { unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { SCRYPT } from "#app/accounts/password/password-hash.server.ts";
import {
  checkCredentials as checkAccount,
  selectAccount,
  selectTargetRounds,
} from "#app/accounts/sign-in/check-credentials.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import {
  authSessions,
  emailChanges,
  emails,
  emailVerifications,
  knownDevices,
  newDeviceAlerts,
  passkeys,
  passwordResets,
  profiles,
  type Role,
  recoveryCodes,
  securityEvents,
  staffSetupLinks,
  tempMysqlPasswords,
  totpSecrets,
  users,
  wallets,
} from "#app/db/schema.server.ts";

export const PASSWORD = "correct horse battery";
const CHEAP = { N: 16, r: 1, p: 1 };
const DEPLOYED = { ...SCRYPT };

/**
 * Creates an account with `PASSWORD` and a new email address, which counts as confirmed by default. A password takes no time
 * to check, except by the built pages: there the right one takes a tenth of a second, because its hash is replaced.
 */
export async function newAccount(
  role: Role = "customer",
  fullName = "Test Customer",
  emailConfirmedAt: number | null = 1,
): Promise<{ userId: string; email: string }> {
  const { userId, email, rows } = newAccountRows(role, fullName, emailConfirmedAt);
  await connect(env.DB).batch(rows);
  return { userId, email };
}

/** The rows of `newAccount`, for a batch that stores more. */
export function newAccountRows(
  role: Role = "customer",
  fullName = "Test Customer",
  emailConfirmedAt: number | null = 1,
) {
  return accountRows({ passwordHash: cheapHash(), emailConfirmedAt, createdAt: Date.now() }, { role, fullName });
}

function accountRows(
  { id: userId = crypto.randomUUID(), ...columns }: Partial<typeof users.$inferInsert>,
  profile: { role: Role; fullName?: string },
  email = `${crypto.randomUUID()}@test.example`,
) {
  const db = connect(env.DB);
  const rows = [
    db.insert(users).values({ id: userId, email, createdAt: Date.now(), emailConfirmedAt: 1, ...columns }),
    db.insert(profiles).values({ userId, email, ...profile }),
    db.insert(wallets).values({ userId }),
  ] as const;
  return { userId, email, rows };
}

/**
 * Has what a test calls itself hash passwords at no cost. Each test file begins so. The built pages, which a test opens by an
 * address, hash as in production.
 */
export function hashCheaply(): void {
  Object.assign(SCRYPT, CHEAP);
}

/** Has what a test calls itself hash passwords as in production, for tests of the hashes themselves. */
export function hashAsDeployed(): void {
  Object.assign(SCRYPT, DEPLOYED);
}

/** The hash of `PASSWORD` as in production, made at its first use. */
let currentHash: string | undefined;

/** The same as `newAccount`, for a test of what a log-in by the built pages costs: its hash isn't replaced. */
export async function accountWithCurrentHash(): Promise<{ userId: string; email: string }> {
  currentHash ??= scryptHash(PASSWORD, DEPLOYED);
  const { userId, email, rows } = accountRows({ passwordHash: currentHash }, { role: "customer" });
  await connect(env.DB).batch(rows);
  return { userId, email };
}

/** Checks an email and a password as a log-in does, without limits. */
export async function checkCredentials(db: Db, { email, password }: { email: string; password: string }) {
  const [[account], [target]] = await db.batch([selectAccount(db, email, null), selectTargetRounds(db)]);
  const checked = await checkAccount(db, { account, target, password }, unlimitedCaller());
  if (!checked.ok) return checked;
  const { how, passwordHash } = checked;
  return { ok: true, userId: checked.account.userId, how, passwordHash } as const;
}

/** Creates an account without a password, which takes no time to hash. Its email address counts as confirmed by default. */
export async function accountWithoutPassword(
  given: Partial<typeof users.$inferInsert> & { role?: Role } = {},
): Promise<{ userId: string; email: string }> {
  const { role = "customer", id = crypto.randomUUID(), ...columns } = given;
  const { userId, email, rows } = accountRows({ id, ...columns }, { role }, `${id}@test.example`);
  await connect(env.DB).batch(rows);
  return { userId, email };
}

/** Stores an account with a hash that matches no password. */
export async function storedAccount(
  role: Role = "customer",
  given: StoredColumns = {},
): Promise<{ userId: string; email: string }> {
  const { userId, email, rows } = storedAccountRows(role, given);
  await connect(env.DB).batch(rows);
  return { userId, email };
}

export type StoredColumns = { passwordHash?: string | null; emailConfirmedAt?: number | null };

/** The rows of `storedAccount`, for a batch that stores more. */
export function storedAccountRows(role: Role = "customer", given: StoredColumns = {}) {
  const id = crypto.randomUUID();
  const columns = { id, passwordHash: "a hash", createdAt: 1, ...given };
  return accountRows(columns, { role, fullName: "Test Customer" }, `${id}@test.example`);
}

/** Hashes a password with parameters that take no time. The built pages replace such a hash at a log-in. */
export function cheapHash(password = PASSWORD): string {
  return scryptHash(password, CHEAP);
}

function scryptHash(password: string, cost: typeof CHEAP): string {
  const salt = randomBytes(16);
  const key = scryptSync(password, salt, 32, cost);
  return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64"), key.toString("base64")].join("$");
}

const LATER = Date.now() + 24 * 60 * 60_000;
const QUEUED = ["address_confirmation", "factor_notice", "password_reset", "staff_setup"] as const;

/** What opens an account, and what waits in its mailbox, as `addAccess` stores it. */
export const WHOLE_ACCESS = {
  passwordHash: "a hash",
  legacyHash: "a legacy hash",
  sessions: 1,
  resets: 1,
  emailChanges: 1,
  emailVerifications: 1,
  devices: 1,
  alerts: ["factor", "log_in"],
  setupLinks: ["emailed"],
  passkeys: [1000, 2000],
  apps: [2000],
  recoveryCodes: [1000],
  queued: [...QUEUED],
  events: [] as string[],
};

/** Gives an account one of everything that opens it. Its factors were added at 1,000 and 2,000 ms. */
export async function addAccess(userId: string): Promise<void> {
  const db = connect(env.DB);
  const id = () => crypto.randomUUID();
  const key = { userId, publicKey: "", signCount: 0, name: "Key", deviceType: "singleDevice" } as const;
  const alert = { userId, createdAt: 1500, expiresAt: LATER };
  const email = { userId, recipient: `${userId}@test.example`, sealedContent: "", expiresAt: LATER, createdAt: 1 };
  const times = { expiresAt: LATER, createdAt: 1, lastUsedAt: Date.now(), verifiedAt: 1 };
  await db.batch([
    db.insert(tempMysqlPasswords).values({ userId, mysqlPasswordHash: "a legacy hash" }),
    db.insert(authSessions).values({ id: id(), userId, ...times }),
    db.insert(passwordResets).values({ tokenDigest: id(), userId, expiresAt: LATER }),
    db.insert(emailChanges).values({ tokenDigest: id(), userId, newEmail: `${id()}@test.example`, expiresAt: LATER }),
    db.insert(emailVerifications).values({ tokenDigest: id(), userId, email: email.recipient, expiresAt: LATER }),
    db.insert(knownDevices).values({ userId, deviceDigest: id(), firstSeenAt: 1, lastSeenAt: 1 }),
    db.insert(newDeviceAlerts).values([
      { ...alert, tokenDigest: id(), subject: "log_in" },
      { ...alert, tokenDigest: id(), subject: "factor" },
    ]),
    db.insert(staffSetupLinks).values({ userId, tokenDigest: id(), isEmailed: true, expiresAt: LATER }),
    db.insert(passkeys).values([
      { ...key, id: id(), backedUp: false, isSecondFactor: true, createdAt: 1000 },
      { ...key, id: id(), backedUp: false, isSecondFactor: true, createdAt: 2000 },
    ]),
    db.insert(totpSecrets).values({ userId, sealedSecret: "", createdAt: 2000, confirmedAt: 2000 }),
    db.insert(recoveryCodes).values({ digest: id(), userId, createdAt: 1000 }),
    ...QUEUED.map((kind) => db.insert(emails).values({ ...email, id: id(), kind, nextAttemptAt: LATER })),
  ]);
}

/** Reads what still opens an account. Ended sessions, used links and sent emails don't. */
export async function accessOf(userId: string): Promise<typeof WHOLE_ACCESS> {
  const db = connect(env.DB);
  const [
    user,
    legacy,
    sessions,
    resets,
    changes,
    verifications,
    devices,
    alerts,
    links,
    keys,
    apps,
    codes,
    mail,
    events,
  ] = await db.batch([
    db.select().from(users).where(eq(users.id, userId)),
    db.select().from(tempMysqlPasswords).where(eq(tempMysqlPasswords.userId, userId)),
    db.select().from(authSessions).where(eq(authSessions.userId, userId)),
    db.select().from(passwordResets).where(eq(passwordResets.userId, userId)),
    db.select().from(emailChanges).where(eq(emailChanges.userId, userId)),
    db.select().from(emailVerifications).where(eq(emailVerifications.userId, userId)),
    db.select().from(knownDevices).where(eq(knownDevices.userId, userId)),
    db.select().from(newDeviceAlerts).where(eq(newDeviceAlerts.userId, userId)).orderBy(asc(newDeviceAlerts.subject)),
    db.select().from(staffSetupLinks).where(eq(staffSetupLinks.userId, userId)),
    db.select().from(passkeys).where(eq(passkeys.userId, userId)).orderBy(asc(passkeys.createdAt)),
    db.select().from(totpSecrets).where(eq(totpSecrets.userId, userId)),
    db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, userId)),
    db.select().from(emails).where(eq(emails.userId, userId)).orderBy(asc(emails.kind)),
    db.select().from(securityEvents).where(eq(securityEvents.userId, userId)).orderBy(asc(securityEvents.id)),
  ]);
  return {
    passwordHash: user[0]?.passwordHash ?? "",
    legacyHash: legacy[0]?.migrated === false ? (legacy[0].mysqlPasswordHash ?? "") : "",
    sessions: sessions.filter(({ revokedAt }) => revokedAt === null).length,
    resets: resets.filter(({ usedAt }) => usedAt === null).length,
    emailChanges: changes.length,
    emailVerifications: verifications.length,
    devices: devices.length,
    alerts: alerts.map(({ subject }) => subject),
    setupLinks: links.map(({ isEmailed }) => (isEmailed ? "emailed" : "given")),
    passkeys: keys.map(({ createdAt }) => createdAt),
    apps: apps.map(({ createdAt }) => createdAt),
    recoveryCodes: codes.map(({ createdAt }) => createdAt),
    queued: mail.filter(({ status }) => status === "queued").map(({ kind }) => kind) as typeof WHOLE_ACCESS.queued,
    events: events.map(({ kind }) => kind),
  };
}
