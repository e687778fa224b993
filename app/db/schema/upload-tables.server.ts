import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const uploads = sqliteTable(
  "uploads",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    key: text().notNull().unique(),
    name: text().notNull(),
    contentType: text("content_type").notNull(),
    /** Bytes. */
    size: integer().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("uploads_by_user").on(table.userId, table.createdAt),
    check("upload_size_not_negative", sql`"size" >= 0`),
  ],
);

/** A file being uploaded: its parts are in R2's multipart upload `r2_upload_id` until completed or aborted. */
export const pendingUploads = sqliteTable(
  "pending_uploads",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    key: text().notNull().unique(),
    r2UploadId: text("r2_upload_id").notNull(),
    name: text().notNull(),
    /** Derived from the name; the content has to match. */
    contentType: text("content_type").notNull(),
    /** Bytes: the whole file, and each part but the last. */
    size: integer().notNull(),
    partSize: integer("part_size").notNull(),
    /** Lets the browser recognize the file when it is chosen again. */
    fingerprint: text().notNull().default(""),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    index("pending_uploads_by_user").on(table.userId, table.createdAt),
    index("pending_uploads_by_age").on(table.updatedAt),
    check("pending_upload_sizes", sql`"size" >= 1 and "part_size" >= 1`),
  ],
);

export const uploadParts = sqliteTable(
  "upload_parts",
  {
    uploadId: text("upload_id")
      .notNull()
      .references(() => pendingUploads.id, { onDelete: "cascade" }),
    /** From 1. */
    number: integer().notNull(),
    etag: text().notNull(),
    /** Bytes. */
    size: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.number] })],
);
