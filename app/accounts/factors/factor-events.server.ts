import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq } from "drizzle-orm";
import { rejectionLink } from "#app/accounts/devices/new-device-email.server.ts";
import { factorNoticeEmail } from "#app/accounts/emails/account-emails.ts";
import { eventStatement, logEvent, recordEvent } from "#app/accounts/events/security-events.server.ts";
import { TWO_STEP_PATH } from "#app/accounts/session/viewer.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { countAttempt } from "#app/db/rate-limit.server.ts";
import { users } from "#app/db/schema.server.ts";
import { makeEmail, queueEmail, sendQueuedSoon } from "#app/email/queue-email.server.ts";
import { HOUR_MS } from "#app/time.ts";

export type NamedFactor = { kind: "passkey"; name: string } | { kind: "totp" } | { kind: "codes" };
/** `alert`: the token of the link that rejects the factor. */
type Change =
  | { kind: "factor_added"; factor: NamedFactor; alert: string }
  | { kind: "factor_removed"; factor: NamedFactor }
  | { kind: "recovery_code_used"; left: number };

/**
 * Emails about one kind of change to an account. They wait in the queue that all accounts share, and the address may be a
 * stranger's. The kinds are apart, so that no flood hides a new factor: its own would be announced ten times first.
 */
const NOTICES_OF_KIND = { max: 10, periodMs: HOUR_MS };

/** Records a change of the factors as an event, and emails the owner, unless they had several such emails lately. */
export async function announceChange(
  context: AppLoadContext,
  visit: Visit,
  userId: string,
  change: Change,
): Promise<void> {
  const { db, env } = context;
  const [user] = await db.select({ email: users.email }).from(users).where(eq(users.id, userId)).limit(1);
  if (!user) return;
  const { origin } = visit;
  const links = {
    account: `${origin}${TWO_STEP_PATH}`,
    reset: `${origin}/reset-password`,
    notMe: change.kind === "factor_added" ? rejectionLink(visit, change.alert) : null,
  };
  const email = await makeEmail(env, "factor_notice", factorNoticeEmail(user.email, sentence(change), links), {
    userId,
  });
  const kind = "left" in change ? change.kind : `${change.kind}:${change.factor.kind}`;
  const mayEmail = await countAttempt(db, [{ name: `factor_notice:${kind}`, who: userId, ...NOTICES_OF_KIND }]);
  await db.batch([
    eventStatement(db, visit, userId, change.kind, detailOf(change)),
    ...(mayEmail.ok ? [queueEmail(db, email)] : []),
  ]);
  logEvent(context, userId, change.kind);
  sendQueuedSoon(context);
}

/** Records the use of a factor. A recovery code also emails the owner, because only ten exist. */
export async function announceUse(
  context: AppLoadContext,
  visit: Visit,
  userId: string,
  use: { factor: "passkey" | "totp" | "recovery_code"; left?: number },
): Promise<void> {
  if (use.factor === "recovery_code") {
    await announceChange(context, visit, userId, { kind: "recovery_code_used", left: use.left ?? 0 });
  } else {
    recordEvent(context, visit, userId, "factor_used", {
      factor: use.factor === "totp" ? "Authenticator app" : "Passkey",
    });
  }
}

/** Returns the factor's name for a list: "Passkey “Phone”". */
export function factorName(factor: NamedFactor): string {
  if (factor.kind === "passkey") return `Passkey “${factor.name}”`;
  return factor.kind === "totp" ? "Authenticator app" : "Recovery codes";
}

function detailOf(change: Change): Record<string, string> {
  return "left" in change ? { left: String(change.left) } : { factor: factorName(change.factor) };
}

function sentence(change: Change): string {
  if ("left" in change) return `A recovery code was used. You have ${change.left} left.`;
  return `${subjectOf(change.factor)} was ${change.kind === "factor_added" ? "added to" : "removed from"} your account.`;
}

function subjectOf(factor: NamedFactor): string {
  if (factor.kind === "passkey") return `The passkey “${factor.name}”`;
  return factor.kind === "totp" ? "An authenticator app" : "A new set of recovery codes";
}
