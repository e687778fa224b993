import type { AppLoadContext } from "@remix-run/cloudflare";
import { sql } from "drizzle-orm";
import { newDeviceEmail } from "#app/accounts/emails/account-emails.ts";
import { makeEmailToken } from "#app/accounts/emails/email-tokens.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { countAttempt } from "#app/db/rate-limit.server.ts";
import { newDeviceAlerts } from "#app/db/schema.server.ts";
import { makeEmail, queueEmailToAccount } from "#app/email/queue-email.server.ts";
import { HOUR_MS, WEEK_MS } from "#app/time.ts";

export const ALERT_MS = WEEK_MS;
/** Per account. Clients that keep no cookies log in from a new device each time. */
const EMAILS_PER_HOUR = 5;

const TIME = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });

/**
 * Builds the statements that email the owner about a log-in from a device that the account hasn't used, with a link that
 * rejects it. Builds none if the owner has just had several such emails. It goes to the address that the account has by
 * then.
 */
export async function announceNewDevice(
  { db, env }: Pick<AppLoadContext, "db" | "env">,
  visit: Visit,
  { userId }: { userId: string },
  now: number,
) {
  const limit = { name: "new_device_email", who: userId, max: EMAILS_PER_HOUR, periodMs: HOUR_MS };
  if (!(await countAttempt(db, [limit])).ok) return [];
  const { token, digest } = makeEmailToken();
  const link = rejectionLink(visit, token);
  const how = {
    device: visit.device,
    time: `${TIME.format(now)} UTC`,
    network: visit.network ?? "unknown",
  };
  const queued = await makeEmail(env, "new_device", newDeviceEmail("", how, link));
  return [
    db.insert(newDeviceAlerts).values({ tokenDigest: digest, userId, createdAt: now, expiresAt: now + ALERT_MS }),
    ...queueEmailToAccount(db, queued, sql`${userId}`),
  ] as const;
}

/** Returns the address of the page that rejects what an email announced. */
export function rejectionLink({ origin }: Pick<Visit, "origin">, token: string): string {
  return `${origin}/account/not-me?${new URLSearchParams({ token })}`;
}
