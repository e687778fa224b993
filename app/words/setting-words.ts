import type { FieldWords } from "./field-words.ts";
import { LINK_CHECK_WORDS } from "./service-words.ts";

/** What the settings of the whole product are called. */
export const SETTING_WORDS = {
  maintenance: "Maintenance mode",
  min_top_up: "Minimum top-up",
  refund_policy: "Refund policy",
  terms_url: "Terms of service",
  alert_emails: "More alert addresses",
  report_emails: "Weekly report goes to",
  link_check: { label: "Link check of new services", values: LINK_CHECK_WORDS },
  conversations_kept_days: "Closed conversations",
  emails_kept_days: "Sent emails",
  webhook_deliveries_kept_days: "Webhook deliveries",
  provider_log_kept_days: "Provider responses",
} as const satisfies FieldWords;
