import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, exists, gt, inArray, isNull, type SQLWrapper, sql } from "drizzle-orm";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import { requiresStaffFactor, TWO_STEP_PATH, type Viewer } from "#app/accounts/session/viewer.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { profiles, staffSetupLinks, totpSecrets } from "#app/db/schema.server.ts";
import { withdrawEmails } from "#app/email/queue-email.server.ts";
import { lookupEmail } from "#app/email-address.ts";
import { MINUTE_MS } from "#app/time.ts";
import { type Factors, factorsOf, hasFactor } from "./factors.server.ts";

/**
 * Where staff need a second factor, the first one is set up with a link. Otherwise somebody who knows the password of
 * new staff could set up a factor before them.
 */

const LINK_MS = 24 * 60 * MINUTE_MS;
/** How long the session that opened the link has for the setup. */
const SETUP_MS = 30 * MINUTE_MS;

/** Makes a setup link, and the statement that stores it in place of an earlier one. */
export function newSetupLink(
  db: Db,
  userId: string,
  { origin, isEmailed }: { origin: string; isEmailed: boolean },
  now = Date.now(),
) {
  const { token, digest } = makeEmailToken();
  const link = { tokenDigest: digest, isEmailed, sessionId: null, expiresAt: now + LINK_MS };
  const statement = db
    .insert(staffSetupLinks)
    .values({ userId, ...link })
    .onConflictDoUpdate({ target: staffSetupLinks.userId, set: link });
  return { link: `${origin}${TWO_STEP_PATH}?${new URLSearchParams({ link: token })}`, statement };
}

/** Returns a new setup link for the account with this email address, or null if it has a factor or doesn't exist. */
export async function issueSetupLink(db: Db, email: string, origin: string): Promise<string | null> {
  const account = eq(profiles.email, lookupEmail(email));
  const [found] = await db.select({ userId: profiles.userId }).from(profiles).where(account).limit(1);
  if (!found || hasFactor(await factorsOf(db, found.userId))) return null;
  const { link, statement } = newSetupLink(db, found.userId, { origin, isEmailed: false });
  await statement;
  return link;
}

/** Returns whether the viewer must open a setup link before anything of the setup is shown or changed. */
export async function needsSetupLink(
  { db, env }: Pick<AppLoadContext, "db" | "env">,
  { userId, sessionId, role, isHeld }: Viewer,
  factors: Factors,
  now = Date.now(),
): Promise<boolean> {
  const isStaff = isHeld || role !== "customer";
  if (!isStaff || !requiresStaffFactor(env) || hasFactor(factors)) return false;
  const [opened] = await openedBy(db, { userId, sessionId }, now);
  return opened === undefined;
}

/**
 * Opens a setup link for the viewer's session alone. Call it on POST only. Returns false if the link is not the newest of
 * this account, was opened before, or has expired. Cancels the setup of an app, whose key somebody else may have seen.
 */
export async function openSetupLink(
  db: Db,
  { userId, sessionId }: Pick<Viewer, "userId" | "sessionId">,
  token: string,
  now = Date.now(),
): Promise<boolean> {
  const { tokenDigest, expiresAt, sessionId: openedIn } = staffSetupLinks;
  const [opened] = await db.batch([
    db
      .update(staffSetupLinks)
      .set({ sessionId, expiresAt: now + SETUP_MS })
      .where(
        and(eq(staffSetupLinks.userId, userId), eq(tokenDigest, sha256(token)), isNull(openedIn), gt(expiresAt, now)),
      )
      .returning({ userId: staffSetupLinks.userId }),
    db.delete(totpSecrets).where(
      and(
        eq(totpSecrets.userId, userId),
        isNull(totpSecrets.confirmedAt),
        // Opened just now.
        exists(openedBy(db, { userId, sessionId }, now + SETUP_MS - 1)),
      ),
    ),
  ]);
  return opened.length === 1;
}

/** Builds the statement that ends the account's setup link. */
export function endSetupLink(db: Db, userId: string) {
  return db.delete(staffSetupLinks).where(eq(staffSetupLinks.userId, userId));
}

/**
 * Builds the statements that end the emailed setup links of the accounts that `owner` selects. They belong in the batch in
 * which an emailed link sets or ends the password: otherwise whoever reads the mailbox could set up a factor and be staff.
 */
export function endEmailedSetupLinks(db: Db, owner: SQLWrapper) {
  return [
    db.delete(staffSetupLinks).where(and(inArray(staffSetupLinks.userId, owner), eq(staffSetupLinks.isEmailed, true))),
    withdrawEmails(db, "staff_setup", owner),
  ] as const;
}

function openedBy(db: Db, { userId, sessionId }: Pick<Viewer, "userId" | "sessionId">, now: number) {
  return db
    .select({ one: sql`1` })
    .from(staffSetupLinks)
    .where(
      and(
        eq(staffSetupLinks.userId, userId),
        eq(staffSetupLinks.sessionId, sessionId),
        gt(staffSetupLinks.expiresAt, now),
      ),
    );
}
