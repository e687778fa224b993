import { eq, inArray } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { exportedRows } from "#app/db/exported-columns.server.ts";
import { pendingUploads, uploads } from "#app/db/schema.server.ts";
import { dropPendingUpload } from "./multipart-upload.server.ts";

/** Bound parameters of one statement stay below D1's 100. */
const DELETED_AT_ONCE = 90;

/** Exports a person's uploads by name. The files are downloaded one by one. Sizes in bytes. */
export async function exportUploads(db: Db, userId: string) {
  const [complete, pending] = await db.batch([
    exportedRows(db, uploads, userId),
    exportedRows(db, pendingUploads, userId),
  ]);
  return [
    ...complete.map((file) => ({ ...file, complete: true })),
    ...pending.map((file) => ({ ...file, complete: false })),
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
