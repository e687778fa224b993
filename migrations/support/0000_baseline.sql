CREATE TABLE `backup_changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`table_name` text NOT NULL,
	`row_id` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `support_cases` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`no` integer NOT NULL,
	`started_at` integer NOT NULL,
	`first_reply_at` integer,
	`agent_id` text,
	`agent_name` text,
	`closed_at` integer,
	`rating` text,
	`rated_at` integer,
	FOREIGN KEY (`session_id`) REFERENCES `support_sessions`(`session_id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "support_rating_known" CHECK("rating" is null or "rating" in ('good', 'bad'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `support_cases_by_start` ON `support_cases` (`started_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `support_cases_once` ON `support_cases` (`session_id`,`no`);--> statement-breakpoint
CREATE TABLE `support_counts` (
	`status` text NOT NULL,
	`assignee_id` text NOT NULL,
	`conversations` integer DEFAULT 0 NOT NULL,
	`unread` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`status`, `assignee_id`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `support_mentions` (
	`session_id` text NOT NULL,
	`note_no` integer NOT NULL,
	`agent_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`read_at` integer,
	`emailed_at` integer,
	PRIMARY KEY(`session_id`, `note_no`, `agent_id`),
	FOREIGN KEY (`session_id`) REFERENCES `support_sessions`(`session_id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `support_mentions_by_agent` ON `support_mentions` (`agent_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `support_mentions_unread` ON `support_mentions` (`agent_id`,`created_at`) WHERE "read_at" is null;--> statement-breakpoint
CREATE INDEX `support_mentions_to_mail` ON `support_mentions` (`created_at`) WHERE "read_at" is null and "emailed_at" is null;--> statement-breakpoint
CREATE TABLE `support_messages` (
	`id` integer PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`seq` integer NOT NULL,
	`sender_type` text NOT NULL,
	`sender_name` text NOT NULL,
	`message` text NOT NULL,
	`file` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `support_sessions`(`session_id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "support_sender_known" CHECK("sender_type" in ('user', 'admin', 'system')),
	CONSTRAINT "support_seq_positive" CHECK("seq" >= 1)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `support_messages_once_per_seq` ON `support_messages` (`session_id`,`seq`);--> statement-breakpoint
CREATE TABLE `support_notes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`no` integer NOT NULL,
	`author_id` text NOT NULL,
	`author_name` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `support_sessions`(`session_id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `support_notes_once` ON `support_notes` (`session_id`,`no`);--> statement-breakpoint
CREATE TABLE `support_sessions` (
	`id` integer PRIMARY KEY NOT NULL,
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
	`assignee_id` text,
	`assignee_name` text,
	`blocked` integer DEFAULT false NOT NULL,
	`tags` text DEFAULT '[]' NOT NULL,
	`user_read_seq` integer DEFAULT 0 NOT NULL,
	`reply_seq` integer DEFAULT 0 NOT NULL,
	`reply_at` integer DEFAULT 0 NOT NULL,
	`emailed_seq` integer DEFAULT 0 NOT NULL,
	`snoozed_until` integer DEFAULT 0 NOT NULL,
	`respond_by` integer DEFAULT 0 NOT NULL,
	CONSTRAINT "support_status_known" CHECK("status" in ('open', 'closed'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `support_sessions_session_id_unique` ON `support_sessions` (`session_id`);--> statement-breakpoint
CREATE INDEX `support_sessions_closed` ON `support_sessions` (`updated_at`) WHERE "status" = 'closed';--> statement-breakpoint
CREATE INDEX `support_sessions_by_user` ON `support_sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `support_sessions_by_assignee` ON `support_sessions` (`assignee_id`,`status`,`updated_at`);--> statement-breakpoint
CREATE INDEX `support_sessions_snoozed` ON `support_sessions` (`snoozed_until`) WHERE "status" = 'open' and "snoozed_until" > 0;--> statement-breakpoint
CREATE INDEX `support_sessions_to_answer` ON `support_sessions` (`respond_by`) WHERE "status" = 'open' and "respond_by" > 0;--> statement-breakpoint
CREATE INDEX `support_sessions_to_mail` ON `support_sessions` (`reply_at`) WHERE "user_email" is not null and "reply_seq" > "user_read_seq" and "emailed_seq" <= "user_read_seq";
--> statement-breakpoint
-- Full-text search over messages, and over visitors' names and emails.
CREATE VIRTUAL TABLE `support_search` USING fts5 (
	`message`, content = 'support_messages', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);
--> statement-breakpoint
-- Without it, the words of deleted messages stay in the index until segments are merged.
INSERT INTO `support_search` (`support_search`, `rank`) VALUES ('secure-delete', 1);
--> statement-breakpoint
CREATE TRIGGER `support_search_insert` AFTER INSERT ON `support_messages`
BEGIN
	INSERT INTO `support_search` (`rowid`, `message`) VALUES (new.`id`, new.`message`);
END;
--> statement-breakpoint
CREATE TRIGGER `support_search_delete` AFTER DELETE ON `support_messages`
BEGIN
	INSERT INTO `support_search` (`support_search`, `rowid`, `message`) VALUES ('delete', old.`id`, old.`message`);
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE `support_people_search` USING fts5 (
	`user_name`, `user_email`, content = 'support_sessions', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);
--> statement-breakpoint
INSERT INTO `support_people_search` (`support_people_search`, `rank`) VALUES ('secure-delete', 1);
--> statement-breakpoint
CREATE TRIGGER `support_people_search_insert` AFTER INSERT ON `support_sessions`
BEGIN
	INSERT INTO `support_people_search` (`rowid`, `user_name`, `user_email`) VALUES (new.`id`, new.`user_name`, new.`user_email`);
END;
--> statement-breakpoint
CREATE TRIGGER `support_people_search_delete` AFTER DELETE ON `support_sessions`
BEGIN
	INSERT INTO `support_people_search` (`support_people_search`, `rowid`, `user_name`, `user_email`)
	VALUES ('delete', old.`id`, old.`user_name`, old.`user_email`);
END;
--> statement-breakpoint
CREATE TRIGGER `support_people_search_update` AFTER UPDATE OF `user_name`, `user_email` ON `support_sessions`
WHEN old.`user_name` IS NOT new.`user_name` OR old.`user_email` IS NOT new.`user_email`
BEGIN
	INSERT INTO `support_people_search` (`support_people_search`, `rowid`, `user_name`, `user_email`)
	VALUES ('delete', old.`id`, old.`user_name`, old.`user_email`);
	INSERT INTO `support_people_search` (`rowid`, `user_name`, `user_email`) VALUES (new.`id`, new.`user_name`, new.`user_email`);
END;
--> statement-breakpoint
-- How many conversations the inbox has by status and assignee, and how many of them are unread.
CREATE TRIGGER `support_counts_insert` AFTER INSERT ON `support_sessions`
BEGIN
	INSERT INTO `support_counts` (`status`, `assignee_id`)
	SELECT new.`status`, coalesce(new.`assignee_id`, '') WHERE NOT EXISTS (
		SELECT 1 FROM `support_counts` WHERE `status` = new.`status` AND `assignee_id` = coalesce(new.`assignee_id`, '')
	);
	UPDATE `support_counts`
	SET `conversations` = `conversations` + 1, `unread` = `unread` + (new.`last_seq` > new.`agent_read_seq`)
	WHERE `status` = new.`status` AND `assignee_id` = coalesce(new.`assignee_id`, '');
END;
--> statement-breakpoint
CREATE TRIGGER `support_counts_delete` AFTER DELETE ON `support_sessions`
BEGIN
	UPDATE `support_counts`
	SET `conversations` = `conversations` - 1, `unread` = `unread` - (old.`last_seq` > old.`agent_read_seq`)
	WHERE `status` = old.`status` AND `assignee_id` = coalesce(old.`assignee_id`, '');
END;
--> statement-breakpoint
CREATE TRIGGER `support_counts_update` AFTER UPDATE OF `status`, `assignee_id` ON `support_sessions`
WHEN old.`status` IS NOT new.`status` OR old.`assignee_id` IS NOT new.`assignee_id`
BEGIN
	UPDATE `support_counts`
	SET `conversations` = `conversations` - 1, `unread` = `unread` - (old.`last_seq` > old.`agent_read_seq`)
	WHERE `status` = old.`status` AND `assignee_id` = coalesce(old.`assignee_id`, '');
	INSERT INTO `support_counts` (`status`, `assignee_id`)
	SELECT new.`status`, coalesce(new.`assignee_id`, '') WHERE NOT EXISTS (
		SELECT 1 FROM `support_counts` WHERE `status` = new.`status` AND `assignee_id` = coalesce(new.`assignee_id`, '')
	);
	UPDATE `support_counts`
	SET `conversations` = `conversations` + 1, `unread` = `unread` + (new.`last_seq` > new.`agent_read_seq`)
	WHERE `status` = new.`status` AND `assignee_id` = coalesce(new.`assignee_id`, '');
END;
--> statement-breakpoint
CREATE TRIGGER `support_counts_unread` AFTER UPDATE OF `last_seq`, `agent_read_seq` ON `support_sessions`
WHEN old.`status` IS new.`status` AND old.`assignee_id` IS new.`assignee_id`
	AND (old.`last_seq` > old.`agent_read_seq`) IS NOT (new.`last_seq` > new.`agent_read_seq`)
BEGIN
	UPDATE `support_counts`
	SET `unread` = `unread` + (new.`last_seq` > new.`agent_read_seq`) - (old.`last_seq` > old.`agent_read_seq`)
	WHERE `status` = new.`status` AND `assignee_id` = coalesce(new.`assignee_id`, '');
END;
