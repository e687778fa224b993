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
ALTER TABLE `gmail_messages` ADD `from_name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `gmail_sync_status` ADD `lease_id` text;--> statement-breakpoint
ALTER TABLE `gmail_sync_status` ADD `pending` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `gmail_sync_status` ADD `pending_history_id` text;--> statement-breakpoint
ALTER TABLE `gmail_sync_status` ADD `progress` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `gmail_sync_status` ADD `progress_total` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `gmail_sync_status` ADD `failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `gmail_sync_status` ADD `next_sync_at` integer;--> statement-breakpoint
CREATE INDEX `gmail_sync_due` ON `gmail_sync_status` (`next_sync_at`) WHERE "next_sync_at" is not null;--> statement-breakpoint
ALTER TABLE `gmail_tokens` ADD `refresh_lease_until` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `gmail_tokens_by_mailbox` ON `gmail_tokens` (`email_address`);