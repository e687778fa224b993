import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { ERASURES, FILES, newBackupId } from "#app/backup/format/backup-objects.ts";
import { putManifest } from "#app/backup/format/sealed-objects.server.ts";
import { DAY_MS } from "#app/time.ts";
import { KEYS } from "#tests/backups/backup-databases.ts";
import { EMPTY_MANIFEST } from "#tests/backups/whole-backups.ts";
import { deleteOldBackups, storedBackups } from "./backup-retention.server.ts";

/** A Wednesday, early in the day, as a night's backup. In seconds, as the ids of backups. */
const FIRST = Date.UTC(2026, 0, 7, 3);
/** Deletions a second before or after the first, second and newest backups began. */
const GONE = [
  { name: "before-first", at: FIRST - 1000 },
  { name: "after-first", at: FIRST + 1000 },
  { name: "after-second", at: FIRST + DAY_MS + 1000 },
  { name: "before-newest", at: FIRST + 2 * DAY_MS - 1000 },
];

beforeEach(async () => {
  const { objects } = await env.BACKUPS.list();
  await env.BACKUPS.delete(objects.map(({ key }) => key));
  await env.DB.batch(["backup_gone_files", "erasures"].map((table) => env.DB.prepare(`delete from ${table}`)));
  for (const { name, at } of GONE) {
    await env.BACKUPS.put(`${FILES}${name}`, name);
    await env.BACKUPS.put(`${ERASURES}${name}`, "");
    await env.DB.batch([
      env.DB.prepare("insert into backup_gone_files values (?, ?)").bind(name, at),
      env.DB.prepare("insert into erasures values (?, ?)").bind(name, at),
    ]);
  }
});

test("keeps the copies of deleted files and the erasures that the oldest kept backup needs", async () => {
  const ids = [await complete(0), await complete(1), await complete(2)];
  expect(await deleteOld(2)).toEqual(ids);
  expect(await left()).toEqual(["after-first", "after-second", "before-newest"]);
});

test("deletes what only an expired backup needed, once that backup is gone", async () => {
  await complete(0);
  const second = await complete(58);
  const newest = await complete(59);
  expect(await deleteOld(59)).toEqual([second, newest]);
  expect(await left()).toEqual([]);
});

/** Stores the manifest of a backup that began that many days after the first. Returns its id. */
async function complete(day: number): Promise<string> {
  const backupId = newBackupId(FIRST + day * DAY_MS);
  await putManifest(env.BACKUPS, KEYS, { ...EMPTY_MANIFEST, backupId });
  return backupId;
}

/** Deletes as the night of that day does. Returns the backups that are left. */
async function deleteOld(day: number): Promise<string[]> {
  const now = FIRST + day * DAY_MS;
  while (!(await deleteOldBackups({ ...env, BACKUP_KEYS: KEYS }, newBackupId(now), now)));
  return storedBackups(env.BACKUPS);
}

/** Returns the names that are left, if they are the same as copies, as erasures and in both tables. */
async function left(): Promise<string[]> {
  const names = async (prefix: string) => {
    const { objects } = await env.BACKUPS.list({ prefix });
    return objects.map(({ key }) => key.slice(prefix.length)).toSorted();
  };
  const rows = async (column: string, table: string) => {
    const { results } = await env.DB.prepare(`select ${column} as name from ${table} order by 1`).all<{
      name: string;
    }>();
    return results.map(({ name }) => name);
  };
  const [files, ...others] = await Promise.all([
    names(FILES),
    names(ERASURES),
    rows("key", "backup_gone_files"),
    rows("digest", "erasures"),
  ]);
  for (const other of others) expect(other).toEqual(files);
  return files;
}
