CREATE TABLE `favorites` (
	`user_id` text NOT NULL,
	`service_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `service_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
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
CREATE TABLE `rollups` (
	`name` text PRIMARY KEY NOT NULL,
	`up_to_id` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `service_times` (
	`service_id` integer PRIMARY KEY NOT NULL,
	`completed` integer NOT NULL,
	`average_ms` integer NOT NULL,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "service_times_of_orders" CHECK("completed" >= 1 and "average_ms" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `spending_days` (
	`user_id` text NOT NULL,
	`day` integer NOT NULL,
	`spent` integer DEFAULT 0 NOT NULL,
	`added` integer DEFAULT 0 NOT NULL,
	`orders` integer DEFAULT 0 NOT NULL,
	`balance` integer NOT NULL,
	PRIMARY KEY(`user_id`, `day`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `upload_parts` (
	`upload_id` text NOT NULL,
	`number` integer NOT NULL,
	`etag` text NOT NULL,
	`size` integer NOT NULL,
	PRIMARY KEY(`upload_id`, `number`),
	FOREIGN KEY (`upload_id`) REFERENCES `uploads_under_way`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `uploads_under_way` (
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
	CONSTRAINT "upload_under_way_sizes" CHECK("size" >= 1 and "part_size" >= 1)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `uploads_under_way_key_unique` ON `uploads_under_way` (`key`);--> statement-breakpoint
CREATE INDEX `uploads_under_way_by_user` ON `uploads_under_way` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `uploads_under_way_by_age` ON `uploads_under_way` (`updated_at`);--> statement-breakpoint
CREATE INDEX `ledger_credits_by_user` ON `ledger` (`user_id`,`kind`,`id`) WHERE "kind" <> 'charge';--> statement-breakpoint
CREATE INDEX `orders_by_user_and_status` ON `orders` (`user_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `refills_by_order` ON `refills` (`order_id`,`id`);