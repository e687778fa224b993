CREATE TABLE `catalog_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`provider_id` integer NOT NULL,
	`provider_service_id` text NOT NULL,
	`kind` text NOT NULL,
	`before` text DEFAULT '' NOT NULL,
	`after` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`provider_id`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "catalog_change_known" CHECK("kind" in ('added', 'price', 'limits', 'vanished', 'unreadable'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `catalog_changes_by_time` ON `catalog_changes` (`provider_id`,`created_at`);--> statement-breakpoint
ALTER TABLE `providers` ADD `markup_percent` integer;--> statement-breakpoint
ALTER TABLE `services` ADD `provider_rate` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `services_once_per_provider` ON `services` (`provider_id`,`provider_service_id`);