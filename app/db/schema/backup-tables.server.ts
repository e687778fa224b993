import { integer, text } from "drizzle-orm/sqlite-core";
import { impersonalTable, secret, shown, time } from "./column-types.server.ts";

/** The runs of the nightly backup, complete or not. Deleted after 90 days. */
export const backupRuns = impersonalTable("backup_runs", {
  /** When it started, as in the names of its objects: `2026-11-23T03-17-00Z`. */
  id: shown(text()).primaryKey(),
  startedAt: time("started_at").notNull(),
  /** Whoever works on it renews this with each stored chunk. Free once `lease_until` has passed. */
  leaseId: shown(text("lease_id")).notNull().default(""),
  leaseUntil: time("lease_until").notNull().default(0),
  /** JSON: how far it has come. */
  progress: shown(text()).notNull(),
  /** Error of its last failed step. Of a complete one: why a restore doesn't take it as the latest. */
  error: shown(text()),
  /** When it was given up. */
  failedAt: time("failed_at"),
  finishedAt: time("finished_at"),
  /** The moment of the main database that it holds, and the last ledger entry then. */
  cutAt: time("cut_at"),
  ledgerId: integer("ledger_id"),
  /** Number of rows and files together. */
  rows: integer().notNull().default(0),
  /** As stored: compressed and encrypted. */
  bytes: integer().notNull().default(0),
});

/** The stored chunks of the open run. They move to its manifest when it ends. */
export const backupChunks = impersonalTable("backup_chunks", {
  /** Counted from 1. */
  no: integer().primaryKey(),
  /** The database, the kind and the table of its content. */
  database: shown(text()).notNull(),
  kind: shown(text()).notNull(),
  tableName: shown(text("table_name")).notNull(),
  rows: integer().notNull(),
  bytes: integer().notNull(),
  /** Digest of the stored object, in hex. */
  sha256: shown(text()).notNull(),
});

/** Rows that changed while a backup reads the tables; see change-capture.server.ts. Empty otherwise. */
export const backupChanges = impersonalTable("backup_changes", {
  seq: integer().primaryKey({ autoIncrement: true }),
  tableName: shown(text("table_name")).notNull(),
  rowId: integer("row_id").notNull(),
});

/** Restores into this database. While one is not released, nothing is sent; see outgoing-hold.server.ts. */
export const backupRestores = impersonalTable("backup_restores", {
  backupId: shown(text("backup_id")).primaryKey(),
  restoredAt: time("restored_at").notNull(),
  releasedAt: time("released_at"),
});

/** Files of backups whose original is deleted. Deleted when no backup lists them any more. */
export const backupGoneFiles = impersonalTable("backup_gone_files", {
  key: shown(text()).primaryKey(),
  goneAt: time("gone_at").notNull(),
});

/** Accounts that were deleted while a backup has them, by a digest of their random id. Repeated after a restore. */
export const erasures = impersonalTable("erasures", {
  digest: secret(text()).primaryKey(),
  erasedAt: time("erased_at").notNull(),
});
