import { env } from "cloudflare:workers";
import { randomBytes, scryptSync } from "node:crypto";
import { asc, eq } from "drizzle-orm";
import { unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { hashPassword, SCRYPT } from "#app/accounts/password/password-hash.server.ts";
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

/**
 * Creates an account with `PASSWORD` and a new email address, which counts as confirmed by default. A wrong password takes no
 * time to check, and the right one a tenth of a second, because its hash is replaced.
 */
export async function newAccount(
  role: Role = "customer",
  fullName = "Test Customer",
  emailConfirmedAt: number | null = 1,
): Promise<{ userId: string; email: string }> {
  const passwordHash = cheapHash();
  const [userId, email] = [crypto.randomUUID(), `${crypto.randomUUID()}@test.example`];
  const db = connect(env.DB);
  await db.batch([
    db.insert(users).values({ id: userId, email, passwordHash, createdAt: Date.now(), emailConfirmedAt }),
    db.insert(profiles).values({ userId, email, fullName, role }),
    db.insert(wallets).values({ userId }),
  ]);
  return { userId, email };
}

/**
 * Has what a test calls itself hash passwords by the parameters of `cheapHash`, for tests in which the time that a hash takes
 * makes no difference. Returns the function that ends it.
 */
export function hashCheaply(): () => void {
  const usual = { ...SCRYPT };
  Object.assign(SCRYPT, CHEAP);
  return () => void Object.assign(SCRYPT, usual);
}

/** The current hash of `PASSWORD`, made at its first use. */
let currentHash: string | undefined;

/** The same as `newAccount`, for a test of what a log-in costs or whom it races with: its hash isn't replaced. */
export async function accountWithCurrentHash(): Promise<{ userId: string; email: string }> {
  currentHash ??= await hashPassword(PASSWORD, unlimitedCaller());
  const account = await newAccount();
  await connect(env.DB).update(users).set({ passwordHash: currentHash }).where(eq(users.id, account.userId));
  return account;
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
  const { role = "customer", ...columns } = given;
  const { id: userId = crypto.randomUUID() } = columns;
  const email = `${userId}@test.example`;
  const db = connect(env.DB);
  await db.batch([
    db.insert(users).values({ id: userId, email, createdAt: Date.now(), emailConfirmedAt: 1, ...columns }),
    db.insert(profiles).values({ userId, email, role }),
    db.insert(wallets).values({ userId }),
  ]);
  return { userId, email };
}

/** Stores an account with a hash that matches no password, without hashing one, which takes a tenth of a second. */
export async function storedAccount(
  role: Role = "customer",
  given: { passwordHash?: string | null; emailConfirmedAt?: number | null } = {},
): Promise<{ userId: string; email: string }> {
  const account = await accountWithoutPassword({ role, passwordHash: "a hash", createdAt: 1, ...given });
  const db = connect(env.DB);
  await db.update(profiles).set({ fullName: "Test Customer" }).where(eq(profiles.userId, account.userId));
  return account;
}

/** Hashes a password with parameters that take no time. A log-in replaces such a hash. */
export function cheapHash(password = PASSWORD): string {
  const salt = randomBytes(16);
  const key = scryptSync(password, salt, 32, CHEAP);
  return ["scrypt", CHEAP.N, CHEAP.r, CHEAP.p, salt.toString("base64"), key.toString("base64")].join("$");
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
