import { ERASURES } from "#app/backup/format/backup-objects.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { erasures } from "#app/db/schema.server.ts";

/** Returns what the list of erasures has of an account. Its id is random, so the digest names it to nobody else. */
export function erasureDigest(userId: string): string {
  return sha256(`erasure:${userId}`);
}

/**
 * Notes that an account is deleted, in D1 and beside the backups: a restore of an earlier one deletes it again. Kept until
 * the last backup from before is deleted. Repeatable.
 */
export async function noteErasure(db: Db, bucket: R2Bucket, userId: string): Promise<void> {
  const digest = erasureDigest(userId);
  await db.insert(erasures).values({ digest, erasedAt: Date.now() }).onConflictDoNothing();
  await bucket.put(`${ERASURES}${digest}`, "");
}
