CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`digest` text NOT NULL,
	`prefix` text NOT NULL,
	`can_read` integer DEFAULT true NOT NULL,
	`can_order` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "api_key_scopes" CHECK("can_read" in (0, 1) and "can_order" in (0, 1))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_digest_unique` ON `api_keys` (`digest`);--> statement-breakpoint
CREATE INDEX `api_keys_by_user` ON `api_keys` (`user_id`);--> statement-breakpoint
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
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_sessions_refresh_digest_unique` ON `auth_sessions` (`refresh_digest`);--> statement-breakpoint
CREATE INDEX `auth_sessions_by_user` ON `auth_sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `auth_sessions_by_previous_digest` ON `auth_sessions` (`previous_digest`);--> statement-breakpoint
CREATE TABLE `gmail_messages` (
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`owner_digest` text DEFAULT '' NOT NULL,
	`from_email` text NOT NULL,
	`subject` text DEFAULT '' NOT NULL,
	`snippet` text DEFAULT '' NOT NULL,
	`internal_date` integer NOT NULL,
	PRIMARY KEY(`user_id`, `owner_digest`, `id`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `gmail_messages_newest` ON `gmail_messages` (`user_id`,`owner_digest`,`internal_date`);--> statement-breakpoint
CREATE TABLE `gmail_sync_status` (
	`user_id` text NOT NULL,
	`owner_digest` text DEFAULT '' NOT NULL,
	`last_sync_at` integer,
	`total_messages` integer DEFAULT 0 NOT NULL,
	`history_id` text,
	`auto_sync` integer DEFAULT false NOT NULL,
	`last_error` text,
	`lease_until` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`user_id`, `owner_digest`),
	CONSTRAINT "gmail_total_not_negative" CHECK("total_messages" >= 0),
	CONSTRAINT "gmail_auto_sync_is_flag" CHECK("auto_sync" in (0, 1))
) STRICT;
--> statement-breakpoint
CREATE TABLE `gmail_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text NOT NULL,
	`owner_digest` text DEFAULT '' NOT NULL,
	`access_token` text,
	`refresh_token` text,
	`email_address` text,
	`scope` text DEFAULT '' NOT NULL,
	`expires_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `gmail_tokens_one_per_owner` ON `gmail_tokens` (`user_id`,`owner_digest`);--> statement-breakpoint
CREATE TABLE `ledger` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text NOT NULL,
	`order_id` integer,
	`kind` text NOT NULL,
	`amount` integer NOT NULL,
	`balance_after` integer NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `wallets`(`user_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "ledger_kind_known" CHECK("kind" in ('charge', 'refund', 'topup', 'adjustment')),
	CONSTRAINT "ledger_balance_not_negative" CHECK("balance_after" >= 0),
	CONSTRAINT "ledger_order_for_order_kinds" CHECK(("kind" in ('charge', 'refund')) = ("order_id" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `ledger_by_user` ON `ledger` (`user_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_once_per_order_and_kind` ON `ledger` (`order_id`,`kind`);--> statement-breakpoint
CREATE TABLE `orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text NOT NULL,
	`service_id` integer NOT NULL,
	`type` text NOT NULL,
	`link` text NOT NULL,
	`quantity` integer NOT NULL,
	`runs` integer DEFAULT 1 NOT NULL,
	`interval_minutes` integer,
	`details` text DEFAULT '{}' NOT NULL,
	`charge` integer NOT NULL,
	`refunded` integer DEFAULT 0 NOT NULL,
	`status` text DEFAULT 'Pending' NOT NULL,
	`start_count` integer,
	`remains` integer NOT NULL,
	`idempotency_key` text NOT NULL,
	`request_digest` text NOT NULL,
	`source` text NOT NULL,
	`provider_id` integer,
	`provider_service_id` text,
	`provider_order_id` text,
	`fulfillment` text NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`checked_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "order_id_fits_int32" CHECK("id" <= 2147483647),
	CONSTRAINT "order_type_known" CHECK("type" in ('Default', 'Package', 'SEO', 'Custom Comments', 'Custom Comments Package', 'Mentions', 'Mentions with Hashtags', 'Mentions Custom List', 'Mentions Hashtag', 'Mentions User Followers', 'Mentions Media Likers', 'Comment Likes', 'Comment Replies', 'Poll', 'Invites from Groups', 'Subscriptions', 'Web Traffic')),
	CONSTRAINT "order_status_known" CHECK("status" in ('Pending', 'Processing', 'In progress', 'Completed', 'Partial', 'Canceled')),
	CONSTRAINT "order_fulfillment_known" CHECK("fulfillment" in ('manual', 'queued', 'submitting', 'accepted', 'rejected', 'unknown')),
	CONSTRAINT "order_source_known" CHECK("source" in ('web', 'api')),
	CONSTRAINT "order_quantity_positive" CHECK("quantity" >= 1 and "runs" >= 1),
	CONSTRAINT "order_charge_not_negative" CHECK("charge" >= 0),
	CONSTRAINT "order_refund_within_charge" CHECK("refunded" between 0 and "charge"),
	CONSTRAINT "order_remains_not_negative" CHECK("remains" >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `orders_by_user` ON `orders` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `orders_to_send` ON `orders` (`lease_until`) WHERE "fulfillment" in ('queued', 'submitting');--> statement-breakpoint
CREATE INDEX `orders_to_check` ON `orders` (`provider_id`,`checked_at`) WHERE "fulfillment" = 'accepted' and "status" in ('Pending', 'Processing', 'In progress');--> statement-breakpoint
CREATE UNIQUE INDEX `orders_once_per_key` ON `orders` (`user_id`,`idempotency_key`);--> statement-breakpoint
CREATE TABLE `password_resets` (
	`token_digest` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `password_resets_by_user` ON `password_resets` (`user_id`);--> statement-breakpoint
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
CREATE TABLE `provider_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`provider_id` integer NOT NULL,
	`order_id` integer,
	`action` text NOT NULL,
	`http_status` integer,
	`answer` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `provider_log_by_order` ON `provider_log` (`order_id`);--> statement-breakpoint
CREATE INDEX `provider_log_by_time` ON `provider_log` (`created_at`);--> statement-breakpoint
CREATE TABLE `providers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`api_url` text NOT NULL,
	`encrypted_key` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`open_until` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	CONSTRAINT "provider_enabled_is_flag" CHECK("enabled" in (0, 1)),
	CONSTRAINT "provider_failures_not_negative" CHECK("failures" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `providers_name_unique` ON `providers` (`name`);--> statement-breakpoint
CREATE TABLE `refills` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`user_id` text NOT NULL,
	`status` text DEFAULT 'Pending' NOT NULL,
	`provider_refill_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "refill_id_fits_int32" CHECK("id" <= 2147483647),
	CONSTRAINT "refill_status_known" CHECK("status" in ('Pending', 'In progress', 'Completed', 'Rejected'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `refills_one_open_per_order` ON `refills` (`order_id`) WHERE "status" in ('Pending', 'In progress');--> statement-breakpoint
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
	`cancel` integer DEFAULT false NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`provider_id` integer,
	`provider_service_id` text,
	`position` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "service_type_known" CHECK("type" in ('Default', 'Package', 'SEO', 'Custom Comments', 'Custom Comments Package', 'Mentions', 'Mentions with Hashtags', 'Mentions Custom List', 'Mentions Hashtag', 'Mentions User Followers', 'Mentions Media Likers', 'Comment Likes', 'Comment Replies', 'Poll', 'Invites from Groups', 'Subscriptions', 'Web Traffic')),
	CONSTRAINT "service_rate_not_negative" CHECK("rate" >= 0),
	CONSTRAINT "service_limits_in_order" CHECK("min" >= 1 and "max" >= "min" and "max" <= 2147483647),
	CONSTRAINT "service_flags" CHECK("dripfeed" in (0, 1) and "refill" in (0, 1) and "cancel" in (0, 1) and "enabled" in (0, 1)),
	CONSTRAINT "service_forward_is_whole" CHECK(("provider_id" is null) = ("provider_service_id" is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `services_by_position` ON `services` (`enabled`,`position`,`id`);--> statement-breakpoint
CREATE TABLE `support_messages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`seq` integer NOT NULL,
	`sender_type` text NOT NULL,
	`sender_name` text NOT NULL,
	`message` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `support_sessions`(`session_id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "support_sender_known" CHECK("sender_type" in ('user', 'admin', 'system')),
	CONSTRAINT "support_seq_positive" CHECK("seq" >= 1)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `support_messages_once_per_seq` ON `support_messages` (`session_id`,`seq`);--> statement-breakpoint
CREATE TABLE `support_sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`user_id` text,
	`user_name` text NOT NULL,
	`user_email` text,
	`status` text DEFAULT 'open' NOT NULL,
	`last_seq` integer DEFAULT 0 NOT NULL,
	`agent_read_seq` integer DEFAULT 0 NOT NULL,
	`last_message` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "support_status_known" CHECK("status" in ('open', 'closed'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `support_sessions_session_id_unique` ON `support_sessions` (`session_id`);--> statement-breakpoint
CREATE INDEX `support_sessions_by_status` ON `support_sessions` (`status`,`updated_at`);--> statement-breakpoint
CREATE INDEX `support_sessions_by_user` ON `support_sessions` (`user_id`);--> statement-breakpoint
CREATE TABLE `temp_mysql_passwords` (
	`user_id` text PRIMARY KEY NOT NULL,
	`mysql_password_hash` text,
	`migrated` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "legacy_migrated_is_flag" CHECK("migrated" in (0, 1)),
	CONSTRAINT "legacy_hash_until_migrated" CHECK("migrated" = 1 or "mysql_password_hash" is not null)
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
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text COLLATE NOCASE NOT NULL,
	`password_hash` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `wallets` (
	`user_id` text PRIMARY KEY NOT NULL,
	`balance` integer DEFAULT 0 NOT NULL,
	CONSTRAINT "wallet_balance_not_negative" CHECK("balance" >= 0)
) STRICT;
