CREATE TABLE `card_returns` (
	`id` text PRIMARY KEY NOT NULL,
	`payment_intent` text NOT NULL,
	`kind` text NOT NULL,
	`amount` integer NOT NULL,
	`counts` integer NOT NULL,
	`status` text NOT NULL,
	`told_at` integer NOT NULL,
	`told_rank` integer NOT NULL,
	`created_at` integer NOT NULL,
	CONSTRAINT "card_return_kind_known" CHECK("kind" in ('refund', 'dispute', 'unnamed')),
	CONSTRAINT "card_return_amount_not_negative" CHECK("amount" >= 0),
	CONSTRAINT "card_return_counts_is_flag" CHECK("counts" in (0, 1))
) STRICT;
--> statement-breakpoint
CREATE INDEX `card_returns_by_payment` ON `card_returns` (`payment_intent`);--> statement-breakpoint
CREATE TABLE `__new_checkouts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`session_id` text,
	`amount` integer NOT NULL,
	`paid` integer,
	`received` integer,
	`received_currency` text,
	`payment_intent` text,
	`returned` integer DEFAULT 0 NOT NULL,
	`status` text DEFAULT 'open' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "checkout_status_known" CHECK("status" in ('open', 'pending', 'paid', 'failed', 'expired', 'review', 'refused')),
	CONSTRAINT "checkout_amount_positive" CHECK("amount" > 0),
	CONSTRAINT "checkout_returned_within_paid" CHECK("returned" between 0 and coalesce("paid", 0))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_checkouts`("id", "user_id", "session_id", "amount", "paid", "status", "created_at", "updated_at") SELECT "id", "user_id", "session_id", "amount", "paid", "status", "created_at", "updated_at" FROM `checkouts`;--> statement-breakpoint
DROP TABLE `checkouts`;--> statement-breakpoint
ALTER TABLE `__new_checkouts` RENAME TO `checkouts`;--> statement-breakpoint
CREATE UNIQUE INDEX `checkouts_session_id_unique` ON `checkouts` (`session_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `checkouts_payment_intent_unique` ON `checkouts` (`payment_intent`);--> statement-breakpoint
CREATE INDEX `checkouts_by_user` ON `checkouts` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `checkouts_by_time` ON `checkouts` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `checkouts_returned` ON `checkouts` (`created_at`,`id`) WHERE "returned" > 0;--> statement-breakpoint
CREATE INDEX `checkouts_to_review` ON `checkouts` (`created_at`,`id`) WHERE "status" = 'review';--> statement-breakpoint
CREATE TABLE `__new_ledger` (
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
	CONSTRAINT "ledger_kind_known" CHECK("kind" in ('charge', 'refund', 'topup', 'adjustment', 'reversal')),
	CONSTRAINT "ledger_balance_not_negative" CHECK("balance_after" >= 0),
	CONSTRAINT "ledger_order_for_order_kinds" CHECK(("kind" in ('charge', 'refund')) = ("order_id" is not null))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_ledger`("id", "user_id", "order_id", "kind", "amount", "balance_after", "note", "created_at") SELECT "id", "user_id", "order_id", "kind", "amount", "balance_after", "note", "created_at" FROM `ledger`;--> statement-breakpoint
DROP TABLE `ledger`;--> statement-breakpoint
ALTER TABLE `__new_ledger` RENAME TO `ledger`;--> statement-breakpoint
CREATE INDEX `ledger_by_user` ON `ledger` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `ledger_credits_by_user` ON `ledger` (`user_id`,`kind`,`id`) WHERE "kind" <> 'charge';--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_once_per_order_and_kind` ON `ledger` (`order_id`,`kind`);--> statement-breakpoint
CREATE TABLE `__new_webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
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
	CONSTRAINT "webhook_event_known" CHECK("event" in ('order.completed', 'order.partial', 'order.canceled', 'balance.low', 'webhook.test'))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_webhook_deliveries`("id", "endpoint_id", "event", "body", "attempts", "next_attempt_at", "delivered_at", "last_status", "last_error", "created_at") SELECT "id", "endpoint_id", "event", "body", "attempts", "next_attempt_at", "delivered_at", "last_status", "last_error", "created_at" FROM `webhook_deliveries`;--> statement-breakpoint
DROP TABLE `webhook_deliveries`;--> statement-breakpoint
ALTER TABLE `__new_webhook_deliveries` RENAME TO `webhook_deliveries`;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`next_attempt_at`) WHERE "next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_by_endpoint` ON `webhook_deliveries` (`endpoint_id`,`created_at`);--> statement-breakpoint
-- Not made anew, because the ledger refers to it.
ALTER TABLE `wallets` ADD `owed` integer DEFAULT 0 NOT NULL CONSTRAINT "wallet_owed_not_negative" CHECK("owed" >= 0);--> statement-breakpoint
-- What comes in settles what is owed, in the same batch, whoever brings it.
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
ALTER TABLE `webhook_endpoints` ADD `failing_since` integer;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `disabled_at` integer;