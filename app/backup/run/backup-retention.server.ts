import {
  BACKUPS,
  backupPrefix,
  ERASURES,
  FILES,
  manifestKey,
  timeOfBackup,
} from "#app/backup/format/backup-objects.ts";
import { expiredBackups } from "./expired-backups.ts";
import { newestSound } from "./sound-backups.server.ts";

/** Objects per list and delete call of R2. */
const PAGE = 1000;
/** So many copies of deleted files per call. */
const FILES_AT_ONCE = 500;

type Stores = { DB: D1Database; BACKUPS: R2Bucket; BACKUP_KEYS: string };

/**
 * Deletes backups that are no longer kept, and what only they needed: copies of deleted files and the list of erasures.
 * `complete` is the backup that has just got its manifest, so there is always a newer one. The newest whose ledger was sound
 * stays, too: those since may have what a restore should undo. Returns whether all of it is done.
 */
export async function deleteOldBackups(
  { DB, BACKUPS: bucket, BACKUP_KEYS: keys }: Stores,
  complete: string,
  now: number,
): Promise<boolean> {
  const ids = await storedBackups(bucket);
  const kept = new Set<string>();
  for (const id of ids) {
    // One without a manifest was given up.
    if (id === complete || (await bucket.head(manifestKey(id)))) kept.add(id);
  }
  const sound = await newestSound({ bucket, keys }, [...kept]);
  const expired = new Set(expiredBackups([...kept], now, sound));
  const [doomed] = ids.filter((id) => (id < complete && !kept.has(id)) || expired.has(id));
  if (doomed !== undefined) {
    // First the manifest: half a backup must not look like a whole one.
    await bucket.delete(manifestKey(doomed));
    const page = await bucket.list({ prefix: backupPrefix(doomed), limit: PAGE });
    if (page.objects.length > 0) await bucket.delete(page.objects.map(({ key }) => key));
    return false;
  }
  const oldest = timeOfBackup([...kept].sort()[0] ?? complete) ?? now;
  return deleteUnneeded(DB, bucket, oldest);
}

/** Deletes what was gone before the oldest backup started. */
async function deleteUnneeded(main: D1Database, bucket: R2Bucket, oldest: number): Promise<boolean> {
  const { results: files } = await main
    .prepare("select key from backup_gone_files where gone_at < ? limit ?")
    .bind(oldest, FILES_AT_ONCE)
    .all<{ key: string }>();
  if (files.length > 0) await bucket.delete(files.map(({ key }) => `${FILES}${key}`));
  const { results: erased } = await main
    .prepare("select digest from erasures where erased_at < ? limit ?")
    .bind(oldest, FILES_AT_ONCE)
    .all<{ digest: string }>();
  if (erased.length > 0) await bucket.delete(erased.map(({ digest }) => `${ERASURES}${digest}`));
  if (files.length + erased.length === 0) return true;
  await main.batch([
    main
      .prepare("delete from backup_gone_files where key in (select value from json_each(?))")
      .bind(JSON.stringify(files.map(({ key }) => key))),
    main
      .prepare("delete from erasures where digest in (select value from json_each(?))")
      .bind(JSON.stringify(erased.map(({ digest }) => digest))),
  ]);
  return false;
}

/** Returns the ids of the backups that have any object, oldest first. */
export async function storedBackups(bucket: R2Bucket): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await bucket.list({ prefix: BACKUPS, delimiter: "/", ...(cursor && { cursor }) });
    ids.push(...page.delimitedPrefixes.map((prefix) => prefix.slice(BACKUPS.length, -1)));
    if (!page.truncated) return ids.filter((id) => timeOfBackup(id) !== null).sort();
    cursor = page.cursor;
  }
}
