CREATE TABLE `support_cases` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`no` integer NOT NULL,
	`started_at` integer NOT NULL,
	`answered_at` integer,
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
CREATE TABLE `support_replies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`shortcut` text COLLATE NOCASE NOT NULL,
	`body` text NOT NULL,
	`updated_by` text NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `support_replies_shortcut_unique` ON `support_replies` (`shortcut`);--> statement-breakpoint
CREATE TABLE `support_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "support_settings_is_one_row" CHECK("id" = 1)
) STRICT;
--> statement-breakpoint
ALTER TABLE `support_sessions` ADD `assignee_id` text;--> statement-breakpoint
ALTER TABLE `support_sessions` ADD `assignee_name` text;--> statement-breakpoint
ALTER TABLE `support_sessions` ADD `blocked` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `support_sessions` ADD `tags` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `support_sessions` ADD `user_read_seq` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `support_sessions` ADD `answer_seq` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `support_sessions` ADD `answer_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `support_sessions` ADD `mailed_seq` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `support_sessions_by_assignee` ON `support_sessions` (`assignee_id`,`status`,`updated_at`);--> statement-breakpoint
CREATE INDEX `support_sessions_to_mail` ON `support_sessions` (`answer_at`) WHERE "user_email" is not null and "answer_seq" > "user_read_seq" and "mailed_seq" <= "user_read_seq";--> statement-breakpoint
CREATE INDEX `profiles_staff` ON `profiles` ("full_name" collate nocase) WHERE "role" <> 'customer';--> statement-breakpoint
CREATE VIRTUAL TABLE `support_search` USING fts5 (
	`message`, content = 'support_messages', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);
--> statement-breakpoint
CREATE TRIGGER `support_search_takes_messages` AFTER INSERT ON `support_messages`
BEGIN
	INSERT INTO `support_search` (`rowid`, `message`) VALUES (new.`id`, new.`message`);
END;
--> statement-breakpoint
CREATE TRIGGER `support_search_forgets_messages` AFTER DELETE ON `support_messages`
BEGIN
	INSERT INTO `support_search` (`support_search`, `rowid`, `message`) VALUES ('delete', old.`id`, old.`message`);
END;
--> statement-breakpoint
INSERT INTO `support_search` (`support_search`) VALUES ('rebuild');
--> statement-breakpoint
CREATE VIRTUAL TABLE `support_people_search` USING fts5 (
	`user_name`, `user_email`, content = 'support_sessions', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);
--> statement-breakpoint
CREATE TRIGGER `support_search_takes_people` AFTER INSERT ON `support_sessions`
BEGIN
	INSERT INTO `support_people_search` (`rowid`, `user_name`, `user_email`) VALUES (new.`id`, new.`user_name`, new.`user_email`);
END;
--> statement-breakpoint
CREATE TRIGGER `support_search_forgets_people` AFTER DELETE ON `support_sessions`
BEGIN
	INSERT INTO `support_people_search` (`support_people_search`, `rowid`, `user_name`, `user_email`)
	VALUES ('delete', old.`id`, old.`user_name`, old.`user_email`);
END;
--> statement-breakpoint
CREATE TRIGGER `support_search_renames_people` AFTER UPDATE OF `user_name`, `user_email` ON `support_sessions`
WHEN old.`user_name` IS NOT new.`user_name` OR old.`user_email` IS NOT new.`user_email`
BEGIN
	INSERT INTO `support_people_search` (`support_people_search`, `rowid`, `user_name`, `user_email`)
	VALUES ('delete', old.`id`, old.`user_name`, old.`user_email`);
	INSERT INTO `support_people_search` (`rowid`, `user_name`, `user_email`) VALUES (new.`id`, new.`user_name`, new.`user_email`);
END;
--> statement-breakpoint
INSERT INTO `support_people_search` (`support_people_search`) VALUES ('rebuild');
--> statement-breakpoint
INSERT INTO `support_counts` (`status`, `assignee_id`, `conversations`, `unread`)
SELECT `status`, coalesce(`assignee_id`, ''), count(*), sum(`last_seq` > `agent_read_seq`) FROM `support_sessions` GROUP BY 1, 2;
--> statement-breakpoint
CREATE TRIGGER `support_counts_inserts` AFTER INSERT ON `support_sessions`
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
CREATE TRIGGER `support_counts_deletes` AFTER DELETE ON `support_sessions`
BEGIN
	UPDATE `support_counts`
	SET `conversations` = `conversations` - 1, `unread` = `unread` - (old.`last_seq` > old.`agent_read_seq`)
	WHERE `status` = old.`status` AND `assignee_id` = coalesce(old.`assignee_id`, '');
END;
--> statement-breakpoint
CREATE TRIGGER `support_counts_updates` AFTER UPDATE OF `status`, `assignee_id`, `last_seq`, `agent_read_seq` ON `support_sessions`
WHEN old.`status` IS NOT new.`status` OR old.`assignee_id` IS NOT new.`assignee_id`
	OR (old.`last_seq` > old.`agent_read_seq`) IS NOT (new.`last_seq` > new.`agent_read_seq`)
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
