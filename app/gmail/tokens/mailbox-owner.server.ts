import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { randomSecret } from "#app/crypto/random-secret.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { browserCookie, clearCookie, readCookieText } from "#app/http/cookies.ts";

/** The placeholder user id of everybody who is not signed in. */
export const ZERO_USER_ID = "00000000-0000-0000-0000-000000000000";

/** The owner of a mailbox. Visitors share the zero user id; the digest of their cookie tells them apart. */
export type MailboxOwner = { userId: string; ownerDigest: string };

const COOKIE_SECONDS = 180 * 24 * 60 * 60;

export function accountOwner(userId: string): MailboxOwner {
  return { userId, ownerDigest: "" };
}

/** Returns the condition that selects only the rows of this owner. */
export function ownedBy(
  table: { userId: SQLiteColumn; ownerDigest: SQLiteColumn },
  owner: MailboxOwner,
): SQL | undefined {
  return and(eq(table.userId, owner.userId), eq(table.ownerDigest, owner.ownerDigest));
}

/** Returns the condition that the owner has a mailbox connected whose tokens Google has not refused. */
export function hasToken({ userId, ownerDigest }: MailboxOwner): SQL {
  return sql`exists (select 1 from gmail_tokens as t
    where t.user_id = ${userId} and t.owner_digest = ${ownerDigest} and t.access_token is not null)`;
}

/** Returns the condition that the mailbox belongs to a suspended account. A visitor has none. */
export function isSuspended({ userId }: MailboxOwner): SQL {
  return sql`exists (select 1 from users as u where u.id = ${userId} and u.suspended_at is not null)`;
}

/** Returns the visitor of this browser, or null if it never connected a mailbox without signing in. */
export async function readVisitor(request: Request, env: CookieEnv): Promise<MailboxOwner | null> {
  const secret = await readCookieText(visitorCookie(request, env), request);
  return secret === null ? null : visitorOf(secret);
}

/** Makes a visitor and the Set-Cookie header that identifies its browser. */
export async function newVisitor(
  request: Request,
  env: CookieEnv,
): Promise<{ visitor: MailboxOwner; setCookie: string }> {
  const secret = randomSecret();
  return { visitor: visitorOf(secret), setCookie: await visitorCookie(request, env).serialize(secret) };
}

export function forgetVisitor(request: Request, env: CookieEnv): Promise<string> {
  return clearCookie(visitorCookie(request, env));
}

function visitorOf(secret: string): MailboxOwner {
  return { userId: ZERO_USER_ID, ownerDigest: sha256(secret) };
}

type CookieEnv = Pick<AppLoadContext["env"], "SESSION_SECRET">;

function visitorCookie(request: Request, env: CookieEnv) {
  return browserCookie(request, "growline_gmail", { maxAgeSeconds: COOKIE_SECONDS, secrets: env.SESSION_SECRET });
}
