import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { backupEnv, type Dump, dumpDatabases, emptyDatabases, takeBackup } from "#tests/backups/backup-databases.ts";
import { emptyAll, restore, source, writeALot, writeMoney } from "#tests/backups/whole-backups.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { fillHistory, startHistory } from "#tests/workerd/history-fill.ts";
import { fillPerson } from "#tests/workerd/personal-rows.ts";
import { chunkKey } from "./format/backup-objects.ts";
import { checkBackup } from "./restore/read-backup.server.ts";
import { checkTarget } from "./restore/restore-database.server.ts";
import { type BackupRun, claimRun, lastBackups, startBackup } from "./run/backup-runs.server.ts";
import { MAX_RESTARTS, runBackup } from "./run/backup-steps.server.ts";

// Two of these live through hundreds of writes.
vi.setConfig({ testTimeout: 300_000 });

beforeEach(emptyAll);

test("restores every row as it was at the cut, whatever was written while the tables were read", async () => {
  await fillPerson();
  await fillHistory(await startHistory(), { orders: 1200, conversations: 100 });
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
    if (phase === "pages" || (phase === "changes" && Object.keys(cuts).length === 0 && steps % 2 === 0))
      await writeALot(steps);
  });
  await writeALot(steps);
  await restore(id);
  const restored = await dumpDatabases();
  expect(steps).toBeGreaterThan(60);
  for (const [table, rows] of Object.entries(atCut ?? {})) expect(restored[table], table).toEqual(rows);
  expect(Object.keys(restored)).toEqual(Object.keys(atCut ?? {}));
  // The person has a value in every column, money that does not add up included.
  expect(await checkLedger(db)).toEqual(faults);
});

test("keeps money whole when orders are placed and refunded all the time", async () => {
  await fillHistory(await startHistory(), { orders: 500, conversations: 50 });
  let round = 0;
  let writing = Promise.resolve();
  // Beside each step, not before it.
  const id = await takeBackup(async () => {
    const mine = round++;
    writing = writing.then(() => writeALot(mine));
  });
  await writing;
  await writeMoney(round);
  const entries = await env.DB.prepare("select * from ledger order by id").all<{ id: number }>();
  const { manifest } = await restore(id);
  const cut = manifest.cuts.DB.ledgerId ?? 0;
  expect(cut).toBeLessThan(entries.results.at(-1)?.id ?? 0);
  const restored = await env.DB.prepare("select * from ledger order by id").all<{ id: number }>();
  // Accounts that were deleted since have another id there.
  const plain = (rows: { id: number }[]) => rows.filter((row) => row.id <= cut).map((row) => ({ ...row, user_id: "" }));
  expect(plain(restored.results)).toEqual(plain(entries.results));
  expect(restored.results.at(-1)?.id).toBe(cut);
  expect(await checkLedger(db)).toEqual([]);
});

test("finds a moment for the cut though many rows are written during every step", async () => {
  await fillHistory(await startHistory(), { orders: 1200, conversations: 700 });
  await env.DB_SUPPORT.exec("update support_sessions set updated_at = 1");
  let round = 1;
  const write = async () => {
    round++;
    await env.DB.batch([
      env.DB.prepare("update orders set start_count = ?").bind(round),
      env.DB.prepare("update wallets set low_balance_threshold = ?").bind(round),
    ]);
    await env.DB_SUPPORT.prepare("update support_sessions set updated_at = ?").bind(round).run();
  };
  // Between the statements of a step, too: to another table each time.
  const tables = ["users", "ledger", "orders"];
  const during = (binding: D1Database) => {
    const batch = async (statements: D1PreparedStatement[]) => {
      const table = binding === env.DB ? tables[round % 3] : "support_messages";
      await binding.exec(`update ${table} set created_at = created_at where rowid % 2 = ${round % 2}`);
      return binding.batch(statements);
    };
    return new Proxy(binding, {
      get: (of, name) => (name === "batch" ? batch : Reflect.get(of, name).bind(of)),
    });
  };
  let steps = 0;
  const id = await takeBackup(
    async () => {
      if (++steps > 200) throw new Error("no cut after 200 steps");
      await write();
    },
    { ...backupEnv, DB: during(env.DB), DB_SUPPORT: during(env.DB_SUPPORT) },
  );
  await write();
  await restore(id);
  const values = await env.DB.prepare(
    "select start_count as value from orders union select low_balance_threshold from wallets",
  ).all<{ value: number }>();
  expect(values.results).toHaveLength(1);
  expect(values.results[0]?.value).toBeGreaterThan(1);
  const updated = await env.DB_SUPPORT.prepare("select distinct updated_at from support_sessions").all();
  expect(updated.results).toHaveLength(1);
});

test("finds messages and people again, and gives no id twice", async () => {
  await fillHistory(await startHistory(), { orders: 10, conversations: 20 });
  await env.DB.exec(
    "insert into audit_log (id, actor_id, actor_name, action, subject_type, subject_id, created_at) values (900, '', '', '', '', '', 1)",
  );
  await env.DB.exec("delete from audit_log where id = 900");
  await restore(await takeBackup());
  const found = await env.DB_SUPPORT.prepare(
    "select count(*) as n from support_search where support_search match 'order'",
  ).first();
  expect(Number(found?.n)).toBeGreaterThan(0);
  const people = await env.DB.prepare(
    `select (select count(*) from profiles_search where profiles_search match '"exa"') as found,
      (select count(*) from profiles where email like '%exa%') as stored`,
  ).first();
  expect(people?.found).toBe(people?.stored);
  const added = await env.DB.prepare(
    "insert into audit_log (actor_id, actor_name, action, subject_type, subject_id, created_at) values ('', '', '', '', '', 1) returning id",
  ).first<{ id: number }>();
  expect(added?.id).toBe(901);
  // The triggers are back, and those of the backup are gone.
  const triggers = await env.DB.prepare("select name from sqlite_master where type = 'trigger' order by name").all<{
    name: string;
  }>();
  expect(triggers.results.map(({ name }) => name)).toEqual([
    "catalog_version_delete",
    "catalog_version_insert",
    "catalog_version_update",
    "ledger_settles_owed",
    "orders_count_key_spending",
    "orders_keep_cost",
    "profiles_search_delete",
    "profiles_search_insert",
    "profiles_search_update",
    "providers_splits_comments_update",
    "settings_maintenance_insert",
    "settings_maintenance_update",
    "tier_rates_delete",
    "tier_rates_insert",
    "tier_rates_update",
    "tiers_delete",
    "tiers_insert",
    "tiers_update",
    "wallets_tier_insert",
    "wallets_tier_update",
  ]);
});

test("goes on after the last stored chunk when a run was killed", async () => {
  await fillHistory(await startHistory(), { orders: 3000, conversations: 100 });
  const id = await startBackup(env.DB, Date.now());
  await runBackup(backupEnv, { steps: 8 });
  const before = await env.DB.prepare("select * from backup_chunks order by no").all();
  // Killed in a step: the lease is held, and a chunk may be there that nothing lists.
  await claimRun(env.DB, Date.now());
  await env.BACKUPS.put(chunkKey(id, before.results.length + 1), "half");
  expect(await runBackup(backupEnv)).toBeGreaterThan(60_000);
  const counted = countedDatabase(env.DB);
  const later = Date.now() + 200_000;
  while ((await runBackup({ ...backupEnv, DB: counted.database }, { now: () => later })) !== null);
  const { manifest } = await checkBackup(source, id);
  expect(manifest.chunks.slice(0, before.results.length).map(({ sha256 }) => sha256)).toEqual(
    before.results.map(({ sha256 }) => sha256),
  );
  expect((await restore(id)).manifest.backupId).toBe(id);
  expect(await checkLedger(db)).toEqual([]);
});

test("reads each row once, with bounded statements per call", async () => {
  await fillHistory(await startHistory(), { orders: 5000, conversations: 500 });
  const rows = Object.values(await dumpDatabases()).flat().length;
  const [main, support] = [countedDatabase(env.DB), countedDatabase(env.DB_SUPPORT)];
  const counted = { ...backupEnv, DB: main.database, DB_SUPPORT: support.database };
  await startBackup(env.DB, Date.now());
  let read = 0;
  let most = 0;
  for (let next: number | null = 0; next !== null; ) {
    const before = main.counts.queries + support.counts.queries;
    next = await runBackup(counted);
    most = Math.max(most, main.counts.queries + support.counts.queries - before);
    read = main.counts.rowsRead + support.counts.rowsRead;
  }
  console.log(`backup of ${rows} rows: ${read} read, at most ${most} statements per call`);
  // D1 takes 1,000 per invocation.
  expect(most).toBeLessThan(600);
  const pages = [...main.byStatement, ...support.byStatement].filter(([query]) => query.includes("order by rowid"));
  expect(pages.reduce((sum, [, { rowsRead }]) => sum + rowsRead, 0)).toBeLessThan(rows + 100);
  // Creating and dropping some 200 triggers goes through the schema each time, which does not grow.
  expect(read).toBeLessThan(rows + 200_000);
});

test("refuses a copy that is not empty, and one of another version", async () => {
  await fillHistory(await startHistory(), { orders: 10, conversations: 1 });
  const backup = await checkBackup(source, await takeBackup());
  await expect(checkTarget("DB", env.DB, backup)).rejects.toThrow(/DB is not empty: \w+ has rows/);
  await emptyDatabases();
  await env.DB.exec("alter table wallets drop column owed").catch(() => env.DB.exec("drop table spending_days"));
  await expect(checkTarget("DB", env.DB, backup)).rejects.toThrow("last migration is 0000_baseline.sql");
});

/** Changes that a release may make to the schema while a backup reads. */
const RELEASES: [what: string, change: string, undo: string][] = [
  ["takes the backup's triggers along with a table", "drop trigger backup_capture_orders_update", ""],
  [
    "drops a table that is read later",
    "alter table wallets rename to old_wallets; insert into d1_migrations (name) values ('0001_next.sql')",
    "alter table old_wallets rename to wallets; delete from d1_migrations where name = '0001_next.sql'",
  ],
];

test.each(RELEASES)("begins a new run at once, without a failure, when a release %s", async (_, change, undo) => {
  await customerWith(5);
  vi.setSystemTime(Date.now() - 60_000);
  const id = await startBackup(env.DB, Date.now());
  await runBackup(backupEnv, { steps: 2 });
  vi.useRealTimers();
  await env.DB.exec(change.replaceAll("; ", ";\n"));
  for (let next: number | null = 0; next !== null; ) {
    next = await runBackup(backupEnv);
    expect(next ?? 0).toBe(0);
  }
  const { complete, open, failed } = await lastBackups(env.DB);
  expect([open, failed]).toEqual([null, null]);
  expect((complete?.id ?? "") > id).toBe(true);
  // Its chunks are its own, and a restore could use them.
  await checkBackup(source, complete?.id ?? "");
  expect((await env.BACKUPS.list({ prefix: `backups/${id}/` })).objects).toEqual([]);
  if (undo) await env.DB.exec(undo.replaceAll("; ", ";\n"));
});

test("gives up a backup whose schema changes again and again, and the next night begins with a new count", async () => {
  await customerWith(5);
  await startBackup(env.DB, Date.now());
  const warned = vi.spyOn(console, "log").mockImplementation(() => {});
  const untilGivenUp = async () => {
    for (let calls = 0; calls < 200; calls++) {
      // Half of a backup of so few rows.
      await runBackup(backupEnv, { steps: 4 });
      await env.DB.exec("drop trigger if exists backup_capture_orders_update");
    }
  };
  await expect(untilGivenUp()).rejects.toThrow("the schema was changed while the backup ran");
  const restarts = warned.mock.calls.filter((line) => line.join().includes("backup begins anew"));
  warned.mockRestore();
  expect(restarts).toHaveLength(MAX_RESTARTS);
  const { complete, open, failed } = await lastBackups(env.DB);
  expect([complete, open?.failedAt]).toEqual([null, expect.any(Number)]);
  expect(failed?.error).toBe("the schema was changed while the backup ran");
  const capturing = "select name from sqlite_master where type = 'trigger' and name glob 'backup_*'";
  expect((await env.DB.prepare(capturing).all()).results).toEqual([]);

  await startBackup(env.DB, Date.now() + 86_400_000);
  const { progress } = (await claimRun(env.DB, Date.now() + 86_400_000)) as BackupRun;
  expect(progress.restarts).toBe(0);
});

test("tells when the last complete backup was made, and its size", async () => {
  await customerWith(5);
  const id = await takeBackup();
  const { complete, open } = await lastBackups(env.DB);
  expect(complete).toMatchObject({ id });
  expect(complete?.rows).toBeGreaterThan(3);
  expect(complete?.bytes).toBeGreaterThan(100);
  expect(open).toBeNull();
});
