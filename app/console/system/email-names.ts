import type { Tone } from "#app/components/ui/badge.tsx";
import { cutText } from "#app/cut-text.ts";
import type { EmailKind, EmailStatus, SuppressionReason } from "#app/db/schema.server.ts";

export const EMAIL_VIEWS = ["failed", "waiting", "suppressed"] as const;
export type EmailView = (typeof EMAIL_VIEWS)[number];

const MAX_SEARCH_CHARACTERS = 254;

/** Reads the start of a suppressed address that the URL searches for. */
export function readAddressSearch(searchParams: URLSearchParams): string {
  return cutText((searchParams.get("q") ?? "").trim(), MAX_SEARCH_CHARACTERS);
}

export const EMAIL_VIEW_NAMES: Record<EmailView, string> = {
  failed: "Failed",
  waiting: "Waiting",
  suppressed: "Suppressed addresses",
};

export const EMAIL_KIND_NAMES: Record<EmailKind, string> = {
  password_reset: "Password reset",
  password_changed: "Password changed",
  email_verification: "Email verification",
  address_confirmation: "Address confirmation",
  address_change_notice: "Address change notice",
  new_device: "New device",
  factor_notice: "Two-step login changed",
  staff_setup: "Two-step setup for staff",
  address_changed: "Address changed",
  unread_replies: "Unread replies",
  files_not_taken: "Files not taken",
  transcript: "Conversation",
  mention: "Mention in a team note",
  alert: "Alert",
  report: "Weekly report",
};

export const EMAIL_STATUS_NAMES: Record<EmailStatus, { name: string; tone: Tone }> = {
  queued: { name: "Waiting", tone: "active" },
  sent: { name: "Sent", tone: "good" },
  failed: { name: "Refused", tone: "bad" },
  expired: { name: "Expired", tone: "bad" },
  suppressed: { name: "Address suppressed", tone: "warn" },
  bounced: { name: "Bounced", tone: "bad" },
  complained: { name: "Reported as spam", tone: "warn" },
};

export const SUPPRESSION_REASON_NAMES: Record<SuppressionReason, { name: string; tone: Tone }> = {
  bounced: EMAIL_STATUS_NAMES.bounced,
  complained: EMAIL_STATUS_NAMES.complained,
  refused: EMAIL_STATUS_NAMES.failed,
};
