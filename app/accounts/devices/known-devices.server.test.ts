import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { emails, knownDevices, newDeviceAlerts, profiles } from "#app/db/schema.server.ts";
import { openContent } from "#app/email/queue-email.server.ts";
import { DAY_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { accountWithoutPassword } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { cancelFactorAlert, startFactorAlert } from "./factor-alert.server.ts";
import {
  deleteExpiredDevices,
  deviceDigest,
  deviceHistory,
  firstAlertOf,
  forgetDevices,
  knownDevice,
  rememberDevice,
  sentDevice,
  voidLaterAlerts,
} from "./known-devices.server.ts";
import { announceNewDevice, rejectionLink } from "./new-device-email.server.ts";

const ORIGIN = "https://growline.example";
const NOW = Date.UTC(2027, 0, 1, 15, 4);
const context = { db, env };

beforeEach(() => {
  vi.setSystemTime(NOW);
});
afterEach(() => {
  vi.useRealTimers();
});

test("knows a device of the account that logged in on it, and of no other", async () => {
  const [mine, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  const again = newVisit({ deviceId: "an id" });
  const digest = sha256("an id");
  expect(deviceDigest(again)).toBe(digest);
  expect(await knownDevice(db, again, { userId: mine.userId })).toBeNull();
  await db.batch(rememberDevice(db, mine.userId, digest, NOW));
  await db.batch(rememberDevice(db, other.userId, "another device", NOW));
  expect(await knownDevice(db, again, { userId: mine.userId })).toBe(digest);
  expect(await knownDevice(db, again, { userId: other.userId })).toBeNull();
  expect(await knownDevice(db, newVisit(), { userId: mine.userId })).toBeNull();
  const isKnown = async (email: string) => {
    const sent = sentDevice(db, again, email);
    return sent?.digest === digest && (await db.get<{ known: number }>(sql`select ${sent.isKnown} as known`)).known;
  };
  expect(await isKnown(` ${mine.email.toUpperCase()} `)).toBe(1);
  for (const email of [other.email, "nobody@test.example"]) expect(await isKnown(email)).toBe(0);
  expect(sentDevice(db, newVisit(), mine.email)).toBeNull();
});

test("reads whether an account has logged in before, and on this device", async () => {
  const { userId } = await accountWithoutPassword();
  expect(await historyOf(userId, "one")).toMatchObject({ hasDevices: false, isKnown: false });
  for (const digest of ["one", "two"]) await db.batch(rememberDevice(db, userId, digest, NOW));
  expect(await historyOf(userId, "one")).toMatchObject({ hasDevices: true, isKnown: true });
  expect(await historyOf(userId, "three")).toMatchObject({ hasDevices: true, isKnown: false });
});

test("remembers when a device was first and last used, and the twenty last used ones", async () => {
  const [mine, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  await db.batch(rememberDevice(db, other.userId, "device 0", 1));
  for (let i = 0; i < 20; i++) await db.batch(rememberDevice(db, mine.userId, `device ${i}`, 100 + i));
  await db.batch(rememberDevice(db, mine.userId, "device 0", 200));
  expect(await devicesOf(mine)).toHaveLength(20);
  expect((await devicesOf(mine)).find(({ deviceDigest }) => deviceDigest === "device 0")).toEqual({
    userId: mine.userId,
    deviceDigest: "device 0",
    firstSeenAt: 100,
    lastSeenAt: 200,
  });
  await db.batch(rememberDevice(db, mine.userId, "device 20", 201));
  const left = (await devicesOf(mine)).map(({ deviceDigest }) => deviceDigest);
  expect(left).toHaveLength(20);
  expect(left).toEqual(expect.arrayContaining(["device 0", "device 2", "device 20"]));
  expect(left).not.toContain("device 1");
  expect(await historyOf(mine.userId, "device 20")).toMatchObject({ hasDevices: true, isKnown: true });
  expect(await devicesOf(other)).toMatchObject([{ firstSeenAt: 1, lastSeenAt: 1 }]);
  await forgetDevices(db, sql`${mine.userId}`);
  expect([await devicesOf(mine), await devicesOf(other)]).toMatchObject([[], [{}]]);
});

test("voids the links about log-ins after the first one on a device, and no others", async () => {
  const mine = await accountWithoutPassword();
  // Before and after it in the order of the primary key.
  const other = await accountWithoutPassword({ id: `0-${mine.userId}` });
  const last = await accountWithoutPassword({ id: `z-${mine.userId}` });
  await db.batch(rememberDevice(db, mine.userId, "device", 100));
  for (const { userId } of [other, last]) await db.batch(rememberDevice(db, userId, "device", 1));
  const alerts = {
    before: await alertOf(mine, { createdAt: 99 }),
    atFirst: await alertOf(mine, { createdAt: 100 }),
    after: await alertOf(mine, { createdAt: 101 }),
    factor: await alertOf(mine, { createdAt: 101, subject: "factor" }),
    others: await alertOf(other, { createdAt: 101 }),
  };
  const left = async () => {
    const rows = await db.select({ digest: newDeviceAlerts.tokenDigest }).from(newDeviceAlerts);
    const digests = new Set(rows.map(({ digest }) => digest));
    return Object.entries(alerts).flatMap(([name, digest]) => (digests.has(digest) ? [name] : []));
  };
  for (const digest of [null, "unknown"]) await voidLaterAlerts(db, mine.userId, digest);
  expect(await left()).toEqual(["before", "atFirst", "after", "factor", "others"]);
  await voidLaterAlerts(db, mine.userId, "device");
  expect(await left()).toEqual(["before", "atFirst", "factor", "others"]);
});

test("selects the first announcement whose link still works", async () => {
  const [mine, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  const first = async () => {
    const [row] = await db.all<{ at: number | null }>(sql`select ${firstAlertOf(db, sql`(${mine.userId})`)} as at`);
    return row?.at;
  };
  await alertOf(other, { createdAt: 1 });
  expect(await first()).toBeNull();
  await alertOf(mine, { createdAt: 5, expiresAt: NOW });
  expect(await first()).toBeNull();
  await alertOf(mine, { createdAt: 7, expiresAt: NOW + 1 });
  await alertOf(mine, { createdAt: 6, expiresAt: NOW + 1 });
  await alertOf(mine, { createdAt: 8, expiresAt: NOW + 1 });
  expect(await first()).toBe(6);
});

test("deletes devices that were not used for 400 days, and expired links", async () => {
  const account = await accountWithoutPassword();
  await db.batch(rememberDevice(db, account.userId, "old", NOW - 400 * DAY_MS - 1));
  await db.batch(rememberDevice(db, account.userId, "kept", NOW - 400 * DAY_MS));
  await alertOf(account, { expiresAt: NOW - 1 });
  const kept = await alertOf(account, { expiresAt: NOW });
  await deleteExpiredDevices(db, NOW);
  expect(await devicesOf(account)).toMatchObject([{ deviceDigest: "kept" }]);
  expect(await alertsOf(account)).toMatchObject([{ tokenDigest: kept }]);
});

test("keeps the link that rejects a factor for a week, and cancels it alone", async () => {
  const account = await accountWithoutPassword();
  const [canceled, kept] = [await startFactorAlert(db, account.userId), await startFactorAlert(db, account.userId)];
  await cancelFactorAlert(db, canceled);
  expect(await alertsOf(account)).toEqual([
    {
      tokenDigest: sha256(kept),
      userId: account.userId,
      subject: "factor",
      createdAt: NOW,
      expiresAt: NOW + 7 * DAY_MS,
    },
  ]);
});

test("emails the owner what is known of a new device, with a link that rejects it for a week", async () => {
  const account = await accountWithoutPassword();
  await announce(account, newVisit({ device: "Chrome on Windows", network: "203.0.113.7" }));
  await announce(account);
  const [known = "", unknown = ""] = await emailsOf(account);
  expect(known).toContain("Device: Chrome on Windows\n");
  expect(known).toMatch(/Time: January 1, 2027 at 3:04\sPM UTC\n/);
  expect(known).toContain("Network: 203.0.113.7\n");
  expect(unknown).toContain("Device: Unknown device\n");
  expect(unknown).toContain("Network: unknown\n");
  const link = new URL(/https:\S+/.exec(known)?.[0] ?? "");
  expect(link.origin + link.pathname).toBe(`${ORIGIN}/account/not-me`);
  const token = link.searchParams.get("token") ?? "";
  expect(link.href).toBe(rejectionLink(newVisit(), token));
  const [stored] = await db
    .select()
    .from(newDeviceAlerts)
    .where(eq(newDeviceAlerts.tokenDigest, sha256(token)));
  const times = { createdAt: NOW, expiresAt: NOW + 7 * DAY_MS };
  expect(stored).toMatchObject({ userId: account.userId, subject: "log_in", ...times });
});

test("emails five new devices of an account per hour", async () => {
  const [account, other] = [await accountWithoutPassword(), await accountWithoutPassword()];
  for (let i = 0; i < 6; i++) await announce(account);
  expect(await emailsOf(account)).toHaveLength(5);
  expect(await alertsOf(account)).toHaveLength(5);
  await announce(other);
  expect(await emailsOf(other)).toHaveLength(1);
  vi.setSystemTime(NOW + DAY_MS / 24 - 1);
  await announce(account);
  expect(await emailsOf(account)).toHaveLength(5);
  vi.setSystemTime(NOW + DAY_MS / 24);
  await announce(account);
  expect(await emailsOf(account)).toHaveLength(6);
});

type Account = { userId: string; email: string };

async function historyOf(userId: string, digest: string) {
  const [history] = await db.select(deviceHistory(db, digest)).from(profiles).where(eq(profiles.userId, userId));
  return history;
}

async function announce(account: Account, from = newVisit()): Promise<void> {
  const [first, ...rest] = await announceNewDevice(context, from, account, Date.now());
  if (first) await db.batch([first, ...rest]);
}

/** Stores the link of an announcement and returns its digest. */
async function alertOf({ userId }: Account, columns: Partial<typeof newDeviceAlerts.$inferInsert>): Promise<string> {
  const tokenDigest = crypto.randomUUID();
  await db.insert(newDeviceAlerts).values({ tokenDigest, userId, createdAt: 1, expiresAt: NOW + DAY_MS, ...columns });
  return tokenDigest;
}

function alertsOf({ userId }: Account) {
  return db.select().from(newDeviceAlerts).where(eq(newDeviceAlerts.userId, userId));
}

function devicesOf({ userId }: Account) {
  return db.select().from(knownDevices).where(eq(knownDevices.userId, userId));
}

/** Returns the texts of the emails about new devices, oldest first. */
async function emailsOf({ userId, email }: Account): Promise<string[]> {
  const queued = await db.select().from(emails).where(eq(emails.userId, userId)).orderBy(sql`rowid`);
  for (const { kind, recipient } of queued) expect([kind, recipient]).toEqual(["new_device", email]);
  return Promise.all(
    queued.map(async ({ id, sealedContent }) => (await openContent(env, id, sealedContent ?? "")).text),
  );
}
