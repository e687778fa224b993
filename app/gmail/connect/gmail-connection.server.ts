import { and, eq, isNull, lt } from "drizzle-orm";
import { z } from "zod";
import { randomSecret } from "#app/crypto/random-secret.server.ts";
import { seal, unseal } from "#app/crypto/seal.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { deleteInChunks } from "#app/db/delete-in-chunks.server.ts";
import { gmailOauthStates, gmailSyncStatus } from "#app/db/schema.server.ts";
import { GmailClient } from "#app/gmail/api/gmail-client.server.ts";
import { rescheduleSync } from "#app/gmail/sync/sync-schedule.server.ts";
import {
  isConnectedElsewhere,
  ReconnectNeeded,
  readTokenRow,
  storeGrant,
  type TokenEnv,
} from "#app/gmail/tokens/gmail-tokens.server.ts";
import {
  authorizationUrl,
  exchangeCode,
  GMAIL_SCOPE,
  GoogleAway,
  type Grant,
  GrantRefused,
  isConfigured,
  revokeToken,
} from "#app/gmail/tokens/google-oauth.server.ts";
import type { MailboxOwner } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { logError } from "#app/http/log.ts";
import { MINUTE_MS } from "#app/time.ts";
import type { ConnectFault } from "./oauth-texts.ts";

/** The place where Google's sign-in opens: a popup window, the current page, or the in-app browser beside the app. */
export const connectMode = z.enum(["popup", "page", "app"]);
export type ConnectMode = z.infer<typeof connectMode>;

export const CALLBACK_PATH = "/gmail-sync/callback";
export const STATE_MS = 10 * MINUTE_MS;

/** Starts a connection and returns Google's sign-in URL. `browser` is the cookie secret that the callback must present. */
export async function startConnection(
  db: Db,
  env: TokenEnv,
  connection: { owner: MailboxOwner; browser: string; origin: string; mode: ConnectMode },
  now = Date.now(),
): Promise<{ ok: true; authUrl: string } | { ok: false; fault: ConnectFault }> {
  if (!isConfigured(env)) return { ok: false, fault: "not_configured" };
  const state = randomSecret();
  const stateDigest = sha256(state);
  const connected = await readTokenRow(db, connection.owner);
  try {
    const { url, codeVerifier } = await authorizationUrl(env, {
      state,
      redirectUri: connection.origin + CALLBACK_PATH,
      loginHint: connected?.emailAddress ?? null,
    });
    await db.insert(gmailOauthStates).values({
      ...connection.owner,
      stateDigest,
      browserDigest: sha256(connection.browser),
      codeVerifier: await seal(env.ENCRYPTION_KEYS, stateContext(stateDigest), codeVerifier),
      mode: connection.mode,
      expiresAt: now + STATE_MS,
    });
    return { ok: true, authUrl: url };
  } catch (error) {
    if (!(error instanceof GoogleAway)) throw error;
    logError("gmail connection not started", error);
    return { ok: false, fault: "unavailable" };
  }
}

/** Returns a pending connection's mode and whether this browser started it, or null if unknown. Keeps the state valid. */
export async function readPendingConnection(
  db: Db,
  { state, browser }: { state: string | null; browser: string | null },
): Promise<{ mode: ConnectMode; here: boolean } | null> {
  const [row] = await db
    .select({ mode: gmailOauthStates.mode, browserDigest: gmailOauthStates.browserDigest })
    .from(gmailOauthStates)
    .where(eq(gmailOauthStates.stateDigest, sha256(state ?? "")))
    .limit(1);
  return row ? { mode: row.mode, here: browser !== null && row.browserDigest === sha256(browser) } : null;
}

/**
 * Completes a connection. `params` is the callback's query. The state works once, and only for the browser and the owner
 * that started it. Returns null on success.
 */
export async function completeConnection(
  db: Db,
  env: TokenEnv,
  callback: { owner: MailboxOwner | null; browser: string | null; origin: string; params: URLSearchParams },
  now = Date.now(),
): Promise<ConnectFault | null> {
  const state = callback.params.get("state") ?? "";
  const pending = await takeState(db, sha256(state));
  if (!pending || pending.expiresAt <= now || callback.browser === null) return "expired";
  if (pending.browserDigest !== sha256(callback.browser)) return "expired";
  const { owner } = callback;
  if (owner?.userId !== pending.userId || owner.ownerDigest !== pending.ownerDigest) return "expired";
  const error = callback.params.get("error");
  if (error !== null) return error === "access_denied" ? "denied" : "refused";
  try {
    const codeVerifier = await unseal(env.ENCRYPTION_KEYS, stateContext(pending.stateDigest), pending.codeVerifier);
    const redirectUri = callback.origin + CALLBACK_PATH;
    const grant = await exchangeCode(env, { params: callback.params, state, redirectUri, codeVerifier }, now);
    return await acceptGrant(db, env, owner, grant, now);
  } catch (error) {
    logError("gmail connection failed", error);
    if (error instanceof GrantRefused) return "refused";
    if (error instanceof ReconnectNeeded) return "scope_withheld";
    return "unavailable";
  }
}

/** Deletes expired pending connections. */
export async function deleteExpiredConnections(db: Db, now = Date.now()): Promise<void> {
  await deleteInChunks(db, gmailOauthStates, lt(gmailOauthStates.expiresAt, now));
}

async function acceptGrant(
  db: Db,
  env: TokenEnv,
  owner: MailboxOwner,
  grant: Grant,
  now: number,
): Promise<ConnectFault | null> {
  // Whose mailbox it is can't be read without the scope. Revoking this grant would end every connection to that mailbox:
  // the owner's own, and another account's.
  if (!grant.scope.split(" ").includes(GMAIL_SCOPE)) return "scope_withheld";
  const { emailAddress, historyId, messagesTotal: totalMessages } = await profileOf(env, grant);
  const known = await readTokenRow(db, owner);
  if (known?.emailAddress && known.emailAddress !== emailAddress) {
    if (!(await isConnectedElsewhere(db, owner, emailAddress))) {
      await revokeToken(env, grant.refreshToken ?? grant.accessToken);
    }
    return "wrong_account";
  }
  // Before the tokens, because a mailbox without this row can't be synced.
  await db
    .insert(gmailSyncStatus)
    // Saves the first sync a profile request: history reports every change from here on.
    .values({ ...owner, historyId, totalMessages })
    .onConflictDoUpdate({
      target: [gmailSyncStatus.userId, gmailSyncStatus.ownerDigest],
      set: { historyId, totalMessages },
      // A first sync that has begun ends at the history id that it began with, so its size has to be of that moment.
      setWhere: and(
        isNull(gmailSyncStatus.lastSyncAt),
        isNull(gmailSyncStatus.pendingHistoryId),
        isNull(gmailSyncStatus.leaseId),
      ),
    });
  await storeGrant(db, env, owner, { ...grant, emailAddress });
  await rescheduleSync(db, owner, now);
  return null;
}

function profileOf(env: TokenEnv, grant: Grant) {
  return new GmailClient({
    apiBase: env.GOOGLE_API_BASE,
    token: async () => grant.accessToken,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    random: Math.random,
    now: Date.now,
    patienceMs: PROFILE_PATIENCE_MS,
    use: { units: 0, pauseMs: null },
  }).profile();
}

/** Short, because the user is watching Google's window. */
const PROFILE_PATIENCE_MS = 3000;

async function takeState(db: Db, stateDigest: string) {
  const [row] = await db.delete(gmailOauthStates).where(eq(gmailOauthStates.stateDigest, stateDigest)).returning();
  return row ?? null;
}

export function stateContext(stateDigest: string): string {
  return `gmail-oauth:${stateDigest}`;
}
