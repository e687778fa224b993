import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { exported, internal, personalTable, time } from "./column-types.server.ts";

export const uploads = personalTable(
  "uploads",
  {
    id: internal(text()).primaryKey(),
    userId: internal(text("user_id")).notNull(),
    key: internal(text()).notNull().unique(),
    name: exported(text()).notNull(),
    contentType: exported(text("content_type")).notNull(),
    /** Bytes. */
    size: exported(integer()).notNull(),
    createdAt: exported(time("created_at")).notNull(),
  },
  (table) => [
    index("uploads_by_user").on(table.userId, table.createdAt),
    check("upload_size_not_negative", sql`"size" >= 0`),
  ],
);

/** A file being uploaded: its parts are in R2's multipart upload `r2_upload_id` until completed or aborted. */
export const pendingUploads = personalTable(
  "pending_uploads",
  {
    id: internal(text()).primaryKey(),
    userId: internal(text("user_id")).notNull(),
    key: internal(text()).notNull().unique(),
    r2UploadId: internal(text("r2_upload_id")).notNull(),
    name: exported(text()).notNull(),
    /** Derived from the name; the content has to match. */
    contentType: exported(text("content_type")).notNull(),
    /** Bytes: the whole file, and each part but the last. */
    size: exported(integer()).notNull(),
    partSize: internal(integer("part_size")).notNull(),
    /** Lets the browser recognize the file when it is chosen again. */
    fingerprint: internal(text()).notNull().default(""),
    createdAt: exported(time("created_at")).notNull(),
    updatedAt: internal(time("updated_at")).notNull(),
  },
  (table) => [
    index("pending_uploads_by_user").on(table.userId, table.createdAt),
    index("pending_uploads_by_age").on(table.updatedAt),
    check("pending_upload_sizes", sql`"size" >= 1 and "part_size" >= 1`),
  ],
);

export const uploadParts = personalTable(
  "upload_parts",
  {
    uploadId: internal(text("upload_id"))
      .notNull()
      .references(() => pendingUploads.id, { onDelete: "cascade" }),
    /** From 1. */
    number: internal(integer()).notNull(),
    etag: internal(text()).notNull(),
    /** Bytes. */
    size: internal(integer()).notNull(),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.number] })],
);
