CREATE TABLE `account_deletions` (
	`user_id` text PRIMARY KEY NOT NULL,
	`requested_at` integer NOT NULL,
	`attempted_at` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `auth_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`refresh_digest` text,
	`previous_digest` text,
	`rotated_at` integer,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`user_agent` text DEFAULT '' NOT NULL,
	`revoked_at` integer,
	`sockets_due_at` integer,
	`verified_at` integer NOT NULL,
	`second_factor_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_sessions_refresh_digest_unique` ON `auth_sessions` (`refresh_digest`);--> statement-breakpoint
CREATE INDEX `auth_sessions_by_user` ON `auth_sessions` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `auth_sessions_by_previous_digest` ON `auth_sessions` (`previous_digest`);--> statement-breakpoint
CREATE INDEX `auth_sessions_by_expiry` ON `auth_sessions` (`expires_at`);--> statement-breakpoint
CREATE INDEX `auth_sessions_by_end` ON `auth_sessions` (`revoked_at`) WHERE "revoked_at" is not null;--> statement-breakpoint
CREATE INDEX `auth_sessions_with_sockets` ON `auth_sessions` (case when "revoked_at" is null then "sockets_due_at" else "revoked_at" end) WHERE "sockets_due_at" is not null;--> statement-breakpoint
CREATE TABLE `customer_notes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text NOT NULL,
	`body` text NOT NULL,
	`author_id` text,
	`author_name` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "customer_note_length" CHECK(length("body") between 1 and 2000)
) STRICT;
--> statement-breakpoint
CREATE INDEX `customer_notes_by_user` ON `customer_notes` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `customer_notes_by_author` ON `customer_notes` (`author_id`) WHERE "author_id" is not null;--> statement-breakpoint
CREATE TABLE `email_changes` (
	`user_id` text PRIMARY KEY NOT NULL,
	`token_digest` text NOT NULL,
	`new_email` text COLLATE NOCASE NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `email_changes_token_digest_unique` ON `email_changes` (`token_digest`);--> statement-breakpoint
CREATE INDEX `email_changes_by_expiry` ON `email_changes` (`expires_at`);--> statement-breakpoint
CREATE TABLE `password_resets` (
	`token_digest` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `password_resets_by_user` ON `password_resets` (`user_id`);--> statement-breakpoint
CREATE INDEX `password_resets_by_expiry` ON `password_resets` (`expires_at`);--> statement-breakpoint
CREATE TABLE `profiles` (
	`user_id` text PRIMARY KEY NOT NULL,
	`email` text COLLATE NOCASE NOT NULL,
	`full_name` text DEFAULT '' NOT NULL,
	`role` text DEFAULT 'customer' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "profile_role_known" CHECK("role" in ('customer', 'agent', 'admin'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `profiles_email_unique` ON `profiles` (`email`);--> statement-breakpoint
CREATE INDEX `profiles_by_name` ON `profiles` ("full_name" collate nocase,"email");--> statement-breakpoint
CREATE INDEX `profiles_staff` ON `profiles` ("full_name" collate nocase) WHERE "role" <> 'customer';--> statement-breakpoint
CREATE TABLE `temp_mysql_passwords` (
	`user_id` text PRIMARY KEY NOT NULL,
	`mysql_password_hash` text,
	`migrated` integer DEFAULT false NOT NULL,
	`rounds` integer GENERATED ALWAYS AS (case when "mysql_password_hash" glob '$2[aby]$[0-3][0-9]$*' then cast(substr("mysql_password_hash", 5, 2) as integer) end) VIRTUAL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "legacy_migrated_is_flag" CHECK("migrated" in (0, 1)),
	CONSTRAINT "legacy_hash_until_migrated" CHECK("migrated" = 1 or "mysql_password_hash" is not null)
) STRICT;
--> statement-breakpoint
CREATE INDEX `legacy_passwords_by_rounds` ON `temp_mysql_passwords` (`rounds`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text COLLATE NOCASE NOT NULL,
	`password_hash` text,
	`created_at` integer NOT NULL,
	`email_confirmed_at` integer,
	`suspended_at` integer,
	`updated_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE INDEX `users_by_time` ON `users` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `alert_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`alert_id` text NOT NULL,
	`body` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`last_status` integer,
	`last_error` text,
	`delivered_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`alert_id`) REFERENCES `alerts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `alert_deliveries_due` ON `alert_deliveries` (`next_attempt_at`) WHERE "next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX `alert_deliveries_by_alert` ON `alert_deliveries` (`alert_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `alerts` (
	`id` text PRIMARY KEY NOT NULL,
	`condition` text NOT NULL,
	`subject` text NOT NULL,
	`facts` text NOT NULL,
	`opened_at` integer NOT NULL,
	`facts_at` integer NOT NULL,
	`clear_since` integer,
	`closed_at` integer,
	CONSTRAINT "alert_condition_known" CHECK("condition" in ('held_orders', 'provider_unavailable', 'provider_balance', 'provider_costs', 'catalog_waiting', 'catalog_unread', 'job_failed', 'job_late', 'ledger_fault', 'email_failing', 'database_size', 'backup_missing'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_open` ON `alerts` (`condition`,`subject`) WHERE "closed_at" is null;--> statement-breakpoint
CREATE INDEX `alerts_closed` ON `alerts` (`closed_at`) WHERE "closed_at" is not null;--> statement-breakpoint
CREATE TABLE `database_sizes` (
	`day` integer PRIMARY KEY NOT NULL,
	`main_bytes` integer,
	`support_bytes` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `job_runs` (
	`job` text PRIMARY KEY NOT NULL,
	`schedule` text NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`succeeded_at` integer,
	`failing_since` integer,
	`failed_at` text DEFAULT '[]' NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	CONSTRAINT "job_run_schedule_known" CHECK("schedule" in ('minute', 'night'))
) STRICT;
--> statement-breakpoint
CREATE TABLE `provider_balances` (
	`provider_id` integer PRIMARY KEY NOT NULL,
	`account` text DEFAULT '' NOT NULL,
	`asked_at` integer NOT NULL,
	`balance` integer,
	`currency` text DEFAULT '' NOT NULL,
	`read_at` integer,
	`first_read_at` integer,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `provider_use_days` (
	`provider_id` integer NOT NULL,
	`day` integer NOT NULL,
	`spent` integer DEFAULT 0 NOT NULL,
	`risen` integer DEFAULT 0 NOT NULL,
	`cost` integer DEFAULT 0 NOT NULL,
	`calls` integer DEFAULT 0 NOT NULL,
	`errors` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`provider_id`, `day`),
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "provider_use_errors_within_calls" CHECK("errors" between 0 and "calls")
) STRICT;
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`digest` text NOT NULL,
	`prefix` text NOT NULL,
	`can_read` integer DEFAULT true NOT NULL,
	`can_order` integer DEFAULT true NOT NULL,
	`is_test` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`expires_at` integer,
	`replaced_at` integer,
	`replaced_by` text,
	`revoked_at` integer,
	`addresses` text DEFAULT '[]' NOT NULL,
	`daily_cap` integer,
	`spent` integer DEFAULT 0 NOT NULL,
	`spent_day` integer DEFAULT 0 NOT NULL,
	`networks` text DEFAULT '[]' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "api_key_scopes" CHECK("can_read" in (0, 1) and "can_order" in (0, 1)),
	CONSTRAINT "api_key_cap_positive" CHECK("daily_cap" > 0),
	CONSTRAINT "api_key_spent_not_negative" CHECK("spent" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_digest_unique` ON `api_keys` (`digest`);--> statement-breakpoint
CREATE INDEX `api_keys_by_user` ON `api_keys` (`user_id`);--> statement-breakpoint
CREATE INDEX `api_keys_revoked` ON `api_keys` (`revoked_at`) WHERE "revoked_at" is not null;--> statement-breakpoint
CREATE INDEX `api_keys_expiring` ON `api_keys` (`expires_at`) WHERE "expires_at" is not null;--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`id` integer PRIMARY KEY NOT NULL,
	`message_id` text NOT NULL,
	`endpoint_id` text NOT NULL,
	`event` text NOT NULL,
	`body` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`delivered_at` integer,
	`last_status` integer,
	`last_error` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`endpoint_id`) REFERENCES `webhook_endpoints`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "webhook_event_known" CHECK("event" in ('order.completed', 'order.partial', 'order.canceled', 'balance.low', 'service.changed', 'webhook.test'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_pending` ON `webhook_deliveries` (`endpoint_id`) WHERE "next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_by_endpoint` ON `webhook_deliveries` (`endpoint_id`);--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`url` text NOT NULL,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_until` integer,
	`created_at` integer NOT NULL,
	`failing_since` integer,
	`disabled_at` integer,
	`wants_orders` integer DEFAULT true NOT NULL,
	`wants_catalog` integer DEFAULT false NOT NULL,
	`catalog_seen` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "webhook_endpoint_wants" CHECK("wants_orders" in (0, 1) and "wants_catalog" in (0, 1) and "wants_orders" + "wants_catalog" > 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_endpoints_by_user` ON `webhook_endpoints` (`user_id`);--> statement-breakpoint
CREATE INDEX `webhook_endpoints_behind` ON `webhook_endpoints` (`catalog_seen`) WHERE "disabled_at" is null and "wants_catalog" = 1;--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`actor_id` text NOT NULL,
	`actor_name` text NOT NULL,
	`action` text NOT NULL,
	`subject_type` text NOT NULL,
	`subject_id` text NOT NULL,
	`detail` text DEFAULT '{}' NOT NULL,
	`once_key` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_log_once_key_unique` ON `audit_log` (`once_key`);--> statement-breakpoint
CREATE INDEX `audit_log_by_subject` ON `audit_log` (`subject_type`,`subject_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_log_by_actor` ON `audit_log` (`actor_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_log_by_action` ON `audit_log` (`action`,`id`);--> statement-breakpoint
CREATE TABLE `audit_subjects` (
	`entry_id` integer NOT NULL,
	`subject_type` text NOT NULL,
	`subject_id` text NOT NULL,
	PRIMARY KEY(`subject_type`, `subject_id`, `entry_id`),
	FOREIGN KEY (`entry_id`) REFERENCES `audit_log`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_subjects_by_entry` ON `audit_subjects` (`entry_id`);--> statement-breakpoint
CREATE TABLE `backup_changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`table_name` text NOT NULL,
	`row_id` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `backup_chunks` (
	`no` integer PRIMARY KEY NOT NULL,
	`database` text NOT NULL,
	`kind` text NOT NULL,
	`table_name` text NOT NULL,
	`rows` integer NOT NULL,
	`bytes` integer NOT NULL,
	`sha256` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `backup_gone_files` (
	`key` text PRIMARY KEY NOT NULL,
	`gone_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `backup_restores` (
	`backup_id` text PRIMARY KEY NOT NULL,
	`restored_at` integer NOT NULL,
	`released_at` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `backup_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`started_at` integer NOT NULL,
	`lease_id` text DEFAULT '' NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`progress` text NOT NULL,
	`error` text,
	`failed_at` integer,
	`finished_at` integer,
	`cut_at` integer,
	`ledger_id` integer,
	`rows` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `erasures` (
	`digest` text PRIMARY KEY NOT NULL,
	`erased_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `catalog_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`provider_id` integer NOT NULL,
	`provider_service_id` text NOT NULL,
	`kind` text NOT NULL,
	`before` text DEFAULT '' NOT NULL,
	`after` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "catalog_change_known" CHECK("kind" in ('added', 'price', 'limits', 'type', 'vanished', 'unreadable', 'quarantined', 'released'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `catalog_changes_by_time` ON `catalog_changes` (`provider_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `catalog_version` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`history_from` integer DEFAULT 0 NOT NULL,
	CONSTRAINT "catalog_version_is_one_row" CHECK("id" = 1)
) STRICT;
--> statement-breakpoint
CREATE TABLE `favorites` (
	`user_id` text NOT NULL,
	`service_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`seen_rate` integer,
	PRIMARY KEY(`user_id`, `service_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `price_rules` (
	`provider_id` integer NOT NULL,
	`category` text NOT NULL,
	`margin` integer NOT NULL,
	`round_to` integer DEFAULT 1 NOT NULL,
	`minimum` integer DEFAULT 0 NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	PRIMARY KEY(`provider_id`, `category`),
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "price_rule_margin_bounded" CHECK("margin" between 0 and 9500),
	CONSTRAINT "price_rule_amounts" CHECK("round_to" >= 1 and "minimum" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `providers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`api_url` text NOT NULL,
	`encrypted_key` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`open_until` integer DEFAULT 0 NOT NULL,
	`paused_for` text,
	`paused_until` integer DEFAULT 0 NOT NULL,
	`concurrent_calls` integer DEFAULT 5 NOT NULL,
	`calls_per_minute` integer,
	`convention` text DEFAULT 'panel-api-v2' NOT NULL,
	`dialect` text DEFAULT '{}' NOT NULL,
	`honors_idempotency_keys` integer DEFAULT false NOT NULL,
	`splits_comments` integer DEFAULT false NOT NULL,
	`rise_limit` integer DEFAULT 2000 NOT NULL,
	`catalog_read_at` integer,
	`created_at` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	CONSTRAINT "provider_enabled_is_flag" CHECK("enabled" in (0, 1)),
	CONSTRAINT "provider_failures_not_negative" CHECK("failures" >= 0),
	CONSTRAINT "provider_concurrent_calls_bounded" CHECK("concurrent_calls" between 1 and 6),
	CONSTRAINT "provider_calls_per_minute_positive" CHECK("calls_per_minute" >= 1),
	CONSTRAINT "provider_honors_keys_is_flag" CHECK("honors_idempotency_keys" in (0, 1)),
	CONSTRAINT "provider_splits_comments_is_flag" CHECK("splits_comments" in (0, 1)),
	CONSTRAINT "provider_rise_limit_bounded" CHECK("rise_limit" between 100 and 10000)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `providers_name_unique` ON `providers` (`name`);--> statement-breakpoint
CREATE TABLE `quarantine` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`provider_id` integer NOT NULL,
	`service_id` integer NOT NULL,
	`reason` text NOT NULL,
	`offered` text,
	`paused` integer NOT NULL,
	`found_at` integer NOT NULL,
	`decided_at` integer,
	`decision` text,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "quarantine_reason_known" CHECK("reason" in ('jump', 'below_cost', 'rise', 'drop', 'type', 'limits', 'gone')),
	CONSTRAINT "quarantine_decision_known" CHECK("decision" in ('take', 'keep', 'off', 'gone_by')),
	CONSTRAINT "quarantine_decided_whole" CHECK(("decided_at" is null) = ("decision" is null)),
	CONSTRAINT "quarantine_paused_is_flag" CHECK("paused" in (0, 1))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `quarantine_one_open` ON `quarantine` (`service_id`) WHERE "decided_at" is null;--> statement-breakpoint
CREATE INDEX `quarantine_open` ON `quarantine` (`provider_id`,`reason`,`id`) WHERE "decided_at" is null;--> statement-breakpoint
CREATE INDEX `quarantine_decided` ON `quarantine` (`decided_at`) WHERE "decided_at" is not null;--> statement-breakpoint
CREATE TABLE `service_changes` (
	`version` integer PRIMARY KEY NOT NULL,
	`service_id` integer NOT NULL,
	`before` text,
	`after` text,
	`is_news` integer NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `service_changes_news` ON `service_changes` (`version`) WHERE "is_news" = 1;--> statement-breakpoint
CREATE TABLE `service_days` (
	`day` integer NOT NULL,
	`service_id` integer NOT NULL,
	`ended` text NOT NULL,
	`newly_ended` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`day`, `service_id`),
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `service_times` (
	`service_id` integer PRIMARY KEY NOT NULL,
	`p50_ms` integer,
	`p90_ms` integer,
	`completed` integer NOT NULL,
	`partial` integer NOT NULL,
	`canceled` integer NOT NULL,
	`open` integer NOT NULL,
	`orders` integer DEFAULT 0 NOT NULL,
	`late` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "service_times_in_order" CHECK("p50_ms" > 0 and "p90_ms" >= "p50_ms"),
	CONSTRAINT "service_times_counts" CHECK("completed" >= 0 and "partial" >= 0 and "canceled" >= 0 and "open" >= 0 and "orders" >= 0 and "late" >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `service_times_late` ON `service_times` (`late`) WHERE "late" >= 3 and "open" < "late" * 10;--> statement-breakpoint
CREATE TABLE `services` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`network` text NOT NULL,
	`category` text NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`type` text DEFAULT 'Default' NOT NULL,
	`rate` integer NOT NULL,
	`min` integer NOT NULL,
	`max` integer NOT NULL,
	`dripfeed` integer DEFAULT false NOT NULL,
	`refill` integer DEFAULT false NOT NULL,
	`refill_days` integer,
	`cancel` integer DEFAULT false NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`provider_id` integer,
	`provider_service_id` text,
	`provider_rate` integer,
	`position` integer DEFAULT 0 NOT NULL,
	`link_kind` text DEFAULT 'any' NOT NULL,
	`link_check` text DEFAULT 'off' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`rule_rate` integer,
	`decided_rate` integer,
	`decided_cost` integer,
	`kept_while_gone` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "service_type_known" CHECK("type" in ('Default', 'Package', 'SEO', 'Custom Comments', 'Custom Comments Package', 'Mentions', 'Mentions with Hashtags', 'Mentions Custom List', 'Mentions Hashtag', 'Mentions User Followers', 'Mentions Media Likers', 'Comment Likes', 'Comment Replies', 'Poll', 'Invites from Groups', 'Subscriptions', 'Web Traffic')),
	CONSTRAINT "service_link_kind_known" CHECK("link_kind" in ('any', 'profile', 'post', 'video', 'short', 'story', 'live', 'comment', 'clip', 'channel', 'group', 'event', 'track', 'album', 'playlist', 'place', 'site')),
	CONSTRAINT "service_link_check_known" CHECK("link_check" in ('strict', 'warn', 'off')),
	CONSTRAINT "service_rate_not_negative" CHECK("rate" >= 0),
	CONSTRAINT "service_limits_in_order" CHECK("min" >= 1 and "max" >= "min" and "max" <= 2147483647),
	CONSTRAINT "service_flags" CHECK("dripfeed" in (0, 1) and "refill" in (0, 1) and "cancel" in (0, 1) and "enabled" in (0, 1) and "kept_while_gone" in (0, 1)),
	CONSTRAINT "service_refill_days_bounded" CHECK("refill_days" between 1 and 3650),
	CONSTRAINT "service_forward_is_whole" CHECK(("provider_id" is null) = ("provider_service_id" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `services_once_per_provider` ON `services` (`provider_id`,`provider_service_id`);--> statement-breakpoint
CREATE INDEX `services_by_position` ON `services` (`enabled`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `services_by_category` ON `services` (`network`,`category`);--> statement-breakpoint
CREATE TABLE `known_devices` (
	`user_id` text NOT NULL,
	`device_digest` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `device_digest`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `known_devices_by_last_log_in` ON `known_devices` (`last_seen_at`);--> statement-breakpoint
CREATE TABLE `new_device_alerts` (
	`token_digest` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`subject` text DEFAULT 'log_in' NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "alert_subject_known" CHECK("subject" in ('log_in', 'factor'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `new_device_alerts_by_user` ON `new_device_alerts` (`user_id`);--> statement-breakpoint
CREATE INDEX `new_device_alerts_by_expiry` ON `new_device_alerts` (`expires_at`);--> statement-breakpoint
CREATE TABLE `email_change_undos` (
	`id` integer PRIMARY KEY NOT NULL,
	`token_digest` text NOT NULL,
	`user_id` text NOT NULL,
	`old_email` text COLLATE NOCASE NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `email_change_undos_token_digest_unique` ON `email_change_undos` (`token_digest`);--> statement-breakpoint
CREATE INDEX `email_change_undos_by_user` ON `email_change_undos` (`user_id`);--> statement-breakpoint
CREATE INDEX `email_change_undos_by_address` ON `email_change_undos` (`old_email`);--> statement-breakpoint
CREATE INDEX `email_change_undos_by_expiry` ON `email_change_undos` (`expires_at`);--> statement-breakpoint
CREATE TABLE `email_verifications` (
	`token_digest` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`email` text COLLATE NOCASE NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `email_verifications_by_user` ON `email_verifications` (`user_id`);--> statement-breakpoint
CREATE INDEX `email_verifications_by_expiry` ON `email_verifications` (`expires_at`);--> statement-breakpoint
CREATE TABLE `email_suppressions` (
	`address_digest` text PRIMARY KEY NOT NULL,
	`email_address` text COLLATE NOCASE,
	`reason` text NOT NULL,
	`detail` text,
	`created_at` integer NOT NULL,
	`lifted_at` integer,
	CONSTRAINT "suppression_reason_known" CHECK("reason" in ('bounced', 'complained', 'refused'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `email_suppressions_active` ON `email_suppressions` (`created_at`) WHERE "lifted_at" is null;--> statement-breakpoint
CREATE INDEX `email_suppressions_lifted` ON `email_suppressions` (`lifted_at`) WHERE "lifted_at" is not null;--> statement-breakpoint
CREATE INDEX `email_suppressions_by_address` ON `email_suppressions` (`email_address`) WHERE "lifted_at" is null;--> statement-breakpoint
CREATE TABLE `emails` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text,
	`recipient` text COLLATE NOCASE NOT NULL,
	`kind` text NOT NULL,
	`status` text DEFAULT 'queued' NOT NULL,
	`sealed_content` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`expires_at` integer NOT NULL,
	`last_error` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "email_kind_known" CHECK("kind" in ('password_reset', 'password_changed', 'email_verification', 'address_confirmation', 'address_change_notice', 'new_device', 'factor_notice', 'staff_setup', 'address_changed', 'unread_replies', 'files_not_taken', 'transcript', 'mention', 'alert', 'report')),
	CONSTRAINT "email_status_known" CHECK("status" in ('queued', 'sent', 'failed', 'expired', 'suppressed', 'bounced', 'complained'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `emails_due` ON `emails` (`next_attempt_at`) WHERE "status" = 'queued';--> statement-breakpoint
CREATE INDEX `emails_failed` ON `emails` (`created_at`) WHERE "status" not in ('queued', 'sent');--> statement-breakpoint
CREATE INDEX `emails_by_time` ON `emails` (`created_at`);--> statement-breakpoint
CREATE INDEX `emails_by_user` ON `emails` (`user_id`) WHERE "user_id" is not null;--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`public_key` text NOT NULL,
	`sign_count` integer NOT NULL,
	`transports` text DEFAULT '' NOT NULL,
	`name` text NOT NULL,
	`device_type` text NOT NULL,
	`backed_up` integer NOT NULL,
	`is_second_factor` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "passkey_device_type_known" CHECK("device_type" in ('singleDevice', 'multiDevice')),
	CONSTRAINT "passkey_backed_up_is_flag" CHECK("backed_up" in (0, 1)),
	CONSTRAINT "passkey_second_factor_is_flag" CHECK("is_second_factor" in (0, 1))
) STRICT;
--> statement-breakpoint
CREATE INDEX `passkeys_by_user` ON `passkeys` (`user_id`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`digest` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `recovery_codes_by_user` ON `recovery_codes` (`user_id`);--> statement-breakpoint
CREATE TABLE `staff_setup_links` (
	`user_id` text PRIMARY KEY NOT NULL,
	`token_digest` text NOT NULL,
	`is_emailed` integer NOT NULL,
	`session_id` text,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `staff_setup_links_by_expiry` ON `staff_setup_links` (`expires_at`);--> statement-breakpoint
CREATE TABLE `totp_secrets` (
	`user_id` text PRIMARY KEY NOT NULL,
	`sealed_secret` text NOT NULL,
	`created_at` integer NOT NULL,
	`confirmed_at` integer,
	`last_step` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `used_tokens` (
	`digest` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `used_tokens_by_expiry` ON `used_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `gmail_messages` (
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`owner_digest` text DEFAULT '' NOT NULL,
	`from_email` text NOT NULL,
	`from_name` text DEFAULT '' NOT NULL,
	`subject` text DEFAULT '' NOT NULL,
	`snippet` text DEFAULT '' NOT NULL,
	`internal_date` integer NOT NULL,
	PRIMARY KEY(`user_id`, `owner_digest`, `id`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `gmail_messages_newest` ON `gmail_messages` (`user_id`,`owner_digest`,`internal_date`);--> statement-breakpoint
CREATE TABLE `gmail_oauth_states` (
	`state_digest` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`owner_digest` text DEFAULT '' NOT NULL,
	`browser_digest` text NOT NULL,
	`code_verifier` text NOT NULL,
	`mode` text NOT NULL,
	`expires_at` integer NOT NULL,
	CONSTRAINT "gmail_oauth_mode_known" CHECK("mode" in ('popup', 'page', 'app'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `gmail_oauth_states_by_expiry` ON `gmail_oauth_states` (`expires_at`);--> statement-breakpoint
CREATE INDEX `gmail_oauth_states_by_owner` ON `gmail_oauth_states` (`user_id`,`owner_digest`);--> statement-breakpoint
CREATE TABLE `gmail_sync_status` (
	`user_id` text NOT NULL,
	`owner_digest` text DEFAULT '' NOT NULL,
	`last_sync_at` integer,
	`total_messages` integer DEFAULT 0 NOT NULL,
	`history_id` text,
	`auto_sync` integer DEFAULT false NOT NULL,
	`last_error` text,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`lease_id` text,
	`pending` text DEFAULT '[]' NOT NULL,
	`pending_history_id` text,
	`progress` integer DEFAULT 0 NOT NULL,
	`progress_total` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`next_sync_at` integer,
	PRIMARY KEY(`user_id`, `owner_digest`),
	CONSTRAINT "gmail_total_not_negative" CHECK("total_messages" >= 0),
	CONSTRAINT "gmail_auto_sync_is_flag" CHECK("auto_sync" in (0, 1))
) STRICT;
--> statement-breakpoint
CREATE INDEX `gmail_sync_due` ON `gmail_sync_status` (`next_sync_at`) WHERE "next_sync_at" is not null;--> statement-breakpoint
CREATE TABLE `gmail_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text NOT NULL,
	`owner_digest` text DEFAULT '' NOT NULL,
	`access_token` text,
	`refresh_token` text,
	`email_address` text,
	`scope` text DEFAULT '' NOT NULL,
	`expires_at` integer DEFAULT 0 NOT NULL,
	`refresh_lease_until` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `gmail_tokens_by_mailbox` ON `gmail_tokens` (`email_address`);--> statement-breakpoint
CREATE UNIQUE INDEX `gmail_tokens_one_per_owner` ON `gmail_tokens` (`user_id`,`owner_digest`);--> statement-breakpoint
CREATE TABLE `import_skips` (
	`address_digest` text PRIMARY KEY NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `request_hours` (
	`hour` integer NOT NULL,
	`area` text NOT NULL,
	`requests` integer NOT NULL,
	`errors` integer NOT NULL,
	`refused` integer NOT NULL,
	`ms` integer NOT NULL,
	`queries` integer NOT NULL,
	`rows_read` integer NOT NULL,
	`rows_written` integer NOT NULL,
	`durations` text NOT NULL,
	PRIMARY KEY(`hour`, `area`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `status_changes` (
	`component` text NOT NULL,
	`started_at` integer NOT NULL,
	`state` text NOT NULL,
	PRIMARY KEY(`component`, `started_at`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `cancellations` (
	`order_id` integer PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`status` text DEFAULT 'Pending' NOT NULL,
	`provider_id` integer,
	`fulfillment` text NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "cancellation_status_known" CHECK("status" in ('Pending', 'Accepted', 'Rejected')),
	CONSTRAINT "cancellation_fulfillment_known" CHECK("fulfillment" in ('manual', 'queued', 'submitting', 'accepted', 'rejected', 'held'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `cancellations_to_send` ON `cancellations` (`provider_id`,`lease_until`) WHERE "fulfillment" = 'queued';--> statement-breakpoint
CREATE INDEX `cancellations_pending` ON `cancellations` (`order_id`) WHERE "status" = 'Pending';--> statement-breakpoint
CREATE INDEX `cancellations_for_staff` ON `cancellations` (`order_id`) WHERE "status" = 'Pending' and "fulfillment" in ('manual', 'held');--> statement-breakpoint
CREATE TABLE `mass_orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`request_digest` text NOT NULL,
	`source` text DEFAULT '' NOT NULL,
	`placed` integer NOT NULL,
	`skipped` integer NOT NULL,
	`charge` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "mass_order_counts" CHECK("placed" >= 1 and "skipped" >= 0 and "charge" >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `mass_orders_by_user` ON `mass_orders` (`user_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `mass_orders_once_per_key` ON `mass_orders` (`user_id`,`idempotency_key`);--> statement-breakpoint
CREATE TABLE `open_orders` (
	`status` text NOT NULL,
	`fulfillment` text NOT NULL,
	`orders` integer NOT NULL,
	`late` integer NOT NULL,
	`still` integer NOT NULL,
	`oldest_at` integer NOT NULL,
	PRIMARY KEY(`status`, `fulfillment`),
	CONSTRAINT "open_orders_status_known" CHECK("status" in ('Pending', 'Processing', 'In progress', 'Completed', 'Partial', 'Canceled')),
	CONSTRAINT "open_orders_fulfillment_known" CHECK("fulfillment" in ('manual', 'queued', 'submitting', 'accepted', 'rejected', 'held')),
	CONSTRAINT "open_orders_counts" CHECK("orders" >= 1 and "late" between 0 and "orders" and "still" between 0 and "orders")
) STRICT;
--> statement-breakpoint
CREATE TABLE `orders` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`service_id` integer NOT NULL,
	`type` text NOT NULL,
	`link` text NOT NULL,
	`link_key` integer,
	`quantity` integer NOT NULL,
	`runs` integer DEFAULT 1 NOT NULL,
	`interval_minutes` integer,
	`provider_fields` text DEFAULT '{}' NOT NULL,
	`charge` integer NOT NULL,
	`price_rule` text,
	`discount` integer DEFAULT 0 NOT NULL,
	`refunded` integer DEFAULT 0 NOT NULL,
	`status` text DEFAULT 'Pending' NOT NULL,
	`start_count` integer,
	`remains` integer NOT NULL,
	`idempotency_key` text NOT NULL,
	`request_digest` text NOT NULL,
	`source` text NOT NULL,
	`api_key_id` text,
	`reference` text,
	`metadata` text,
	`provider_id` integer,
	`provider_service_id` text,
	`provider_order_id` text,
	`cost` integer,
	`cost_is_reported` integer,
	`fulfillment` text NOT NULL,
	`held_for` text,
	`history` text DEFAULT '' NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`resend_until` integer,
	`deferred_for` text,
	`deferrals` integer DEFAULT 0 NOT NULL,
	`deferred_since` integer DEFAULT 0 NOT NULL,
	`unreadable_since` integer DEFAULT 0 NOT NULL,
	`is_test` integer DEFAULT false NOT NULL,
	`expected_by` integer,
	`refill_days` integer,
	`refill_until` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "order_id_fits_int32" CHECK("id" <= 2147483647),
	CONSTRAINT "order_type_known" CHECK("type" in ('Default', 'Package', 'SEO', 'Custom Comments', 'Custom Comments Package', 'Mentions', 'Mentions with Hashtags', 'Mentions Custom List', 'Mentions Hashtag', 'Mentions User Followers', 'Mentions Media Likers', 'Comment Likes', 'Comment Replies', 'Poll', 'Invites from Groups', 'Subscriptions', 'Web Traffic')),
	CONSTRAINT "order_status_known" CHECK("status" in ('Pending', 'Processing', 'In progress', 'Completed', 'Partial', 'Canceled')),
	CONSTRAINT "order_fulfillment_known" CHECK("fulfillment" in ('manual', 'queued', 'submitting', 'accepted', 'rejected', 'held')),
	CONSTRAINT "order_source_known" CHECK("source" in ('web', 'api')),
	CONSTRAINT "order_quantity_positive" CHECK("quantity" >= 1 and "runs" >= 1),
	CONSTRAINT "order_charge_not_negative" CHECK("charge" >= 0),
	CONSTRAINT "order_refund_within_charge" CHECK("refunded" between 0 and "charge"),
	CONSTRAINT "order_discount_by_rule" CHECK("discount" >= 0 and ("discount" = 0 or "price_rule" is not null)),
	CONSTRAINT "order_hold_reason_known" CHECK("held_for" in ('cut_off', 'unclear_answer', 'id_taken', 'provider_changed', 'unreadable', 'no_remains', 'refused_too_long', 'account_deleted', 'splits_comments', 'restored')),
	CONSTRAINT "order_hold_reason_while_held" CHECK("held_for" is null or "fulfillment" = 'held'),
	CONSTRAINT "order_remains_not_negative" CHECK("remains" >= 0),
	CONSTRAINT "order_cost_not_negative" CHECK("cost" >= 0),
	CONSTRAINT "order_cost_source_known" CHECK(("cost" is null) = ("cost_is_reported" is null) and "cost_is_reported" between 0 and 1)
) STRICT;
--> statement-breakpoint
CREATE INDEX `orders_by_user` ON `orders` (`user_id`,`id`) WHERE "is_test" = 0;--> statement-breakpoint
CREATE INDEX `orders_by_reference` ON `orders` (`user_id`,`is_test`,`reference`,`id`) WHERE "reference" is not null;--> statement-breakpoint
CREATE INDEX `orders_of_tests` ON `orders` (`user_id`,`id`) WHERE "is_test" = 1;--> statement-breakpoint
CREATE INDEX `orders_by_status` ON `orders` (`status`,`id`) WHERE "is_test" = 0 and "status" <> 'Completed';--> statement-breakpoint
CREATE INDEX `orders_held` ON `orders` (`id`) WHERE "fulfillment" = 'held' and "is_test" = 0;--> statement-breakpoint
CREATE INDEX `orders_held_for` ON `orders` (`held_for`,`id`) WHERE "fulfillment" = 'held' and "is_test" = 0;--> statement-breakpoint
CREATE INDEX `orders_by_link` ON `orders` (`link_key`,`id`) WHERE "link_key" is not null and "is_test" = 0;--> statement-breakpoint
CREATE INDEX `orders_by_service` ON `orders` (`service_id`,`id`) WHERE "is_test" = 0;--> statement-breakpoint
CREATE INDEX `orders_by_any_reference` ON `orders` (`reference`,`id`) WHERE "reference" is not null and "is_test" = 0;--> statement-breakpoint
CREATE INDEX `orders_by_hand` ON `orders` (`id`) WHERE "fulfillment" = 'manual' and "is_test" = 0 and "status" in ('Pending', 'Processing', 'In progress');--> statement-breakpoint
CREATE UNIQUE INDEX `orders_by_provider_order` ON `orders` (`provider_order_id`,`provider_id`) WHERE "provider_order_id" is not null;--> statement-breakpoint
CREATE INDEX `orders_by_user_and_status` ON `orders` (`user_id`,`status`,`id`) WHERE "is_test" = 0 and "status" <> 'Completed';--> statement-breakpoint
CREATE INDEX `orders_to_send` ON `orders` (`provider_id`,`lease_until`,`id`) WHERE "fulfillment" = 'queued';--> statement-breakpoint
CREATE INDEX `orders_submitting` ON `orders` (`lease_until`) WHERE "fulfillment" = 'submitting';--> statement-breakpoint
CREATE INDEX `orders_held_to_check` ON `orders` (`provider_id`,`id`) WHERE "fulfillment" = 'held' and "provider_order_id" is not null and "status" in ('Pending', 'Processing', 'In progress');--> statement-breakpoint
CREATE INDEX `orders_to_check` ON `orders` (`provider_id`,`id`) WHERE "fulfillment" = 'accepted' and "status" in ('Pending', 'Processing', 'In progress');--> statement-breakpoint
CREATE UNIQUE INDEX `orders_once_per_key` ON `orders` (`user_id`,`idempotency_key`);--> statement-breakpoint
CREATE TABLE `provider_log` (
	`id` integer PRIMARY KEY NOT NULL,
	`provider_id` integer NOT NULL,
	`order_id` integer,
	`action` text NOT NULL,
	`http_status` integer,
	`response` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `provider_log_by_order` ON `provider_log` (`order_id`) WHERE "order_id" is not null;--> statement-breakpoint
CREATE INDEX `provider_log_by_provider` ON `provider_log` (`provider_id`,`id`) WHERE "order_id" is null;--> statement-breakpoint
CREATE TABLE `provider_words` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`provider_id` integer NOT NULL,
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`word` text NOT NULL,
	`meaning` text NOT NULL,
	`only_order_id` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`only_order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "provider_word_kind_known" CHECK("kind" in ('state', 'refill_state', 'error')),
	CONSTRAINT "provider_word_not_empty" CHECK("key" <> '')
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `provider_words_once` ON `provider_words` (`provider_id`,`kind`,`key`);--> statement-breakpoint
CREATE TABLE `unread_answers` (
	`provider_id` integer NOT NULL,
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`word` text NOT NULL,
	`order_id` integer,
	`seen` integer DEFAULT 1 NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`provider_id`, `kind`, `key`),
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "unread_answer_kind_known" CHECK("kind" in ('state', 'refill_state', 'error', 'shape'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `unread_answers_by_time` ON `unread_answers` (`last_seen_at`);--> statement-breakpoint
CREATE TABLE `refills` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`user_id` text NOT NULL,
	`status` text DEFAULT 'Pending' NOT NULL,
	`provider_id` integer,
	`provider_refill_id` text,
	`fulfillment` text DEFAULT 'manual' NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`unreadable_since` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "refill_id_fits_int32" CHECK("id" <= 2147483647),
	CONSTRAINT "refill_status_known" CHECK("status" in ('Pending', 'In progress', 'Completed', 'Rejected')),
	CONSTRAINT "refill_fulfillment_known" CHECK("fulfillment" in ('manual', 'queued', 'submitting', 'accepted', 'rejected', 'held'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `refills_one_open_per_order` ON `refills` (`order_id`) WHERE "status" in ('Pending', 'In progress');--> statement-breakpoint
CREATE INDEX `refills_for_staff` ON `refills` (`id`) WHERE "status" in ('Pending', 'In progress') and "fulfillment" in ('manual', 'held');--> statement-breakpoint
CREATE INDEX `refills_to_send` ON `refills` (`provider_id`,`id`) WHERE "fulfillment" = 'queued';--> statement-breakpoint
CREATE INDEX `refills_submitting` ON `refills` (`lease_until`) WHERE "fulfillment" = 'submitting';--> statement-breakpoint
CREATE INDEX `refills_to_check` ON `refills` (`provider_id`,`id`) WHERE "fulfillment" = 'accepted' and "status" in ('Pending', 'In progress');--> statement-breakpoint
CREATE INDEX `refills_by_order` ON `refills` (`order_id`,`id`);--> statement-breakpoint
CREATE TABLE `percent_code_uses` (
	`order_id` integer PRIMARY KEY NOT NULL,
	`code_id` integer NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`code_id`) REFERENCES `percent_codes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `percent_code_uses_by_customer` ON `percent_code_uses` (`code_id`,`user_id`);--> statement-breakpoint
CREATE TABLE `percent_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`digest` text NOT NULL,
	`ending` text NOT NULL,
	`name` text NOT NULL,
	`basis_points` integer NOT NULL,
	`max_discount` integer,
	`min_charge` integer DEFAULT 0 NOT NULL,
	`uses_left` integer NOT NULL,
	`per_customer` integer DEFAULT 1 NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer,
	`network` text,
	`disabled_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	CONSTRAINT "percent_code_bounded" CHECK("basis_points" between 1 and 9000),
	CONSTRAINT "percent_code_amounts" CHECK("max_discount" > 0 and "min_charge" >= 0),
	CONSTRAINT "percent_code_uses_left" CHECK("uses_left" >= 0),
	CONSTRAINT "percent_code_per_customer" CHECK("per_customer" >= 1),
	CONSTRAINT "percent_code_ends_after_its_start" CHECK("ends_at" > "starts_at")
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `percent_codes_digest_unique` ON `percent_codes` (`digest`);--> statement-breakpoint
CREATE TABLE `tier_rates` (
	`tier_id` integer NOT NULL,
	`service_id` integer NOT NULL,
	`rate` integer NOT NULL,
	PRIMARY KEY(`tier_id`, `service_id`),
	FOREIGN KEY (`tier_id`) REFERENCES `tiers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "tier_rate_not_negative" CHECK("rate" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `tiers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`slot` integer NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`basis_points` integer DEFAULT 0 NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "tier_slot_bounded" CHECK("slot" between 1 and 10),
	CONSTRAINT "tier_kind_known" CHECK("kind" in ('percent', 'fixed')),
	CONSTRAINT "tier_discount_bounded" CHECK("basis_points" between 0 and 9000),
	CONSTRAINT "tier_discount_of_percent" CHECK("kind" = 'percent' or "basis_points" = 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tiers_slot_unique` ON `tiers` (`slot`);--> statement-breakpoint
CREATE UNIQUE INDEX `tiers_name_unique` ON `tiers` (`name`);--> statement-breakpoint
CREATE TABLE `push_deliveries` (
	`id` integer PRIMARY KEY NOT NULL,
	`subscription_id` text NOT NULL,
	`event` text NOT NULL,
	`kind` text NOT NULL,
	`content` text,
	`status` text DEFAULT 'queued' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`expires_at` integer NOT NULL,
	`last_error` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`subscription_id`) REFERENCES `push_subscriptions`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "push_kind_known" CHECK("kind" in ('reply', 'order')),
	CONSTRAINT "push_status_known" CHECK("status" in ('queued', 'sent', 'failed', 'expired'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `push_deliveries_due` ON `push_deliveries` (`next_attempt_at`) WHERE "status" = 'queued';--> statement-breakpoint
CREATE UNIQUE INDEX `push_deliveries_once` ON `push_deliveries` (`subscription_id`,`event`);--> statement-breakpoint
CREATE TABLE `push_subscriptions` (
	`id` text PRIMARY KEY NOT NULL,
	`digest` text NOT NULL,
	`owner` text NOT NULL,
	`session_id` text,
	`kind` text NOT NULL,
	`service` text NOT NULL,
	`sealed_target` text NOT NULL,
	`server_key` text NOT NULL,
	`orders_from` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `auth_sessions`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "push_device_known" CHECK("kind" in ('web', 'android', 'ios')),
	CONSTRAINT "push_owner_session" CHECK(("owner" glob 'user_*') = ("session_id" is not null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `push_subscriptions_digest_unique` ON `push_subscriptions` (`digest`);--> statement-breakpoint
CREATE INDEX `push_subscriptions_by_owner` ON `push_subscriptions` (`owner`,`seen_at`);--> statement-breakpoint
CREATE INDEX `push_subscriptions_by_session` ON `push_subscriptions` (`session_id`) WHERE "session_id" is not null;--> statement-breakpoint
CREATE INDEX `push_subscriptions_by_age` ON `push_subscriptions` (`seen_at`);--> statement-breakpoint
CREATE TABLE `rate_limits` (
	`key` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`resets_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `rate_limits_by_end` ON `rate_limits` (`resets_at`);--> statement-breakpoint
CREATE TABLE `security_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`created_at` integer NOT NULL,
	`device` text DEFAULT '' NOT NULL,
	`network` text,
	`request_id` text DEFAULT '' NOT NULL,
	`detail` text DEFAULT '{}' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "security_event_kind_known" CHECK("kind" in ('log_in', 'log_in_failed', 'denied', 'limited', 'signed_up', 'password_changed', 'password_reset_requested', 'password_reset', 'email_change_requested', 'email_changed', 'email_change_undone', 'email_verified', 'new_device', 'new_device_rejected', 'factor_added', 'factor_removed', 'factor_used', 'recovery_code_used', 'api_key_created', 'api_key_changed', 'api_key_revoked', 'api_key_new_network', 'webhook_added', 'webhook_changed', 'webhook_removed', 'session_ended', 'sessions_ended', 'suspended', 'reactivated', 'role_changed', 'data_exported', 'deletion_requested'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `security_events_by_user` ON `security_events` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `announcements` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`audience` text NOT NULL,
	`body` text NOT NULL,
	`link` text,
	`link_label` text,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`changed_by` text NOT NULL,
	`changed_at` integer NOT NULL,
	CONSTRAINT "announcement_kind_known" CHECK("kind" in ('banner', 'update')),
	CONSTRAINT "announcement_audience_known" CHECK("audience" in ('everyone', 'visitors', 'customers')),
	CONSTRAINT "announcement_ends_after_its_start" CHECK("ends_at" > "starts_at"),
	CONSTRAINT "announcement_link_is_whole" CHECK(("link" is null) = ("link_label" is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `announcements_by_end` ON `announcements` (`kind`,`ends_at`);--> statement-breakpoint
CREATE TABLE `settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`version` integer NOT NULL,
	`changed_by` text NOT NULL,
	`changed_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `saved_filters` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text NOT NULL,
	`name` text COLLATE NOCASE NOT NULL,
	`view` text NOT NULL,
	`tag` text NOT NULL,
	`assignee_id` text NOT NULL,
	`words` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `saved_filters_once_per_name` ON `saved_filters` (`user_id`,`name`);--> statement-breakpoint
CREATE TABLE `saved_replies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`shortcut` text COLLATE NOCASE NOT NULL,
	`body` text NOT NULL,
	`effects` text NOT NULL,
	`updated_by` text NOT NULL,
	`updated_at` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `saved_replies_shortcut_unique` ON `saved_replies` (`shortcut`);--> statement-breakpoint
CREATE TABLE `support_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	CONSTRAINT "support_settings_is_one_row" CHECK("id" = 1)
) STRICT;
--> statement-breakpoint
CREATE TABLE `card_reversals` (
	`id` text PRIMARY KEY NOT NULL,
	`payment_intent` text NOT NULL,
	`kind` text NOT NULL,
	`amount` integer NOT NULL,
	`in_effect` integer NOT NULL,
	`status` text NOT NULL,
	`event_at` integer NOT NULL,
	`event_rank` integer NOT NULL,
	`created_at` integer NOT NULL,
	CONSTRAINT "card_reversal_kind_known" CHECK("kind" in ('refund', 'dispute', 'unnamed')),
	CONSTRAINT "card_reversal_amount_not_negative" CHECK("amount" >= 0),
	CONSTRAINT "card_reversal_in_effect_is_flag" CHECK("in_effect" in (0, 1))
) STRICT;
--> statement-breakpoint
CREATE INDEX `card_reversals_by_payment` ON `card_reversals` (`payment_intent`);--> statement-breakpoint
CREATE TABLE `checkouts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`session_id` text,
	`amount` integer NOT NULL,
	`paid` integer,
	`received` integer,
	`received_currency` text,
	`payment_intent` text,
	`reversed` integer DEFAULT 0 NOT NULL,
	`status` text DEFAULT 'open' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "checkout_status_known" CHECK("status" in ('open', 'pending', 'paid', 'failed', 'expired', 'review', 'refused')),
	CONSTRAINT "checkout_amount_positive" CHECK("amount" > 0),
	CONSTRAINT "checkout_reversed_within_paid" CHECK("reversed" between 0 and coalesce("paid", 0))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `checkouts_session_id_unique` ON `checkouts` (`session_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `checkouts_payment_intent_unique` ON `checkouts` (`payment_intent`);--> statement-breakpoint
CREATE INDEX `checkouts_by_user` ON `checkouts` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `checkouts_by_time` ON `checkouts` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `checkouts_reversed` ON `checkouts` (`created_at`,`id`) WHERE "reversed" > 0;--> statement-breakpoint
CREATE INDEX `checkouts_to_review` ON `checkouts` (`created_at`,`id`) WHERE "status" = 'review';--> statement-breakpoint
CREATE INDEX `checkouts_unpaid` ON `checkouts` (`created_at`) WHERE "status" in ('open', 'failed', 'expired');--> statement-breakpoint
CREATE TABLE `redeem_batches` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`amount` integer NOT NULL,
	`count` integer NOT NULL,
	`max_uses` integer NOT NULL,
	`expires_at` integer,
	`disabled_at` integer,
	`created_at` integer NOT NULL,
	CONSTRAINT "redeem_amount_positive" CHECK("amount" > 0),
	CONSTRAINT "redeem_count_positive" CHECK("count" >= 1 and "max_uses" >= 1)
) STRICT;
--> statement-breakpoint
CREATE TABLE `redeem_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`batch_id` integer NOT NULL,
	`digest` text NOT NULL,
	`ending` text NOT NULL,
	`uses_left` integer NOT NULL,
	`disabled_at` integer,
	FOREIGN KEY (`batch_id`) REFERENCES `redeem_batches`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "redeem_uses_left" CHECK("uses_left" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `redeem_codes_digest_unique` ON `redeem_codes` (`digest`);--> statement-breakpoint
CREATE INDEX `redeem_codes_by_batch` ON `redeem_codes` (`batch_id`,`id`);--> statement-breakpoint
CREATE TABLE `redeem_uses` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`code_id` integer NOT NULL,
	`user_id` text NOT NULL,
	`amount` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`code_id`) REFERENCES `redeem_codes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `redeem_uses_by_user` ON `redeem_uses` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `redeem_uses_once_per_account` ON `redeem_uses` (`code_id`,`user_id`);--> statement-breakpoint
CREATE TABLE `pending_uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`key` text NOT NULL,
	`r2_upload_id` text NOT NULL,
	`name` text NOT NULL,
	`content_type` text NOT NULL,
	`size` integer NOT NULL,
	`part_size` integer NOT NULL,
	`fingerprint` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "pending_upload_sizes" CHECK("size" >= 1 and "part_size" >= 1)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pending_uploads_key_unique` ON `pending_uploads` (`key`);--> statement-breakpoint
CREATE INDEX `pending_uploads_by_user` ON `pending_uploads` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `pending_uploads_by_age` ON `pending_uploads` (`updated_at`);--> statement-breakpoint
CREATE TABLE `upload_parts` (
	`upload_id` text NOT NULL,
	`number` integer NOT NULL,
	`etag` text NOT NULL,
	`size` integer NOT NULL,
	PRIMARY KEY(`upload_id`, `number`),
	FOREIGN KEY (`upload_id`) REFERENCES `pending_uploads`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`content_type` text NOT NULL,
	`size` integer NOT NULL,
	`created_at` integer NOT NULL,
	CONSTRAINT "upload_size_not_negative" CHECK("size" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `uploads_key_unique` ON `uploads` (`key`);--> statement-breakpoint
CREATE INDEX `uploads_by_user` ON `uploads` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `ledger` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`order_id` integer,
	`kind` text NOT NULL,
	`amount` integer NOT NULL,
	`balance_after` integer NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `wallets`(`user_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "ledger_kind_known" CHECK("kind" in ('charge', 'refund', 'topup', 'adjustment', 'reversal')),
	CONSTRAINT "ledger_balance_not_negative" CHECK("balance_after" >= 0),
	CONSTRAINT "ledger_order_for_order_kinds" CHECK(("kind" in ('charge', 'refund')) = ("order_id" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `ledger_by_user` ON `ledger` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `ledger_credits_by_user` ON `ledger` (`user_id`,`kind`,`id`) WHERE "kind" <> 'charge';--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_once_per_order_and_kind` ON `ledger` (`order_id`,`kind`);--> statement-breakpoint
CREATE TABLE `ledger_faults` (
	`id` integer PRIMARY KEY NOT NULL,
	`rule` text NOT NULL,
	`subject` text NOT NULL,
	`is_now` integer NOT NULL,
	`should_be` integer NOT NULL,
	`found_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_faults_once` ON `ledger_faults` (`rule`,`subject`);--> statement-breakpoint
CREATE TABLE `order_cost_sums` (
	`block` integer PRIMARY KEY NOT NULL,
	`cost` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `order_costs` (
	`id` integer PRIMARY KEY NOT NULL,
	`order_id` integer NOT NULL,
	`amount` integer NOT NULL,
	`costed` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "order_cost_change_known" CHECK("costed" between -1 and 1)
) STRICT;
--> statement-breakpoint
CREATE TABLE `rollups` (
	`name` text PRIMARY KEY NOT NULL,
	`up_to_id` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `sales_day_totals` (
	`day` integer PRIMARY KEY NOT NULL,
	`orders` integer DEFAULT 0 NOT NULL,
	`charged` integer DEFAULT 0 NOT NULL,
	`refunds` integer DEFAULT 0 NOT NULL,
	`refunded` integer DEFAULT 0 NOT NULL,
	`cost` integer DEFAULT 0 NOT NULL,
	`costed` integer DEFAULT 0 NOT NULL,
	`by_hand` integer DEFAULT 0 NOT NULL,
	`first_entry_id` integer,
	`last_entry_id` integer,
	`first_cost_id` integer,
	`last_cost_id` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `sales_days` (
	`day` integer NOT NULL,
	`service_id` integer NOT NULL,
	`provider_id` integer NOT NULL,
	`orders` integer DEFAULT 0 NOT NULL,
	`charged` integer DEFAULT 0 NOT NULL,
	`refunds` integer DEFAULT 0 NOT NULL,
	`refunded` integer DEFAULT 0 NOT NULL,
	`cost` integer DEFAULT 0 NOT NULL,
	`costed` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`day`, `service_id`, `provider_id`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `spending_days` (
	`user_id` text NOT NULL,
	`day` integer NOT NULL,
	`spent` integer DEFAULT 0 NOT NULL,
	`added` integer DEFAULT 0 NOT NULL,
	`orders` integer DEFAULT 0 NOT NULL,
	`balance` integer NOT NULL,
	`cost` integer DEFAULT 0 NOT NULL,
	`by_hand` integer DEFAULT 0 NOT NULL,
	`refunds` integer DEFAULT 0 NOT NULL,
	`refunded` integer DEFAULT 0 NOT NULL,
	`ended` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`user_id`, `day`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `spending_days_by_day` ON `spending_days` (`day`);--> statement-breakpoint
CREATE TABLE `wallets` (
	`user_id` text PRIMARY KEY NOT NULL,
	`balance` integer DEFAULT 0 NOT NULL,
	`low_balance_threshold` integer,
	`low_balance_notified` integer DEFAULT false NOT NULL,
	`owed` integer DEFAULT 0 NOT NULL,
	`tier_id` integer,
	`tier_from` integer,
	FOREIGN KEY (`tier_id`) REFERENCES `tiers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "wallet_balance_not_negative" CHECK("balance" >= 0),
	CONSTRAINT "wallet_owed_not_negative" CHECK("owed" >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `wallets_by_tier` ON `wallets` (`tier_id`,`user_id`) WHERE "tier_id" is not null;--> statement-breakpoint
CREATE INDEX `wallets_low` ON `wallets` (`user_id`) WHERE "low_balance_notified" = 0 and "balance" < "low_balance_threshold";--> statement-breakpoint
CREATE INDEX `wallets_recovered` ON `wallets` (`user_id`) WHERE "low_balance_notified" = 1 and "balance" >= "low_balance_threshold";--> statement-breakpoint
-- Below: what drizzle-kit cannot write.
INSERT INTO `catalog_version` (`id`, `version`) VALUES (1, 1);
--> statement-breakpoint
-- Each change of what can be ordered raises the version of the catalog and is kept with it, without the provider.
CREATE TRIGGER `catalog_version_insert` AFTER INSERT ON `services`
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
	INSERT INTO `service_changes` (`version`, `service_id`, `before`, `after`, `is_news`, `created_at`)
	SELECT `version`, new.`id`, NULL, json_object('name', new.`name`, 'category', new.`category`, 'type', new.`type`, 'rate', new.`rate`, 'min', new.`min`, 'max', new.`max`, 'dripfeed', new.`dripfeed`, 'refill', new.`refill`, 'refill_days', iif(new.`refill` = 1, new.`refill_days`, NULL), 'cancel', new.`cancel`), 1, cast(unixepoch('subsec') * 1000 AS integer)
	FROM `catalog_version` WHERE new.`enabled` = 1;
END;
--> statement-breakpoint
CREATE TRIGGER `catalog_version_delete` AFTER DELETE ON `services`
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
	INSERT INTO `service_changes` (`version`, `service_id`, `before`, `after`, `is_news`, `created_at`)
	SELECT `version`, old.`id`, json_object('name', old.`name`, 'category', old.`category`, 'type', old.`type`, 'rate', old.`rate`, 'min', old.`min`, 'max', old.`max`, 'dripfeed', old.`dripfeed`, 'refill', old.`refill`, 'refill_days', iif(old.`refill` = 1, old.`refill_days`, NULL), 'cancel', old.`cancel`), NULL, 1, cast(unixepoch('subsec') * 1000 AS integer)
	FROM `catalog_version` WHERE old.`enabled` = 1;
END;
--> statement-breakpoint
CREATE TRIGGER `catalog_version_update` AFTER UPDATE OF
	`network`, `category`, `name`, `description`, `type`, `rate`, `min`, `max`, `dripfeed`, `refill`, `refill_days`, `cancel`,
	`enabled`, `provider_id`, `provider_service_id`, `position`, `link_kind`, `link_check`
ON `services`
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
	INSERT INTO `service_changes` (`version`, `service_id`, `before`, `after`, `is_news`, `created_at`)
	SELECT `version`, new.`id`, `before`, `after`, `before` IS NOT `after`, cast(unixepoch('subsec') * 1000 AS integer)
	FROM `catalog_version`, (SELECT
		iif(old.`enabled` = 1, json_object('name', old.`name`, 'category', old.`category`, 'type', old.`type`, 'rate', old.`rate`, 'min', old.`min`, 'max', old.`max`, 'dripfeed', old.`dripfeed`, 'refill', old.`refill`, 'refill_days', iif(old.`refill` = 1, old.`refill_days`, NULL), 'cancel', old.`cancel`), NULL) AS `before`,
		iif(new.`enabled` = 1, json_object('name', new.`name`, 'category', new.`category`, 'type', new.`type`, 'rate', new.`rate`, 'min', new.`min`, 'max', new.`max`, 'dripfeed', new.`dripfeed`, 'refill', new.`refill`, 'refill_days', iif(new.`refill` = 1, new.`refill_days`, NULL), 'cancel', new.`cancel`), NULL) AS `after`
	)
	WHERE `before` IS NOT `after` OR new.`enabled` = 1 AND (old.`network`, old.`description`, old.`position`, old.`link_kind`, old.`link_check`)
		IS NOT (new.`network`, new.`description`, new.`position`, new.`link_kind`, new.`link_check`);
END;
--> statement-breakpoint
-- Every credit pays down what the customer owes, in the same batch, whoever writes the entry.
CREATE TRIGGER `ledger_settles_owed` AFTER INSERT ON `ledger`
WHEN new.`amount` > 0 AND EXISTS (SELECT 1 FROM `wallets` WHERE `user_id` = new.`user_id` AND `owed` > 0 AND `balance` > 0)
BEGIN
	INSERT INTO `ledger` (`user_id`, `kind`, `amount`, `balance_after`, `note`, `created_at`)
	SELECT `user_id`, 'reversal', -min(`balance`, `owed`), `balance` - min(`balance`, `owed`), 'Owed for a card payment that went back', new.`created_at`
	FROM `wallets` WHERE `user_id` = new.`user_id`;
	UPDATE `wallets` SET `balance` = `balance` - min(`balance`, `owed`), `owed` = `owed` - min(`balance`, `owed`)
	WHERE `user_id` = new.`user_id`;
END;
--> statement-breakpoint
-- Counts what an API key spends on a UTC day, if it has a cap. NULL, which the column refuses, stops the batch of an order
-- that the cap does not cover. Clocks differ around midnight: an earlier day never starts the count over. A replaced key
-- spends from the cap of its successor.
CREATE TRIGGER `orders_count_key_spending` AFTER INSERT ON `orders`
WHEN new.`api_key_id` IS NOT NULL AND new.`is_test` = 0
BEGIN
	UPDATE `api_keys` SET
		`spent` = iif(
			iif(`spent_day` >= new.`created_at` / 86400000, `spent`, 0) + new.`charge` <= `daily_cap`,
			iif(`spent_day` >= new.`created_at` / 86400000, `spent`, 0) + new.`charge`,
			NULL
		),
		`spent_day` = max(`spent_day`, new.`created_at` / 86400000)
	WHERE `id` = (SELECT coalesce(`replaced_by`, `id`) FROM `api_keys` WHERE `id` = new.`api_key_id`)
		AND `daily_cap` IS NOT NULL;
END;
--> statement-breakpoint
-- Finds customers by any part of their name or email. Its rows are those of `profiles`, by their rowid.
CREATE VIRTUAL TABLE `profiles_search` USING fts5 (
	`email`, `full_name`, content = 'profiles', content_rowid = 'rowid', tokenize = 'trigram remove_diacritics 1'
);
--> statement-breakpoint
-- Without it, parts of deleted names stay in the index until segments are merged.
INSERT INTO `profiles_search` (`profiles_search`, `rank`) VALUES ('secure-delete', 1);
--> statement-breakpoint
CREATE TRIGGER `profiles_search_insert` AFTER INSERT ON `profiles`
BEGIN
	INSERT INTO `profiles_search` (`rowid`, `email`, `full_name`) VALUES (new.`rowid`, new.`email`, new.`full_name`);
END;
--> statement-breakpoint
CREATE TRIGGER `profiles_search_delete` AFTER DELETE ON `profiles`
BEGIN
	INSERT INTO `profiles_search` (`profiles_search`, `rowid`, `email`, `full_name`) VALUES ('delete', old.`rowid`, old.`email`, old.`full_name`);
END;
--> statement-breakpoint
CREATE TRIGGER `profiles_search_update` AFTER UPDATE OF `email`, `full_name` ON `profiles`
BEGIN
	INSERT INTO `profiles_search` (`profiles_search`, `rowid`, `email`, `full_name`) VALUES ('delete', old.`rowid`, old.`email`, old.`full_name`);
	INSERT INTO `profiles_search` (`rowid`, `email`, `full_name`) VALUES (new.`rowid`, new.`email`, new.`full_name`);
END;
--> statement-breakpoint
-- Notes each change of an order's cost, whoever makes it. A job sums them up.
CREATE TRIGGER `orders_keep_cost` AFTER UPDATE OF `cost` ON `orders`
WHEN new.`cost` IS NOT old.`cost`
BEGIN
	INSERT INTO `order_costs` (`order_id`, `amount`, `costed`, `created_at`)
	VALUES (new.`id`, coalesce(new.`cost`, 0) - coalesce(old.`cost`, 0), (new.`cost` IS NOT NULL) - (old.`cost` IS NOT NULL), new.`updated_at`);
END;
--> statement-breakpoint
-- An order by terms from before maintenance mode was switched is refused like one by an old price.
CREATE TRIGGER `settings_maintenance_insert` AFTER INSERT ON `settings` WHEN new.`name` = 'maintenance'
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `settings_maintenance_update` AFTER UPDATE OF `value` ON `settings` WHEN new.`name` = 'maintenance'
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
-- So is an order with a comma in a comment, by terms from before its provider was known to split there.
CREATE TRIGGER `providers_splits_comments_update` AFTER UPDATE OF `splits_comments` ON `providers`
WHEN new.`splits_comments` <> old.`splits_comments`
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
-- A price by a tier is part of what can be ordered: each change raises the version, and an order by the price before it is
-- refused.
CREATE TRIGGER `tiers_insert` AFTER INSERT ON `tiers`
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `tiers_delete` AFTER DELETE ON `tiers`
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `tiers_update` AFTER UPDATE OF `name`, `kind`, `basis_points` ON `tiers`
WHEN (new.`name`, new.`kind`, new.`basis_points`) IS NOT (old.`name`, old.`kind`, old.`basis_points`)
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `tier_rates_insert` AFTER INSERT ON `tier_rates`
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `tier_rates_delete` AFTER DELETE ON `tier_rates`
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `tier_rates_update` AFTER UPDATE OF `tier_id`, `service_id`, `rate` ON `tier_rates`
WHEN (new.`tier_id`, new.`service_id`, new.`rate`) IS NOT (old.`tier_id`, old.`service_id`, old.`rate`)
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `wallets_tier_insert` AFTER INSERT ON `wallets` WHEN new.`tier_id` IS NOT NULL
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `wallets_tier_update` AFTER UPDATE OF `tier_id` ON `wallets` WHEN new.`tier_id` IS NOT old.`tier_id`
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
