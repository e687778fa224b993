import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { DATABASES } from "#app/backup/format/backup-objects.ts";
import { backedUpTables, quoted } from "#app/backup/run/backed-up-tables.server.ts";
import { startBackup } from "#app/backup/run/backup-runs.server.ts";
import { type BackupEnv, runBackup } from "#app/backup/run/backup-steps.server.ts";

/** Fills, dumps and empties both databases, for tests of backups. */

export const KEYS = `1:${btoa("b".repeat(32))}`;
export const backupEnv: BackupEnv = { ...env, BACKUP_KEYS: KEYS };

/** Every row of every table that a backup holds, with its rowid, by `database.table`. */
export type Dump = Record<string, unknown[][]>;

export async function dumpDatabases(): Promise<Dump> {
  const dump: Dump = {};
  for (const name of DATABASES) {
    const tables = await backedUpTables(name, env[name]);
    const results = await env[name].batch<Record<string, unknown>>(
      tables.map((table) => env[name].prepare(`select ${quoted(table.columns)} from "${table.name}" order by rowid`)),
    );
    for (const [index, table] of tables.entries()) {
      const rows = results[index]?.results ?? [];
      dump[`${name}.${table.name}`] = rows.map((row) => table.columns.map((column) => row[column]));
    }
  }
  return dump;
}

/** Takes a backup and returns its id. `between` runs before each step, knowing how far the run is. */
export async function takeBackup(
  between?: (progress: { phase: string; cuts: object }) => Promise<void>,
  backup: BackupEnv = backupEnv,
): Promise<string> {
  const id = await startBackup(env.DB, Date.now());
  for (;;) {
    const row = await env.DB.prepare("select progress from backup_runs where id = ? and finished_at is null")
      .bind(id)
      .first<{ progress: string }>();
    if (!row) return id;
    await between?.(JSON.parse(row.progress) as { phase: string; cuts: object });
    await runBackup(backup, between && { steps: 1 });
    await throwFailure(id);
  }
}

async function throwFailure(id: string): Promise<void> {
  const row = await env.DB.prepare("select error from backup_runs where id = ? and finished_at is null")
    .bind(id)
    .first<{ error: string | null }>();
  if (row?.error) throw new Error(row.error);
}

/** Deletes everything and applies the migrations, as in a new copy. What is in buckets stays. */
export async function emptyDatabases(): Promise<void> {
  for (const name of DATABASES) {
    const { results } = await env[name]
      .prepare("select type, name, sql from sqlite_master where name not glob 'sqlite_*' and name not glob '_cf_*'")
      .all<{ type: string; name: string; sql: string | null }>();
    const drop = async (type: string, names: string[]) => {
      if (names.length === 0) return;
      const drops = names.map((one) => env[name].prepare(`drop ${type} if exists "${one}"`));
      await env[name].batch([env[name].prepare("pragma defer_foreign_keys = on"), ...drops]);
    };
    await drop(
      "trigger",
      results.filter(({ type }) => type === "trigger").map((one) => one.name),
    );
    const virtual = results.filter(({ sql }) => /^create virtual/i.test(sql ?? "")).map((one) => one.name);
    await drop("table", virtual);
    const isShadow = (table: string) => virtual.some((one) => table.startsWith(`${one}_`));
    const tables = results.filter(
      ({ type, name: table }) => type === "table" && !virtual.includes(table) && !isShadow(table),
    );
    await drop(
      "table",
      tables.map((one) => one.name),
    );
  }
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  await applyD1Migrations(env.DB_SUPPORT, env.TEST_SUPPORT_MIGRATIONS);
}
