import { eq, inArray } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { isoTime } from "#app/db/iso-time.ts";
import { pendingUploads, uploads } from "#app/db/schema.server.ts";
import { dropPendingUpload } from "./multipart-upload.server.ts";

/** Bound parameters of one statement stay below D1's 100. */
const DELETED_AT_ONCE = 90;

/** Exports a person's uploads by name. The files are downloaded one by one. Sizes in bytes, times in ISO 8601. */
export async function exportUploads(db: Db, userId: string) {
  const [complete, pending] = await db.batch([
    db
      .select({
        name: uploads.name,
        contentType: uploads.contentType,
        size: uploads.size,
        createdAt: uploads.createdAt,
      })
      .from(uploads)
      .where(eq(uploads.userId, userId)),
    db
      .select({
        name: pendingUploads.name,
        contentType: pendingUploads.contentType,
        size: pendingUploads.size,
        createdAt: pendingUploads.createdAt,
      })
      .from(pendingUploads)
      .where(eq(pendingUploads.userId, userId)),
  ]);
  return [
    ...complete.map((file) => ({ ...file, createdAt: isoTime(file.createdAt), complete: true })),
    ...pending.map((file) => ({ ...file, createdAt: isoTime(file.createdAt), complete: false })),
  ];
}

/** Deletes a person's files, then their rows, so that an interrupted run can be repeated. */
export async function deleteUploads(db: Db, bucket: R2Bucket, userId: string): Promise<void> {
  for (const upload of await db.select().from(pendingUploads).where(eq(pendingUploads.userId, userId))) {
    await dropPendingUpload(db, bucket, upload);
  }
  for (;;) {
    const rows = await db
      .select({ id: uploads.id, key: uploads.key })
      .from(uploads)
      .where(eq(uploads.userId, userId))
      .limit(DELETED_AT_ONCE);
    if (rows.length === 0) return;
    await bucket.delete(rows.map((row) => row.key));
    const ids = rows.map((row) => row.id);
    await db.delete(uploads).where(inArray(uploads.id, ids));
  }
}
