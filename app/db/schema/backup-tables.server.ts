import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The runs of the nightly backup, complete or not. Deleted after 90 days. */
export const backupRuns = sqliteTable("backup_runs", {
  /** When it started, as in the names of its objects: `2026-11-23T03-17-00Z`. */
  id: text().primaryKey(),
  startedAt: integer("started_at").notNull(),
  /** Whoever works on it renews this with each stored chunk. Free once `lease_until` has passed. */
  leaseId: text("lease_id").notNull().default(""),
  leaseUntil: integer("lease_until").notNull().default(0),
  /** JSON: how far it has come. */
  progress: text().notNull(),
  /** Error of its last failed step. Of a complete one: why a restore doesn't take it as the latest. */
  error: text(),
  /** When it was given up. */
  failedAt: integer("failed_at"),
  finishedAt: integer("finished_at"),
  /** The moment of the main database that it holds, and the last ledger entry then. */
  cutAt: integer("cut_at"),
  ledgerId: integer("ledger_id"),
  /** Number of rows and files together. */
  rows: integer().notNull().default(0),
  /** As stored: compressed and encrypted. */
  bytes: integer().notNull().default(0),
});

/** The stored chunks of the open run. They move to its manifest when it ends. */
export const backupChunks = sqliteTable("backup_chunks", {
  /** Counted from 1. */
  no: integer().primaryKey(),
  /** The database, the kind and the table of its content. */
  database: text().notNull(),
  kind: text().notNull(),
  tableName: text("table_name").notNull(),
  rows: integer().notNull(),
  bytes: integer().notNull(),
  /** Digest of the stored object, in hex. */
  sha256: text().notNull(),
});

/** Rows that changed while a backup reads the tables; see change-capture.server.ts. Empty otherwise. */
export const backupChanges = sqliteTable("backup_changes", {
  seq: integer().primaryKey({ autoIncrement: true }),
  tableName: text("table_name").notNull(),
  rowId: integer("row_id").notNull(),
});

/** Restores into this database. While one is not released, nothing is sent; see outgoing-hold.server.ts. */
export const backupRestores = sqliteTable("backup_restores", {
  backupId: text("backup_id").primaryKey(),
  restoredAt: integer("restored_at").notNull(),
  releasedAt: integer("released_at"),
});

/** Files of backups whose original is deleted. Deleted when no backup lists them any more. */
export const backupGoneFiles = sqliteTable("backup_gone_files", {
  key: text().primaryKey(),
  goneAt: integer("gone_at").notNull(),
});

/** Accounts that were deleted while a backup has them, by a digest of their random id. Repeated after a restore. */
export const erasures = sqliteTable("erasures", {
  digest: text().primaryKey(),
  erasedAt: integer("erased_at").notNull(),
});
