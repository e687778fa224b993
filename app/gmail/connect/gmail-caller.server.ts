import type { AppLoadContext } from "@remix-run/cloudflare";
import { randomSecret } from "#app/crypto/random-secret.server.ts";
import { addressOf, countAttempt, type LimitResult } from "#app/db/rate-limit.server.ts";
import { claimMailbox } from "#app/gmail/mailbox/claim-mailbox.server.ts";
import {
  accountOwner,
  forgetVisitor,
  type MailboxOwner,
  newVisitor,
  readVisitor,
} from "#app/gmail/tokens/mailbox-owner.server.ts";
import { browserCookie, readCookieText } from "#app/http/cookies.ts";
import { logError } from "#app/http/log.ts";
import { publicOrigin } from "#app/http/requests/public-origin.ts";
import { isSpeculative } from "#app/http/requests/speculative-request.ts";
import { MINUTE_MS } from "#app/time.ts";
import { type ConnectMode, STATE_MS, startConnection } from "./gmail-connection.server.ts";
import type { ConnectFault } from "./oauth-texts.ts";

/** Identifies the owner of a mailbox for all requests about it, by session or visitor cookie. */

type RouteArgs = { request: Request; context: AppLoadContext };

/** The owner and the Set-Cookie headers for the response. The owner of a visitor who never connected is null. */
export type GmailCaller = { owner: MailboxOwner | null; headers: Headers };

const CONNECT_PERIOD_MS = 10 * MINUTE_MS;
const CONNECTS_PER_OWNER = 20;
const CONNECTS_PER_ADDRESS = 60;
const SYNC_PERIOD_MS = 60_000;
const SYNCS_PER_OWNER = 20;

/** Identifies the caller. `userId` is null if nobody is signed in. First claims a mailbox connected before signing in. */
export async function readGmailCaller({ request, context }: RouteArgs, userId: string | null): Promise<GmailCaller> {
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (userId === null) return { owner: await readVisitor(request, context.env), headers };
  const setCookie = await claimVisitorMailbox({ request, context }, userId);
  if (setCookie) headers.append("Set-Cookie", setCookie);
  return { owner: accountOwner(userId), headers };
}

/**
 * Moves the visitor's mailbox to the account and returns the Set-Cookie header that clears the visitor, or null.
 * Repeatable: pages call it on every GET. A prefetch moves nothing.
 */
export async function claimVisitorMailbox({ request, context }: RouteArgs, userId: string): Promise<string | null> {
  const visitor = isSpeculative(request) ? null : await readVisitor(request, context.env);
  if (!visitor) return null;
  try {
    await claimMailbox(context.db, context.env, visitor, userId);
    return await forgetVisitor(request, context.env);
  } catch (error) {
    // The cookie stays, so the next request tries again.
    logError("mailbox not claimed", error, { request_id: context.requestId });
    return null;
  }
}

/** Starts a connection for the caller. A new visitor gets a cookie. */
export async function startConnectionFor(
  { request, context }: RouteArgs,
  caller: GmailCaller,
  mode: ConnectMode,
): Promise<{ ok: true; authUrl: string } | { ok: false; fault: ConnectFault; retryAfterSeconds?: number }> {
  const { db, env } = context;
  const address = addressOf(request);
  const allowed = await countAttempt(db, [
    ...(caller.owner ? [limit("gmail_connect", caller.owner, CONNECTS_PER_OWNER, CONNECT_PERIOD_MS)] : []),
    ...(address
      ? [{ name: "gmail_connect", who: address, max: CONNECTS_PER_ADDRESS, periodMs: CONNECT_PERIOD_MS }]
      : []),
  ]);
  if (!allowed.ok) return { ok: false, fault: "too_many", retryAfterSeconds: allowed.retryAfterSeconds };
  const owner = caller.owner ?? (await createVisitor({ request, context }, caller.headers));
  const browser = (await readBrowser(request)) ?? randomSecret();
  caller.headers.append("Set-Cookie", await connectCookie(request).serialize(browser));
  return startConnection(db, env, { owner, browser, origin: publicOrigin(env, request), mode });
}

export function limitSyncs({ context }: Pick<RouteArgs, "context">, owner: MailboxOwner): Promise<LimitResult> {
  return countAttempt(context.db, [limit("gmail_sync", owner, SYNCS_PER_OWNER, SYNC_PERIOD_MS)]);
}

/** Returns the secret of the browser that started a connection, or null. */
export function readBrowser(request: Request): Promise<string | null> {
  return readCookieText(connectCookie(request), request);
}

async function createVisitor({ request, context }: RouteArgs, headers: Headers): Promise<MailboxOwner> {
  const { visitor, setCookie } = await newVisitor(request, context.env);
  headers.append("Set-Cookie", setCookie);
  return visitor;
}

function limit(name: string, owner: MailboxOwner, max: number, periodMs: number) {
  return { name, who: `${owner.userId}:${owner.ownerDigest}`, max, periodMs };
}

function connectCookie(request: Request) {
  return browserCookie(request, "growline_gmail_connect", { maxAgeSeconds: STATE_MS / 1000 });
}
