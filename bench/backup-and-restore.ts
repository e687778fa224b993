import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DATABASES } from "#app/backup/format/backup-objects.ts";
import { checkBackup } from "#app/backup/restore/read-backup.server.ts";
import { restoreDatabase } from "#app/backup/restore/restore-database.server.ts";
import { lastBackups, startBackup } from "#app/backup/run/backup-runs.server.ts";
import { runBackup } from "#app/backup/run/backup-steps.server.ts";
import { connect } from "#app/db/db.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { openStores, root } from "#tools/data/open-stores.ts";
import { applyMigrations, readDatabases } from "#tools/run/migrations.ts";
import { reportFigures } from "./figures.ts";

/**
 * `npm run bench -- backup [--orders 100000]`: fills a copy with orders, their ledger entries and a chat message each, backs
 * it up while orders go on being placed, and restores it into an empty copy. The recovery point is the time between backups;
 * how far the copy lags behind their end is the first figure. D1 on this machine is not D1 on the platform.
 */

const BATCH = 20_000;
const WRITE_EVERY_MS = 50;
const at = process.argv.indexOf("--orders");
const ORDERS = at > 0 ? Number(process.argv[at + 1]) : 100_000;
const KEYS = `1:${Buffer.alloc(32, 1).toString("base64")}`;

const folder = mkdtempSync(join(tmpdir(), "growline-backup-bench-"));
const from = await openStores(join(folder, "from"));
const to = await openStores(join(folder, "to"));
try {
  for (const { binding, migrations } of readDatabases(root)) {
    for (const { stores } of [from, to]) await applyMigrations(stores[binding as "DB" | "DB_SUPPORT"], migrations);
  }
  await fill();
  const env = { ...from.stores, BACKUP_KEYS: KEYS };
  const started = Date.now();
  const id = await startBackup(env.DB, started);
  let placed = ORDERS;
  let slowest = 0;
  let writes = 0;
  const write = async () => {
    const before = performance.now();
    await addOrders(++placed, placed);
    slowest = Math.max(slowest, performance.now() - before);
    writes++;
  };
  let isRunning = true;
  const writing = (async () => {
    while (isRunning) {
      await write();
      await new Promise((resolve) => setTimeout(resolve, WRITE_EVERY_MS));
    }
  })();
  for (let next: number | null = 0; next !== null; ) next = await runBackup(env);
  isRunning = false;
  await writing;
  const { complete, open } = await lastBackups(env.DB);
  if (complete?.id !== id) throw new Error(`the backup failed: ${open?.error}`);

  const restoring = Date.now();
  const source = { bucket: env.BACKUPS, keys: KEYS };
  const backup = await checkBackup(source, id);
  const checked = Date.now();
  let rows = 0;
  for (const name of DATABASES) rows += await restoreDatabase(name, to.stores[name], source, backup);
  const restored = Date.now();
  const faults = await checkLedger(connect(to.stores.DB));
  if (faults.length > 0) throw new Error(`${faults.length} ledger faults`);
  console.log(
    `${ORDERS} orders, ${rows} rows, ${backup.manifest.chunks.length} chunks of ${(complete.bytes / 1e6).toFixed(1)} MB; ` +
      `${writes} orders placed meanwhile, the slowest in ${slowest.toFixed(0)} ms`,
  );
  reportFigures([
    { name: "cut before the end of the backup", value: complete.finishedAt - complete.cutAt, unit: "ms" },
    { name: "backup", value: complete.finishedAt - started, unit: "ms" },
    { name: "verifying all chunks", value: checked - restoring, unit: "ms" },
    { name: "restoring all rows", value: restored - checked, unit: "ms" },
    { name: "ledger check", value: Date.now() - restored, unit: "ms" },
    { name: "restored rows", value: Math.round(rows / ((restored - checked) / 1000)), unit: "/s" },
    { name: "stored", value: Math.round(complete.bytes / 1000), unit: "KB" },
  ]);
} finally {
  await from.close();
  await to.close();
  rmSync(folder, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  const { DB, DB_SUPPORT } = from.stores;
  await DB.batch([
    DB.prepare(
      "insert into users (id, email, created_at) select value, value || '@test.example', 1 from json_each(?)",
    ).bind(JSON.stringify(Array.from({ length: 1000 }, (_, index) => `user${index}`))),
    DB.prepare("insert into wallets (user_id) select id from users"),
    DB.prepare(
      "insert into services (network, category, name, rate, min, max) values ('Instagram', 'Likes', 'Likes', 0, 1, 1000)",
    ),
  ]);
  for (let first = 1; first <= ORDERS; first += BATCH) {
    const last = Math.min(ORDERS, first + BATCH - 1);
    await addOrders(first, last);
    await DB_SUPPORT.batch([
      DB_SUPPORT.prepare(
        "insert or ignore into support_sessions (session_id, user_name, created_at, updated_at) values ('anon', 'Ada', 1, 1)",
      ),
      DB_SUPPORT.prepare(
        `with recursive n(i) as (select ?1 union all select i + 1 from n where i < ?2)
         insert into support_messages (session_id, seq, sender_type, sender_name, message, created_at)
         select 'anon', cast(i as integer), 'user', 'Ada', 'Where is order number ' || i || '? It was placed an hour ago.', cast(i as integer) from n`,
      ).bind(first, last),
    ]);
  }
}

/** Free orders, so that balances stay. */
async function addOrders(first: number, last: number): Promise<void> {
  const { DB } = from.stores;
  await DB.batch([
    DB.prepare(
      `with recursive n(i) as (select ?1 union all select i + 1 from n where i < ?2)
       insert into orders (id, user_id, service_id, type, link, quantity, charge, status, remains, idempotency_key,
         request_digest, source, fulfillment, created_at, updated_at)
       select cast(i as integer), 'user' || (cast(i as integer) % 1000), 1, 'Default', 'https://instagram.com/p/' || hex(randomblob(6)), 1000, 0,
         'Completed', 0, hex(randomblob(16)), hex(randomblob(16)), 'api', 'manual', 1700000000000 + cast(i as integer),
         1700000000000 + cast(i as integer) from n`,
    ).bind(first, last),
    DB.prepare(
      `insert into ledger (user_id, order_id, kind, amount, balance_after, created_at)
       select user_id, id, 'charge', 0, 0, created_at from orders where id between ? and ?`,
    ).bind(first, last),
  ]);
}
