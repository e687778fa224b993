import { sql } from "drizzle-orm";
import { check, index, integer, text } from "drizzle-orm/sqlite-core";
import { users } from "./account-tables.server.ts";
import { caselessText, exported, internal, kept, oneOf, personalTable, secret, time } from "./column-types.server.ts";

export const EMAIL_KINDS = [
  "password_reset",
  "password_changed",
  "email_verification",
  "address_confirmation",
  "address_change_notice",
  "new_device",
  "factor_notice",
  "staff_setup",
  "address_changed",
  "unread_replies",
  "files_not_taken",
  "transcript",
  "mention",
  "alert",
  "report",
] as const;
export type EmailKind = (typeof EMAIL_KINDS)[number];

export const EMAIL_STATUSES = [
  "queued",
  "sent",
  "failed",
  "expired",
  /** Not sent, because the address is suppressed. */
  "suppressed",
  /** Sent, then returned by the recipient's mail server, or reported as spam. */
  "bounced",
  "complained",
] as const;
export type EmailStatus = (typeof EMAIL_STATUSES)[number];

export const SUPPRESSION_REASONS = ["bounced", "complained", "refused"] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** Outgoing emails, each in the same batch as what causes it. A row is its own outbox. */
export const emails = personalTable(
  "emails",
  {
    /** Also the idempotency key at the email API. */
    id: internal(text()).primaryKey(),
    /** The account that the email is about, if there is one. */
    userId: internal(text("user_id")).references(() => users.id, { onDelete: "cascade" }),
    recipient: exported(caselessText()).notNull(),
    kind: exported(text({ enum: EMAIL_KINDS })).notNull(),
    status: exported(text({ enum: EMAIL_STATUSES }))
      .notNull()
      .default("queued"),
    /** Subject and body, encrypted because they contain links that act for the recipient. Null once not queued. */
    sealedContent: secret(text("sealed_content")),
    attempts: internal(integer()).notNull().default(0),
    /** Time of the next attempt, or null once the email is not queued. */
    nextAttemptAt: internal(time("next_attempt_at")),
    /** The email is not sent after this. */
    expiresAt: internal(time("expires_at")).notNull(),
    lastError: internal(text("last_error")),
    createdAt: exported(time("created_at")).notNull(),
    /** When it was sent or given up. */
    finishedAt: exported(time("finished_at")),
  },
  (table) => [
    index("emails_due").on(table.nextAttemptAt).where(sql`"status" = 'queued'`),
    index("emails_failed").on(table.createdAt).where(sql`"status" not in ('queued', 'sent')`),
    index("emails_by_time").on(table.createdAt),
    index("emails_by_user").on(table.userId).where(sql`"user_id" is not null`),
    check("email_kind_known", oneOf("kind", EMAIL_KINDS)),
    check("email_status_known", oneOf("status", EMAIL_STATUSES)),
  ],
);

/** Addresses that get no more emails, because an earlier one bounced, was reported as spam or was refused. */
export const emailSuppressions = personalTable(
  "email_suppressions",
  {
    /** Digest of the address in lower case. It outlives the account, so that a complaint does too. */
    addressDigest: kept.shown(text("address_digest")).primaryKey(),
    /** For staff. Null once the account with this address is deleted. */
    emailAddress: internal(caselessText("email_address")),
    reason: kept.exported(text({ enum: SUPPRESSION_REASONS })).notNull(),
    /** The text of the mail server or the email API. */
    detail: internal(text()),
    /** When the email bounced, or was reported or refused. */
    createdAt: kept.exported(time("created_at")).notNull(),
    /** When staff allowed the address again. The row stays for a while: an older event must not suppress it again. */
    liftedAt: kept.exported(time("lifted_at")),
  },
  (table) => [
    index("email_suppressions_active").on(table.createdAt).where(sql`"lifted_at" is null`),
    index("email_suppressions_lifted").on(table.liftedAt).where(sql`"lifted_at" is not null`),
    index("email_suppressions_by_address").on(table.emailAddress).where(sql`"lifted_at" is null`),
    check("suppression_reason_known", oneOf("reason", SUPPRESSION_REASONS)),
  ],
);
