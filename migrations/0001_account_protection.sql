CREATE TABLE `email_changes` (
	`user_id` text PRIMARY KEY NOT NULL,
	`token_digest` text NOT NULL,
	`new_email` text COLLATE NOCASE NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `email_changes_token_digest_unique` ON `email_changes` (`token_digest`);--> statement-breakpoint
CREATE TABLE `rate_limits` (
	`key` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`resets_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `rate_limits_by_end` ON `rate_limits` (`resets_at`);--> statement-breakpoint
ALTER TABLE `temp_mysql_passwords` ADD `rounds` integer GENERATED ALWAYS AS (case when "mysql_password_hash" glob '$2[aby]$[0-3][0-9]$*' then cast(substr("mysql_password_hash", 5, 2) as integer) end) VIRTUAL;--> statement-breakpoint
CREATE INDEX `legacy_passwords_by_rounds` ON `temp_mysql_passwords` (`rounds`);