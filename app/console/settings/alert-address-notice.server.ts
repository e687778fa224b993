import type { BatchItem } from "drizzle-orm/batch";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { composeEmail } from "#app/email/compose-email.ts";
import { makeEmail, queueEmail } from "#app/email/queue-email.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { alertRecipients } from "#app/settings/site-settings.ts";

type NoticeEnv = Pick<Env, "ALERT_EMAIL" | "ENCRYPTION_KEYS" | "PUBLIC_ORIGIN">;

/**
 * Returns the statements that email everybody who got alerts before a change of the addresses, so that nobody is removed
 * without hearing of it. Throws if the emails can't be encrypted: the change must fail then.
 */
export async function alertAddressNotices(
  db: Db,
  env: NoticeEnv,
  by: Actor,
  before: string[],
  after: string[],
): Promise<BatchItem<"sqlite">[]> {
  const told = alertRecipients(env, before);
  const parts = [
    `${by.name} changed who gets alerts of ${PRODUCT_NAME}.`,
    `Before: ${told.join(", ")}`,
    `From now on: ${alertRecipients(env, after).join(", ") || "nobody by email"}`,
    "If nobody told you about this, the account may be in the hands of somebody else. The audit log shows what else it did:",
    { link: `${env.PUBLIC_ORIGIN ?? ""}/admin/audit`, label: "Open the audit log" },
  ];
  const subject = `[${PRODUCT_NAME}] Who gets alerts was changed`;
  const made = await Promise.all(told.map((to) => makeEmail(env, "alert", composeEmail(to, subject, parts))));
  return made.map((email) => queueEmail(db, email));
}
