import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { backupEnv, type Dump, dumpDatabases, KEYS, takeBackup } from "#tests/backups/backup-databases.ts";
import { emptyAll, restore, source, writeALot } from "#tests/backups/whole-backups.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { fillHistory, startHistory } from "#tests/workerd/history-fill.ts";
import { fillInbox } from "#tests/workerd/inbox-fill.ts";
import { fillPerson } from "#tests/workerd/personal-rows.ts";
import { chunkKey, manifestKey } from "./format/backup-objects.ts";
import { readChunk } from "./format/sealed-objects.server.ts";
import { checkBackup } from "./restore/read-backup.server.ts";
import { checkTarget } from "./restore/restore-database.server.ts";
import { lastBackups, startBackup } from "./run/backup-runs.server.ts";
import { GIVE_UP_MS, MAX_RESTARTS, runBackup } from "./run/backup-steps.server.ts";

beforeEach(emptyAll);

test("restores every row, index and id of a small site as it was at the cut, and only into an empty copy", async () => {
  await fillPerson();
  await fillHistory(await startHistory(), { orders: 60, conversations: 100 });
  await env.DB.exec(
    "insert into audit_log (id, actor_id, actor_name, action, subject_type, subject_id, created_at) values (5000000, '', '', '', '', '', 1)",
  );
  await env.DB.exec("delete from audit_log where id = 5000000");
  let atCut: Dump | null = null;
  let faults: unknown = null;
  let steps = 0;
  const id = await takeBackup(async ({ phase, cuts }) => {
    steps++;
    if ("DB" in cuts && !atCut) {
      atCut = await dumpDatabases();
      faults = await checkLedger(db);
    }
    // The support database has its own, earlier cut, so nothing more is written to it then.
    const isReading = phase === "pages" || (phase === "changes" && Object.keys(cuts).length === 0);
    if (isReading && steps % 4 === 0) await writeALot(steps);
  });
  await writeALot(0);
  const backup = await restore(id);
  const restored = await dumpDatabases();
  expect(steps).toBeGreaterThan(60);
  for (const [table, rows] of Object.entries(atCut ?? {})) expect(restored[table], table).toEqual(rows);
  expect(Object.keys(restored)).toEqual(Object.keys(atCut ?? {}));
  expect(await checkLedger(db)).toEqual(faults);
  const found = "select count(*) as n from support_search where support_search match 'order'";
  expect((await env.DB_SUPPORT.prepare(found).first<{ n: number }>())?.n).toBeGreaterThan(0);
  const added = await env.DB.prepare(
    "insert into audit_log (actor_id, actor_name, action, subject_type, subject_id, created_at) values ('', '', '', '', '', 1) returning id",
  ).first<{ id: number }>();
  expect(added?.id).toBe(5_000_001);
  const capturing = "select name from sqlite_master where type = 'trigger' and name glob 'backup_*'";
  expect((await env.DB.prepare(capturing).all()).results).toEqual([]);
  await expect(checkTarget("DB", env.DB, backup)).rejects.toThrow(/DB is not empty: \w+ has rows/);
});

test("reads each row once, with bounded statements per call, and tells when it was made, and its size", async () => {
  await customerWith(5);
  await fillInbox(env.DB_SUPPORT, { from: 0, conversations: 100, messagesEach: 1, agents: ["agent"] });
  const rows = Object.values(await dumpDatabases()).flat().length;
  const [main, support] = [countedDatabase(env.DB), countedDatabase(env.DB_SUPPORT)];
  const counted = { ...backupEnv, DB: main.database, DB_SUPPORT: support.database };
  const id = await startBackup(env.DB, Date.now());
  let most = 0;
  for (let next: number | null = 0; next !== null; ) {
    const before = main.counts.queries + support.counts.queries;
    next = await runBackup(counted);
    most = Math.max(most, main.counts.queries + support.counts.queries - before);
  }
  // D1 takes 1,000 per invocation, and each table has three triggers.
  expect(most).toBeLessThan(600);
  const pages = [...main.byStatement, ...support.byStatement].filter(([query]) => query.includes("order by rowid"));
  expect(pages.reduce((sum, [, { rowsRead }]) => sum + rowsRead, 0)).toBeLessThan(rows + 100);
  const { complete, open } = await lastBackups(env.DB);
  expect([complete?.id, open]).toEqual([id, null]);
  expect(complete?.rows).toBeGreaterThan(200);
  expect(complete?.bytes).toBeGreaterThan(100);
});

test("begins a new run when a release takes the backup's triggers along with a table, but not forever", async () => {
  const id = await startBackup(env.DB, Date.now() - 60_000);
  const release = async () => {
    await runBackup(backupEnv, { steps: 2 });
    await env.DB.exec("drop trigger backup_capture_orders_update");
  };
  const restarts = "coalesce(json_extract(progress, '$.restarts'), 0)";
  await release();
  for (let calls = 0; calls < 60 && (await lastBackups(env.DB)).open?.id === id; calls++) {
    expect(await runBackup(backupEnv, { steps: 1 })).toBe(0);
  }
  const { open, failed } = await lastBackups(env.DB);
  expect([(open?.id ?? "") > id, failed]).toEqual([true, null]);
  const run = await env.DB.prepare(`select ${restarts} as n from backup_runs where id = ?`).bind(open?.id).first();
  expect(run?.n).toBe(1);

  await env.DB.prepare("update backup_runs set progress = json_set(progress, '$.restarts', ?) where id = ?")
    .bind(MAX_RESTARTS, open?.id)
    .run();
  await release();
  await expect(runBackup(backupEnv)).rejects.toThrow("the schema was changed while the backup ran");
  expect((await lastBackups(env.DB)).open?.failedAt).toEqual(expect.any(Number));
});

test("never has two runs at once", async () => {
  const now = Date.now();
  const ids = await Promise.all([startBackup(env.DB, now), startBackup(env.DB, now + 5000)]);
  expect(ids[1]).toBe(ids[0]);
  const results = await Promise.all([runBackup(backupEnv, { steps: 3 }), runBackup(backupEnv, { steps: 3 })]);
  expect(results.filter((next) => next === 0)).toHaveLength(1);
  expect(results.filter((next) => next !== 0)[0]).toBeGreaterThan(60_000);
});

test("refuses a missing chunk, a damaged one, a swapped one, a torn manifest and a wrong key, each by name", async () => {
  await customerWith(5);
  const id = await takeBackup();
  const { manifest } = await checkBackup(source, id);
  const [first, second] = manifest.chunks;
  const one = chunkKey(id, 1);
  const stored = await bytesOf(one);
  const wrong = { bucket: env.BACKUPS, keys: `1:${btoa("c".repeat(32))}` };
  await expect(checkBackup(wrong, id)).rejects.toThrow(
    `the manifest of ${id} cannot be decrypted: the key in BACKUP_KEYS is another one`,
  );
  await expect(checkBackup({ ...wrong, keys: `2:${btoa("c".repeat(32))}` }, id)).rejects.toThrow(
    "BACKUP_KEYS has no key of its version",
  );
  await env.BACKUPS.delete(one);
  await expect(checkBackup(source, id)).rejects.toThrow(`chunk 1 of ${id} (${first?.tableName}) is missing`);
  await env.BACKUPS.put(
    one,
    stored.map((byte, index) => (index === 50 ? byte ^ 1 : byte)),
  );
  await expect(checkBackup(source, id)).rejects.toThrow(`chunk 1 of ${id} (${first?.tableName}) is damaged`);
  await env.BACKUPS.put(one, await bytesOf(chunkKey(id, 2)));
  await expect(checkBackup(source, id)).rejects.toThrow("is damaged");
  await env.BACKUPS.put(one, stored);
  // Somebody who can write the checksums too still can't swap chunks.
  await env.BACKUPS.put(one, await bytesOf(chunkKey(id, 2)));
  if (!first || !second) throw new Error("no chunks");
  const swapped = { ...first, bytes: second.bytes, sha256: second.sha256 };
  await expect(readChunk(env.BACKUPS, KEYS, id, swapped)).rejects.toThrow("cannot be decrypted");
  await env.BACKUPS.put(one, stored);
  const whole = await bytesOf(manifestKey(id));
  await env.BACKUPS.put(manifestKey(id), whole.slice(0, -20));
  await expect(checkBackup(source, id)).rejects.toThrow(`the manifest of ${id} cannot be decrypted`);
  await env.BACKUPS.delete(manifestKey(id));
  await expect(checkBackup(source, id)).rejects.toThrow(`${id} has no manifest: it is not complete`);
});

test("keeps the error of a run whose key is missing", async () => {
  const id = await startBackup(env.DB, Date.now());
  await runBackup({ ...backupEnv, BACKUP_KEYS: undefined });
  expect((await lastBackups(env.DB)).open).toMatchObject({ id, error: "BACKUP_KEYS is not set", failedAt: null });
});

test("gives up a run that fails for twelve hours", async () => {
  const now = Date.now();
  await startBackup(env.DB, now - GIVE_UP_MS - 1);
  await expect(runBackup({ ...backupEnv, BACKUP_KEYS: undefined })).rejects.toThrow("BACKUP_KEYS is not set");
  const { complete, open, failed } = await lastBackups(env.DB);
  expect([complete, open?.failedAt, failed?.error]).toEqual([null, expect.any(Number), "BACKUP_KEYS is not set"]);
});

async function bytesOf(key: string): Promise<Uint8Array<ArrayBuffer>> {
  const stored = await env.BACKUPS.get(key);
  if (!stored) throw new Error(`no object ${key}`);
  return new Uint8Array(await stored.arrayBuffer());
}
