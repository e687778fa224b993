import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { ledgerFaults } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { backupEnv, KEYS, takeBackup } from "#tests/backups/backup-databases.ts";
import { EMPTY_MANIFEST, emptyAll, restore, secondBackup, source } from "#tests/backups/whole-backups.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { NIGHTLY } from "#workers/cron-triggers.ts";
import { runScheduledJobs } from "#workers/scheduled-jobs.ts";
import { backupPrefix, FILES, manifestKey, newBackupId } from "./format/backup-objects.ts";
import { putManifest, readManifest } from "./format/sealed-objects.server.ts";
import { checkBackup } from "./restore/read-backup.server.ts";
import { checkFileKeys, checkFiles } from "./restore/restore-files.server.ts";
import { settleRestored } from "./restore/settle-restored.server.ts";
import { deleteOldBackups, storedBackups } from "./run/backup-retention.server.ts";
import { lastBackups } from "./run/backup-runs.server.ts";
import { runBackup } from "./run/backup-steps.server.ts";
import { newestSound } from "./run/sound-backups.server.ts";

beforeEach(emptyAll);

test("holds what may have been sent to a provider since", async () => {
  const { orderIds } = await placeOrders(["https://instagram.com/p/1", "https://instagram.com/p/2"]);
  await env.DB.prepare("update orders set fulfillment = 'accepted', provider_order_id = 'there' where id = ?")
    .bind(orderIds[1])
    .run();
  await restore(await takeBackup());
  expect(await settleRestored(env.DB)).toEqual({ orders: 1, refills: 0, cancellations: 0 });
  const { results } = await env.DB.prepare("select fulfillment, held_for from orders order by id").all();
  expect(results).toEqual([
    { fulfillment: "held", held_for: "restored" },
    { fulfillment: "accepted", held_for: null },
  ]);
});

test("reads backups and files of before a rotation as long as the old key is behind the new one", async () => {
  const rotated = `2:${btoa("n".repeat(32))}`;
  const both = { bucket: env.BACKUPS, keys: `${rotated},${KEYS}` };
  const alone = { bucket: env.BACKUPS, keys: rotated };
  await env.UPLOADS.put("user/before", "1");
  const before = await takeBackup();
  expect(await filesOf(both, before)).toEqual(["user/before"]);
  await expect(checkBackup(alone, before)).rejects.toThrow("BACKUP_KEYS has no key of its version");

  await env.UPLOADS.put("user/since", "2");
  const since = await secondBackup({ ...backupEnv, BACKUP_KEYS: both.keys });
  expect(await filesOf(both, since)).toEqual(["user/before", "user/since"]);
  // The new key alone reads the rows, but not the file that was copied before.
  const { files } = await checkBackup(alone, since);
  const refusal = "the copy of the file user/before cannot be decrypted: BACKUP_KEYS has no key of its version";
  await expect(checkFileKeys(alone, files)).rejects.toThrow(refusal);
  await expect(checkFiles(alone, files)).rejects.toThrow(refusal);
});

test("deletes an old backup, and the copy of a deleted file with the last backup that lists it", async () => {
  await env.UPLOADS.put("user/file", "content");
  await takeBackup();
  await env.UPLOADS.delete("user/file");
  const [, now] = [await secondBackup(), Date.now()];
  expect(await env.BACKUPS.head(`${FILES}user/file`)).not.toBeNull();
  const given = newBackupId(now - 2 * DAY_MS);
  await env.BACKUPS.put(`${backupPrefix(given)}000001`, "of a run that was given up");
  const later = newBackupId(now + 90 * DAY_MS);
  await putManifest(env.BACKUPS, KEYS, { ...EMPTY_MANIFEST, backupId: later });
  while (!(await deleteOldBackups({ ...env, BACKUP_KEYS: KEYS }, later, now + 90 * DAY_MS)));
  const { objects } = await env.BACKUPS.list();
  expect(objects.map(({ key }) => key)).toEqual([manifestKey(later)]);
});

test("keeps a backup whose ledger has known faults, but passes it over, and never deletes the last sound one for it", async () => {
  await customerWith(5);
  const sound = await takeBackup();
  await env.DB.exec(
    "insert into ledger_faults (rule, subject, is_now, should_be, found_at) values ('r', 's', 1, 2, 3)",
  );
  vi.setSystemTime(Date.now() + 2000);
  const faulty = await secondBackup();
  vi.useRealTimers();
  expect((await readManifest(env.BACKUPS, KEYS, faulty)).ledgerFaults).toBe(1);
  expect((await lastBackups(env.DB)).complete).toMatchObject({
    id: faulty,
    error: expect.stringContaining("faults: 1"),
  });
  const passedOver: unknown[] = [];
  expect(await newestSound(source, [sound, faulty], (...why) => passedOver.push(why))).toBe(sound);
  expect(passedOver).toEqual([[faulty, 1]]);

  // Faults stay for longer than any backup is kept.
  const later = newBackupId(Date.now() + 90 * DAY_MS);
  await putManifest(env.BACKUPS, KEYS, { ...EMPTY_MANIFEST, backupId: later, ledgerFaults: 1 });
  const afterFaults = { ...env, BACKUP_KEYS: KEYS };
  while (!(await deleteOldBackups(afterFaults, later, Date.now() + 90 * DAY_MS)));
  expect(await storedBackups(env.BACKUPS)).toEqual([sound, later]);
  await checkBackup(source, sound);

  // Once they are fixed, it goes like the others.
  const fixed = newBackupId(Date.now() + 91 * DAY_MS);
  await putManifest(env.BACKUPS, KEYS, { ...EMPTY_MANIFEST, backupId: fixed });
  while (!(await deleteOldBackups(afterFaults, fixed, Date.now() + 91 * DAY_MS)));
  expect(await storedBackups(env.BACKUPS)).toEqual([later, fixed]);
});

test("the backup of a night knows what its ledger check found", async () => {
  const { userId } = await customerWith(1_000_000);
  await env.DB.prepare("update wallets set balance = balance + 1 where user_id = ?").bind(userId).run();
  const silenced = vi.spyOn(console, "error").mockImplementation(() => {});
  let knownAtStart = 0;
  const wake = async () => {
    knownAtStart = await db.$count(ledgerFaults);
  };
  const nightEnv = { ...env, BACKUP_KEYS: KEYS, BACKUP_RUNNER: { getByName: () => ({ wake }) } };
  await runScheduledJobs(NIGHTLY, nightEnv as unknown as Env);
  silenced.mockRestore();
  expect(knownAtStart).toBeGreaterThan(0);
  while ((await runBackup(backupEnv)) !== null);
  const { complete } = await lastBackups(env.DB);
  expect((await readManifest(env.BACKUPS, KEYS, complete?.id ?? "")).ledgerFaults).toBeGreaterThan(0);
});

/** Returns the files of a backup, each of which can be decrypted. */
async function filesOf(from: typeof source, id: string): Promise<string[]> {
  const { files } = await checkBackup(from, id);
  await checkFileKeys(from, files);
  expect(await checkFiles(from, files)).toEqual({ missing: [], damaged: [] });
  return files.map(({ key }) => key);
}
