import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

/**
 * The query that needs each index, as the rest of "select * from TABLE where". Written by hand beside the code it quotes:
 * a new index needs a line here, and an index that its query does not use fails. Every index costs a written row per row.
 */
const MAIN: Record<string, string> = {
  // Sessions, and what else an account signs in with.
  auth_sessions_refresh_digest_unique: "refresh_digest = ?",
  auth_sessions_by_user: "user_id = ?",
  auth_sessions_by_previous_digest: "previous_digest = ?",
  auth_sessions_by_expiry: "expires_at < ? limit 500",
  auth_sessions_by_end: "revoked_at < ? limit 500",
  spending_days_by_day: "day between ? and ?",
  security_events_by_user: "user_id = ? order by created_at desc, id desc",
  known_devices_by_last_log_in: "last_seen_at < ? limit 500",
  new_device_alerts_by_user: "user_id = ?",
  new_device_alerts_by_expiry: "expires_at < ? limit 500",
  auth_sessions_with_sockets:
    "sockets_due_at is not null and case when revoked_at is null then sockets_due_at else revoked_at end <= ? limit 100",
  email_changes_token_digest_unique: "token_digest = ?",
  email_changes_by_expiry: "expires_at < ? limit 500",
  email_verifications_by_user: "user_id = ?",
  email_verifications_by_expiry: "expires_at < ? limit 500",
  email_change_undos_token_digest_unique: "token_digest = ?",
  email_change_undos_by_user: "user_id = ?",
  email_change_undos_by_address: "old_email = ?",
  email_change_undos_by_expiry: "expires_at < ? limit 500",
  password_resets_by_user: "user_id = ?",
  password_resets_by_expiry: "expires_at < ? limit 500",
  passkeys_by_user: "user_id = ?",
  recovery_codes_by_user: "user_id = ?",
  staff_setup_links_by_expiry: "expires_at < ? limit 500",
  used_tokens_by_expiry: "expires_at < ? limit 500",
  profiles_email_unique: "email = ?",
  profiles_by_name: `full_name like 'a%' order by full_name collate nocase, email`,
  profiles_staff: `role <> 'customer' order by full_name collate nocase`,
  legacy_passwords_by_rounds: "rounds = ?",
  users_email_unique: "email = ?",
  customer_notes_by_user: "user_id = ? order by id desc",
  customer_notes_by_author: "author_id = ?",
  users_by_time: "created_at < ? order by created_at desc, id desc",
  // Alerts.
  alerts_open: `closed_at is null and condition = 'held_orders' and subject = ''`,
  alerts_closed: "closed_at is not null order by closed_at desc limit 20",
  alert_deliveries_due: "next_attempt_at <= ? order by next_attempt_at limit 10",
  alert_deliveries_by_alert: "alert_id = ? and created_at < ?",
  // API.
  api_keys_digest_unique: "digest = ?",
  api_keys_by_user: "user_id = ?",
  api_keys_revoked: "revoked_at is not null and revoked_at < ? limit 500",
  api_keys_expiring: "expires_at is not null and expires_at < ? limit 500",
  webhook_deliveries_pending: "next_attempt_at is not null and endpoint_id = ? order by id",
  webhook_deliveries_by_endpoint: "endpoint_id = ? order by id desc",
  webhook_endpoints_by_user: "user_id = ?",
  webhook_endpoints_behind:
    "disabled_at is null and wants_catalog = 1 and catalog_seen < ? order by catalog_seen limit 100",
  // Staff actions.
  audit_log_once_key_unique: "once_key = ?",
  audit_log_by_subject: "subject_type = ? and subject_id = ? order by id desc",
  audit_log_by_actor: "actor_id = ? order by id desc",
  audit_log_by_action: "action = ? order by id desc",
  audit_subjects_by_entry: "entry_id = ?",
  // Catalog.
  service_changes_news: "is_news = 1 and version < ? order by version desc limit 50",
  catalog_changes_by_time: "provider_id = ? order by created_at desc",
  quarantine_one_open: "decided_at is null and service_id = ?",
  quarantine_open: "decided_at is null and provider_id = ? order by reason, id",
  quarantine_decided: "decided_at < ? limit 500",
  providers_name_unique: "name = ?",
  services_once_per_provider: "provider_id = ? and provider_service_id = ?",
  services_by_position: "enabled = 1 order by position, id",
  service_times_late: "late >= 3 and open < late * 10 order by late desc, service_id desc limit 20",
  services_by_category: "network = ? order by category",
  // Emails.
  emails_due: `status = 'queued' and next_attempt_at <= ? order by next_attempt_at`,
  emails_failed: `status not in ('queued', 'sent') order by created_at desc`,
  emails_by_time: "created_at < ? limit 500",
  emails_by_user: "user_id = ?",
  email_suppressions_active: "lifted_at is null order by created_at desc",
  email_suppressions_lifted: "lifted_at < ?",
  email_suppressions_by_address: "lifted_at is null and email_address = ?",
  // Notifications.
  push_subscriptions_digest_unique: "digest = ?",
  push_subscriptions_by_owner: "owner = ? order by seen_at desc",
  push_subscriptions_by_session: "session_id in (select id from auth_sessions where revoked_at >= ?)",
  push_subscriptions_by_age: "seen_at < ? limit 500",
  push_deliveries_due: `status = 'queued' and next_attempt_at <= ? order by next_attempt_at`,
  push_deliveries_once: "subscription_id = ? and event = ?",
  // Gmail.
  gmail_messages_newest: "user_id = ? and owner_digest = ? order by internal_date desc",
  gmail_oauth_states_by_expiry: "expires_at < ? limit 500",
  gmail_oauth_states_by_owner: "user_id = ? and owner_digest = ?",
  gmail_sync_due: "next_sync_at <= ? order by next_sync_at",
  gmail_tokens_by_mailbox: "email_address = ?",
  gmail_tokens_one_per_owner: "user_id = ? and owner_digest = ?",
  // Orders.
  cancellations_to_send: `fulfillment = 'queued' and provider_id = ? and lease_until < ? order by lease_until`,
  cancellations_pending: `status = 'Pending'`,
  cancellations_for_staff: `status = 'Pending' and fulfillment in ('manual', 'held') order by order_id`,
  mass_orders_by_user: "user_id = ? order by id desc",
  mass_orders_once_per_key: "user_id = ? and idempotency_key = ?",
  orders_by_user: "is_test = 0 and user_id = ? order by id desc",
  orders_by_reference: `reference is not null and user_id = ? and is_test = ? and reference = ? order by id desc`,
  orders_of_tests: `is_test = 1 and user_id = ? order by id desc`,
  orders_by_status: `is_test = 0 and status <> 'Completed' and status = ? order by id desc`,
  orders_held: `fulfillment = 'held' and is_test = 0 order by id desc`,
  orders_held_for: `fulfillment = 'held' and is_test = 0 and held_for = ? order by id desc`,
  orders_by_link: "is_test = 0 and link_key = ? order by id desc",
  orders_by_service: "is_test = 0 and service_id = ? order by id desc",
  orders_by_any_reference: "is_test = 0 and reference = ? order by id desc",
  orders_by_hand: `fulfillment = 'manual' and is_test = 0 and status in ('Pending', 'Processing', 'In progress') order by id desc`,
  orders_held_to_check: `fulfillment = 'held' and provider_order_id is not null and status in ('Pending', 'Processing', 'In progress') and provider_id = ? order by id`,
  orders_by_provider_order: "provider_order_id = ? and provider_id = ?",
  orders_by_user_and_status: `is_test = 0 and user_id = ? and status = ? and status <> 'Completed' order by id desc`,
  orders_to_send: `fulfillment = 'queued' and provider_id = ? and lease_until <= ? order by lease_until, id`,
  orders_submitting: `fulfillment = 'submitting' and lease_until < ?`,
  orders_to_check: `fulfillment = 'accepted' and status in ('Pending', 'Processing', 'In progress') and provider_id = ? order by id desc`,
  orders_once_per_key: "user_id = ? and idempotency_key = ?",
  provider_log_by_order: "order_id = ? order by id desc",
  provider_log_by_provider: "order_id is null and provider_id = ? order by id desc",
  provider_words_once: "provider_id = ? and kind = ? and key = ?",
  unread_answers_by_time: "last_seen_at < ? limit 500",
  refills_one_open_per_order: `order_id = ? and status in ('Pending', 'In progress')`,
  refills_for_staff: `status in ('Pending', 'In progress') and fulfillment in ('manual', 'held') order by id`,
  refills_to_send: `fulfillment = 'queued' and provider_id = ? order by id`,
  refills_submitting: `fulfillment = 'submitting' and lease_until < ?`,
  refills_to_check: `fulfillment = 'accepted' and status in ('Pending', 'In progress') and provider_id = ? order by id`,
  refills_by_order: "order_id = ? order by id desc",
  // Settings.
  announcements_by_end: "kind = ? and ends_at > ? order by ends_at",
  // Support team.
  saved_replies_shortcut_unique: "shortcut = ?",
  saved_filters_once_per_name: "user_id = ? order by name",
  rate_limits_by_end: "resets_at < ? limit 500",
  // Top-ups.
  card_reversals_by_payment: "payment_intent = ?",
  checkouts_session_id_unique: "session_id = ?",
  checkouts_payment_intent_unique: "payment_intent = ?",
  checkouts_by_user: "user_id = ? order by created_at desc",
  checkouts_by_time: "true order by created_at desc, id desc",
  checkouts_reversed: "reversed > 0 order by created_at desc, id desc",
  checkouts_to_review: `status = 'review' order by created_at desc, id desc`,
  checkouts_unpaid: `status in ('open', 'failed', 'expired') and created_at < ? limit 500`,
  redeem_codes_digest_unique: "digest = ?",
  redeem_codes_by_batch: "batch_id = ? order by id",
  redeem_uses_by_user: "user_id = ?",
  redeem_uses_once_per_account: "code_id = ? and user_id = ?",
  tiers_name_unique: "name = ?",
  tiers_slot_unique: "slot = ?",
  percent_codes_digest_unique: "digest = ?",
  percent_code_uses_by_customer: "code_id = ? and user_id = ?",
  // Uploads.
  pending_uploads_key_unique: "key = ?",
  pending_uploads_by_user: "user_id = ? order by created_at desc",
  pending_uploads_by_age: "updated_at < ? order by updated_at",
  uploads_key_unique: "key = ?",
  uploads_by_user: "user_id = ? order by created_at desc",
  // Money.
  ledger_by_user: "user_id = ? order by id desc",
  ledger_credits_by_user: `user_id = ? and kind = ? and kind <> 'charge' order by id desc`,
  ledger_once_per_order_and_kind: "order_id = ? and kind = ?",
  ledger_faults_once: "rule = ? and subject = ?",
  wallets_low: "low_balance_notified = 0 and balance < low_balance_threshold",
  wallets_by_tier: "tier_id = ? order by user_id",
  wallets_recovered: "low_balance_notified = 1 and balance >= low_balance_threshold",
};

const SUPPORT: Record<string, string> = {
  support_cases_by_start: "started_at >= ?",
  support_cases_once: "session_id = ? and no = ?",
  support_messages_once_per_seq: "session_id = ? and seq = ?",
  support_notes_once: "session_id = ? and no = ?",
  support_mentions_by_agent: "agent_id = ? order by created_at desc",
  support_mentions_unread: "agent_id = ? and read_at is null order by created_at desc",
  support_mentions_to_mail: "read_at is null and emailed_at is null and created_at < ? order by created_at",
  support_sessions_session_id_unique: "session_id = ?",
  support_sessions_closed: `status = 'closed' order by updated_at desc, id desc`,
  support_sessions_by_user: "user_id = ?",
  support_sessions_by_assignee: `assignee_id = ? and status = 'open' order by updated_at desc, id desc`,
  support_sessions_snoozed: `status = 'open' and snoozed_until > 0 and snoozed_until > ? order by snoozed_until`,
  support_sessions_to_answer: `status = 'open' and respond_by > 0 and respond_by <= ? order by respond_by, id`,
  support_sessions_to_mail: `user_email is not null and reply_seq > user_read_seq and emailed_seq <= user_read_seq order by reply_at`,
};

for (const [binding, queries] of [["DB", MAIN] as const, ["DB_SUPPORT", SUPPORT] as const]) {
  test(`every index of ${binding} serves the query it is kept for`, async () => {
    const { results: indexes } = await env[binding]
      .prepare(
        "select name, tbl_name from sqlite_master where type = 'index' and sql is not null and name not like '\\_cf%' escape '\\'",
      )
      .all<{ name: string; tbl_name: string }>();
    expect(Object.keys(queries).toSorted()).toEqual(indexes.map(({ name }) => name).toSorted());
    const unused: string[] = [];
    for (const { name, tbl_name: table } of indexes) {
      const query = `explain query plan select * from ${table} where ${queries[name]}`;
      const { results } = await env[binding].prepare(query.replaceAll("?", "'1'")).all<{ detail: string }>();
      const plan = results.map(({ detail }) => detail).join("; ");
      if (!new RegExp(`\\bINDEX ${name}\\b`).test(plan)) unused.push(`${name}: ${plan}`);
    }
    expect(unused).toEqual([]);
  });
}
