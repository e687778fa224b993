import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import { passkeys, profiles, type Role, totpSecrets } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { emailsTo, withoutDispatcher } from "#tests/workerd/email-api.ts";
import { storedAccount } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { accountsLosingRole, logRoleRemoval, removeRoleWithFactors } from "./role-removal.server.ts";

const context = loadContext({ env: withoutDispatcher(env) });
const visit = newVisit();
const SINCE = 1000;

const CASES: [role: Role, factor: string, at: number, isLosing: boolean][] = [
  ["agent", "passkey", SINCE, true],
  ["admin", "passkey", SINCE + 1, true],
  ["agent", "passkey", SINCE - 1, false],
  ["customer", "passkey", SINCE, false],
  ["admin", "app", SINCE, true],
  ["agent", "app", SINCE - 1, false],
  ["agent", "unconfirmed app", SINCE, false],
  ["agent", "no", SINCE, false],
];

test.for(CASES)("tells of a %s with %s factor added at %i ms whether a link takes the role: %s", async (row) => {
  const [role, factor, at, isLosing] = row;
  const [{ userId, email }, other] = [await storedAccount(role), await storedAccount("admin")];
  await addFactor(other.userId, "passkey", SINCE);
  await addFactor(other.userId, "app", SINCE);
  await addFactor(userId, factor, at);
  const owner = sql`(${userId})`;
  expect(await accountsLosingRole(db, owner, SINCE)).toEqual(isLosing ? [{ userId }] : []);
  const [removed] = await db.batch(await removeRoleWithFactors(context, visit, owner, SINCE));
  expect(logRoleRemoval(context, removed)).toBe(isLosing);
  expect(await roleOf(userId)).toBe(isLosing ? "customer" : role);
  expect(await roleOf(other.userId)).toBe("admin");
  const events = await listSecurityEvents(db, userId, { limit: 9 });
  const detail = { by: "emailed_link", role: "customer" };
  expect(events).toMatchObject(isLosing ? [{ kind: "role_changed", detail }] : []);
  expect(await emailsTo(email)).toMatchObject(isLosing ? [{ kind: "factor_notice", userId }] : []);
  expect(await emailsTo(other.email)).toEqual([]);
});

async function addFactor(userId: string, factor: string, createdAt: number): Promise<void> {
  if (factor.endsWith("app")) {
    const confirmedAt = factor === "app" ? 1 : null;
    await db.insert(totpSecrets).values({ userId, sealedSecret: "", createdAt, confirmedAt });
  }
  if (factor !== "passkey") return;
  const key = { userId, publicKey: "", signCount: 0, name: "Key", createdAt, deviceType: "singleDevice" } as const;
  await db.insert(passkeys).values({ ...key, id: crypto.randomUUID(), backedUp: false, isSecondFactor: true });
}

async function roleOf(userId: string): Promise<string | undefined> {
  const [profile] = await db.select().from(profiles).where(eq(profiles.userId, userId));
  return profile?.role;
}
