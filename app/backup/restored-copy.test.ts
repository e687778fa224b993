import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { deleteAccount, repeatErasures, resumeDeletions } from "#app/delete-account.server.ts";
import { backupEnv, emptyDatabases, KEYS, takeBackup } from "#tests/backups/backup-databases.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { backupPrefix, DATABASES, FILES, manifestKey, newBackupId } from "./format/backup-objects.ts";
import { checkBackup } from "./restore/read-backup.server.ts";
import { restoreDatabase } from "./restore/restore-database.server.ts";
import { restoreFiles } from "./restore/restore-files.server.ts";
import { settleRestored } from "./restore/settle-restored.server.ts";
import { deleteOldBackups } from "./run/backup-retention.server.ts";
import { PART_BYTES } from "./run/file-copies.server.ts";

const DAY_MS = 86_400_000;
const source = { bucket: env.BACKUPS, keys: KEYS };

beforeEach(async () => {
  await emptyDatabases();
  for (const bucket of [env.BACKUPS, env.UPLOADS]) {
    const { objects } = await bucket.list();
    await bucket.delete(objects.map(({ key }) => key));
  }
});

test("deletes again whom a restored backup has, but who was deleted since", async () => {
  const [gone, stays] = [await customerWith(1_000_000), await customerWith(1_000_000)];
  const id = await takeBackup();
  await deleteAccount(db, env, gone.userId);
  await restore(id);
  expect(await emails()).toEqual([gone.email, stays.email].toSorted());
  expect(await repeatErasures(db, env.BACKUPS)).toBe(1);
  await resumeDeletions(db, env);
  expect(await emails()).toEqual([stays.email]);
  // The list goes on in the new database, without a trace of who it was.
  const listed = await env.DB.prepare("select * from erasures").all();
  expect(listed.results).toEqual([{ digest: expect.stringMatching(/^[0-9a-f]{64}$/), erased_at: expect.any(Number) }]);
  const { objects } = await env.BACKUPS.list({ prefix: "erasures/" });
  expect(objects.map(({ key, size }) => [key.includes(gone.userId), size])).toEqual([[false, 0]]);
});

test("holds what may have been sent to a provider since", async () => {
  const { orderIds } = await placeOrders(["https://instagram.com/p/1", "https://instagram.com/p/2"]);
  await env.DB.prepare("update orders set fulfillment = 'accepted', provider_order_id = 'there' where id = ?")
    .bind(orderIds[1])
    .run();
  await restore(await takeBackup());
  expect(await settleRestored(env.DB)).toEqual({ orders: 1, refills: 0, cancellations: 0 });
  const { results } = await env.DB.prepare("select fulfillment from orders order by id").all();
  expect(results).toEqual([{ fulfillment: "held" }, { fulfillment: "accepted" }]);
});

test("copies each file once, encrypted, and puts it back byte by byte", async () => {
  const large = new Uint8Array(2 * PART_BYTES + 123).map((_, index) => index % 251);
  const small = new TextEncoder().encode("a,b\n1,2\n");
  await env.UPLOADS.put("user/large", large, { httpMetadata: { contentType: "video/mp4" } });
  await env.UPLOADS.put("user/small", small, { httpMetadata: { contentType: "text/csv" } });
  await env.UPLOADS.put("support/none", "");
  await takeBackup();
  const copied = await env.BACKUPS.head(`${FILES}user/large`);
  const id = await secondBackup();
  expect((await env.BACKUPS.head(`${FILES}user/large`))?.uploaded).toEqual(copied?.uploaded);
  const stored = await env.BACKUPS.get(`${FILES}user/small`);
  expect(await stored?.text()).not.toContain("a,b");
  await env.UPLOADS.delete(["user/large", "support/none"]);
  const { files } = await checkBackup(source, id);
  expect(await restoreFiles(source, files, env.UPLOADS)).toEqual({ copied: 2, there: 1, missing: [] });
  const back = await env.UPLOADS.get("user/large");
  expect(new Uint8Array((await back?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(large);
  expect(back?.httpMetadata?.contentType).toBe("video/mp4");
  await env.UPLOADS.delete("user/small");
  await env.BACKUPS.delete(`${FILES}user/small`);
  expect(await restoreFiles(source, files, env.UPLOADS)).toEqual({ copied: 0, there: 2, missing: ["user/small"] });
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
  await env.BACKUPS.put(manifestKey(later), "complete");
  while (!(await deleteOldBackups(env, later, now + 90 * DAY_MS)));
  const { objects } = await env.BACKUPS.list();
  expect(objects.map(({ key }) => key)).toEqual([manifestKey(later)]);
});

/** Ids have seconds, so the second one starts later. */
async function secondBackup(): Promise<string> {
  await env.DB.exec("update backup_runs set id = '2026-01-01T00-00-00Z'");
  return takeBackup(undefined, backupEnv);
}

async function restore(id: string): Promise<void> {
  const backup = await checkBackup(source, id);
  await emptyDatabases();
  for (const name of DATABASES) await restoreDatabase(name, env[name], source, backup);
}

async function emails(): Promise<unknown[]> {
  const { results } = await env.DB.prepare("select email from users order by email").all();
  return results.map(({ email }) => email);
}
