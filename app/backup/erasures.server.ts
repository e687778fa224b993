import { asc, gt } from "drizzle-orm";
import { ERASURES } from "#app/backup/format/backup-objects.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { erasures, users } from "#app/db/schema.server.ts";

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

const USERS_PER_PAGE = 5000;

/** Returns the accounts of a restored copy that the list beside its backups names, and takes the list over into D1. */
export async function erasedAccounts(db: Db, bucket: R2Bucket): Promise<string[]> {
  const listed = await listErasures(bucket);
  for (const [digest, erasedAt] of listed) {
    await db.insert(erasures).values({ digest, erasedAt }).onConflictDoNothing();
  }
  const erased: string[] = [];
  for (let after = ""; listed.size > 0; ) {
    const page = await db
      .select({ id: users.id })
      .from(users)
      .where(gt(users.id, after))
      .orderBy(asc(users.id))
      .limit(USERS_PER_PAGE);
    erased.push(...page.map(({ id }) => id).filter((id) => listed.has(erasureDigest(id))));
    after = page.at(-1)?.id ?? "";
    if (page.length < USERS_PER_PAGE) break;
  }
  return erased;
}

async function listErasures(bucket: R2Bucket): Promise<Map<string, number>> {
  const listed = new Map<string, number>();
  for (let cursor: string | undefined; ; ) {
    const page = await bucket.list({ prefix: ERASURES, ...(cursor && { cursor }) });
    for (const { key, uploaded } of page.objects) listed.set(key.slice(ERASURES.length), uploaded.getTime());
    if (!page.truncated) return listed;
    cursor = page.cursor;
  }
}
