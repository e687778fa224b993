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
CREATE TABLE `checkouts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`session_id` text,
	`amount` integer NOT NULL,
	`paid` integer,
	`status` text DEFAULT 'open' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "checkout_status_known" CHECK("status" in ('open', 'pending', 'paid', 'failed', 'expired', 'review')),
	CONSTRAINT "checkout_amount_positive" CHECK("amount" > 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `checkouts_session_id_unique` ON `checkouts` (`session_id`);--> statement-breakpoint
CREATE INDEX `checkouts_by_user` ON `checkouts` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `checkouts_to_review` ON `checkouts` (`created_at`) WHERE "status" = 'review';--> statement-breakpoint
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
CREATE INDEX `cancellations_for_staff` ON `cancellations` (`order_id`) WHERE "status" = 'Pending' and "fulfillment" in ('manual', 'unknown');--> statement-breakpoint
CREATE INDEX `orders_by_status` ON `orders` (`status`,`id`) WHERE "is_test" = 0 and "status" <> 'Completed';--> statement-breakpoint
CREATE INDEX `orders_held` ON `orders` (`id`) WHERE "fulfillment" = 'unknown' and "is_test" = 0;--> statement-breakpoint
CREATE INDEX `orders_by_provider_order` ON `orders` (`provider_order_id`,`provider_id`) WHERE "provider_order_id" is not null;--> statement-breakpoint
CREATE INDEX `profiles_by_name` ON `profiles` ("full_name" collate nocase,"email");--> statement-breakpoint
CREATE INDEX `refills_for_staff` ON `refills` (`id`) WHERE "status" in ('Pending', 'In progress') and "fulfillment" in ('manual', 'unknown');