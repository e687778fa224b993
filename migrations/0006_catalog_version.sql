CREATE TABLE `catalog_version` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	CONSTRAINT "catalog_version_is_one_row" CHECK("id" = 1)
) STRICT;
--> statement-breakpoint
INSERT INTO `catalog_version` (`id`, `version`) VALUES (1, 1);
--> statement-breakpoint
CREATE TRIGGER `catalog_counts_inserts` AFTER INSERT ON `services`
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `catalog_counts_deletes` AFTER DELETE ON `services`
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `catalog_counts_updates` AFTER UPDATE OF
	`network`, `category`, `name`, `description`, `type`, `rate`, `min`, `max`, `dripfeed`, `refill`, `cancel`,
	`enabled`, `provider_id`, `provider_service_id`, `position`
ON `services`
BEGIN
	UPDATE `catalog_version` SET `version` = `version` + 1;
END;
