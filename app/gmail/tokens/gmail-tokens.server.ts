import { and, eq, isNotNull, lte, sql } from "drizzle-orm";
import { seal, unseal } from "#app/crypto/seal.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { gmailTokens } from "#app/db/schema.server.ts";
import { logError } from "#app/http/log.ts";
import { MINUTE_MS } from "#app/time.ts";
import {
  GoogleAway,
  type GoogleEnv,
  type Grant,
  GrantRefused,
  isConfigured,
  refreshGrant,
  revokeToken,
} from "./google-oauth.server.ts";
import { type MailboxOwner, ownedBy } from "./mailbox-owner.server.ts";

export type TokenEnv = GoogleEnv & Pick<Env, "ENCRYPTION_KEYS">;

/** Thrown when the user has to connect Gmail again. */
export class ReconnectNeeded extends Error {
  override name = "ReconnectNeeded";
}

/** An access token that expires sooner than this is refreshed before use. */
const REFRESH_BEFORE_MS = 5 * MINUTE_MS;
const REFRESH_LEASE_MS = 20_000;
const REFRESH_POLL_MS = 150;

export type TokenKind = "access" | "refresh";
type TokenRow = typeof gmailTokens.$inferSelect;

/** Returns the context bound into a sealed token, so that it can't be moved to another owner's row. */
export function tokenContext(owner: MailboxOwner, kind: TokenKind): string {
  return `gmail:${owner.userId}:${owner.ownerDigest}:${kind}`;
}

export async function storeGrant(
  db: Db,
  env: TokenEnv,
  owner: MailboxOwner,
  grant: Grant & { emailAddress: string },
): Promise<void> {
  const fresh = {
    accessToken: await sealToken(env, owner, "access", grant.accessToken),
    emailAddress: grant.emailAddress,
    scope: grant.scope,
    expiresAt: grant.expiresAt,
    refreshLeaseUntil: 0,
    createdAt: Date.now(),
  };
  const refreshToken = grant.refreshToken && (await sealToken(env, owner, "refresh", grant.refreshToken));
  await db
    .insert(gmailTokens)
    .values({ ...owner, ...fresh, refreshToken })
    .onConflictDoUpdate({
      target: [gmailTokens.userId, gmailTokens.ownerDigest],
      set: { ...fresh, ...(refreshToken && { refreshToken }) },
    });
}

export async function readTokenRow(db: Db, owner: MailboxOwner): Promise<TokenRow | null> {
  const [row] = await db.select().from(gmailTokens).where(ownedBy(gmailTokens, owner)).limit(1);
  return row ?? null;
}

/**
 * Returns an access token that stays valid for at least REFRESH_BEFORE_MS. `refused` is a token that Google rejected; it
 * is replaced whatever its age. One caller at a time refreshes; the others wait. Throws ReconnectNeeded or GoogleAway.
 */
export async function freshAccessToken(
  db: Db,
  env: TokenEnv,
  owner: MailboxOwner,
  {
    refused = null,
    sleep = pause,
    now = Date.now,
  }: { refused?: string | null; sleep?: Sleep; now?: () => number } = {},
): Promise<string> {
  const deadline = now() + 2 * REFRESH_LEASE_MS;
  for (;;) {
    const row = await readTokenRow(db, owner);
    if (!row?.accessToken) throw new ReconnectNeeded("no access token");
    const token = await unsealToken(env, owner, "access", row.accessToken);
    if (token !== refused && row.expiresAt - now() > REFRESH_BEFORE_MS) return token;
    const leaseUntil = now() + REFRESH_LEASE_MS;
    if (await claimRefresh(db, row, { now: now(), leaseUntil })) {
      const replaced = await replaceToken(db, env, owner, { ...row, refreshLeaseUntil: leaseUntil }, now());
      if (replaced !== null) return replaced;
      // Slower than the lease, so another caller refreshed too, or disconnected meanwhile. The row tells.
      continue;
    }
    if (now() > deadline) throw new GoogleAway("timed out waiting for another refresh");
    await sleep(REFRESH_POLL_MS);
  }
}

export type Sleep = (ms: number) => Promise<void>;
const pause: Sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Claims the refresh with a conditional update: the token must be unchanged and no other refresh running. */
async function claimRefresh(
  db: Db,
  row: TokenRow,
  { now, leaseUntil }: { now: number; leaseUntil: number },
): Promise<boolean> {
  const claimed = await db
    .update(gmailTokens)
    .set({ refreshLeaseUntil: leaseUntil })
    .where(
      and(
        eq(gmailTokens.id, row.id),
        lte(gmailTokens.refreshLeaseUntil, now),
        sql`${gmailTokens.accessToken} is ${row.accessToken}`,
      ),
    )
    .returning({ id: gmailTokens.id });
  return claimed.length > 0;
}

/**
 * Refreshes the token and stores it. Returns null if the lease was lost meanwhile. Recognizes the lease by its time, not
 * by the sealed token, which a rotation of the encryption keys changes.
 */
async function replaceToken(
  db: Db,
  env: TokenEnv,
  owner: MailboxOwner,
  row: TokenRow,
  now: number,
): Promise<string | null> {
  const held = and(
    eq(gmailTokens.id, row.id),
    eq(gmailTokens.refreshLeaseUntil, row.refreshLeaseUntil),
    isNotNull(gmailTokens.accessToken),
  );
  try {
    if (!row.refreshToken) throw new GrantRefused("no refresh token");
    const grant = await refreshGrant(env, await unsealToken(env, owner, "refresh", row.refreshToken), now);
    const accessToken = await sealToken(env, owner, "access", grant.accessToken);
    const refreshToken = grant.refreshToken && (await sealToken(env, owner, "refresh", grant.refreshToken));
    const stored = await db
      .update(gmailTokens)
      .set({ accessToken, expiresAt: grant.expiresAt, refreshLeaseUntil: 0, ...(refreshToken && { refreshToken }) })
      .where(held)
      .returning({ id: gmailTokens.id });
    return stored.length === 0 ? null : grant.accessToken;
  } catch (error) {
    if (error instanceof GrantRefused) {
      await db
        .update(gmailTokens)
        .set({ ...DEAD, refreshLeaseUntil: 0 })
        .where(held);
      throw new ReconnectNeeded("Google rejects the refresh token", { cause: error });
    }
    await db.update(gmailTokens).set({ refreshLeaseUntil: 0 }).where(held);
    throw error;
  }
}

const DEAD = { accessToken: null, refreshToken: null, expiresAt: 0 };

/** Clears the tokens but keeps the row, so that the page can name the mailbox to reconnect. Skips a newer connection. */
export async function dropTokens(db: Db, owner: MailboxOwner, connectedAt: number): Promise<void> {
  await db
    .update(gmailTokens)
    .set(DEAD)
    .where(and(ownedBy(gmailTokens, owner), eq(gmailTokens.createdAt, connectedAt)));
}

/**
 * Revokes the owner's tokens at Google, unless another owner has the same mailbox connected: theirs would end, too.
 * Repeatable. Throws GoogleAway.
 */
export async function revokeStoredTokens(db: Db, env: TokenEnv, owner: MailboxOwner): Promise<void> {
  const row = await readTokenRow(db, owner);
  // Without client credentials, Google would refuse the request.
  if (!row || !isConfigured(env)) return;
  if (row.emailAddress && (await isConnectedElsewhere(db, owner, row.emailAddress))) return;
  const token = await readableToken(env, owner, row);
  if (token !== null) await revokeToken(env, token);
}

/** Returns null if there is no token or it cannot be decrypted, which makes it useless to everybody. */
async function readableToken(env: TokenEnv, owner: MailboxOwner, row: TokenRow): Promise<string | null> {
  try {
    if (row.refreshToken) return await unsealToken(env, owner, "refresh", row.refreshToken);
    return row.accessToken && (await unsealToken(env, owner, "access", row.accessToken));
  } catch (error) {
    logError("gmail token cannot be unsealed", error);
    return null;
  }
}

/**
 * Returns whether another owner has this mailbox connected. Google revokes a grant for the whole mailbox, so revoking one
 * token would end the other owner's connection.
 */
export async function isConnectedElsewhere(db: Db, owner: MailboxOwner, emailAddress: string): Promise<boolean> {
  const [found] = await db
    .select({ id: gmailTokens.id })
    .from(gmailTokens)
    .where(
      and(
        eq(gmailTokens.emailAddress, emailAddress),
        sql`${gmailTokens.accessToken} is not null`,
        sql`not (${gmailTokens.userId} = ${owner.userId} and ${gmailTokens.ownerDigest} = ${owner.ownerDigest})`,
      ),
    )
    .limit(1);
  return found !== undefined;
}

export function sealToken(env: TokenEnv, owner: MailboxOwner, kind: TokenKind, token: string): Promise<string> {
  return seal(env.ENCRYPTION_KEYS, tokenContext(owner, kind), token);
}

export function unsealToken(env: TokenEnv, owner: MailboxOwner, kind: TokenKind, sealed: string): Promise<string> {
  return unseal(env.ENCRYPTION_KEYS, tokenContext(owner, kind), sealed);
}
