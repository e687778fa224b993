CREATE TABLE `cancellations` (
	`order_id` integer PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`status` text DEFAULT 'Pending' NOT NULL,
	`fulfillment` text NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "cancellation_status_known" CHECK("status" in ('Pending', 'Accepted', 'Rejected')),
	CONSTRAINT "cancellation_fulfillment_known" CHECK("fulfillment" in ('manual', 'queued', 'submitting', 'accepted', 'rejected', 'unknown'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `cancellations_to_send` ON `cancellations` (`lease_until`) WHERE "fulfillment" in ('queued', 'submitting');--> statement-breakpoint
ALTER TABLE `api_keys` ADD `is_test` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `is_test` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `refills` ADD `fulfillment` text DEFAULT 'manual' NOT NULL;--> statement-breakpoint
ALTER TABLE `refills` ADD `lease_until` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `refills` ADD `checked_at` integer DEFAULT 0 NOT NULL;