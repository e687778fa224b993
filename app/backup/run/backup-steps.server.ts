import { type Cut, DATABASES, type DatabaseName, type Row } from "#app/backup/format/backup-objects.ts";
import { putChunk, putManifest } from "#app/backup/format/sealed-objects.server.ts";
import { log } from "#app/http/log.ts";
import { backedUpTables, lastMigration } from "./backed-up-tables.server.ts";
import { deleteOldBackups } from "./backup-retention.server.ts";
import {
  type BackupRun,
  claimRun,
  completeRun,
  noteFailure,
  type Progress,
  releaseRun,
  startOver,
  storedChunks,
  storeProgress,
} from "./backup-runs.server.ts";
import { startCapture, stopCapture } from "./change-capture.server.ts";
import { readChanges } from "./changed-rows.server.ts";
import { copyFiles } from "./file-copies.server.ts";
import { countLedgerFaults } from "./sound-backups.server.ts";
import { readPage } from "./table-pages.server.ts";

export type BackupEnv = Pick<Env, "DB" | "DB_SUPPORT" | "UPLOADS" | "BACKUPS"> & { BACKUP_KEYS?: string | undefined };

/**
 * Steps of one call. A step is at most one chunk of some megabytes: 6 statements and one R2 call, or 80 statements if it
 * looks for the cut, which counts as so many steps. One that creates or drops the triggers of all tables, some hundred
 * statements, is the last of its call. An invocation may make 10,000 calls, and 1,000 D1 queries:
 * https://developers.cloudflare.com/workers/platform/limits/ and https://developers.cloudflare.com/d1/platform/limits/
 */
const STEPS = 20;
const STEPS_OF_A_CUT = 3;
/** After so long, a run that keeps failing is given up, and the next night starts a new one. */
export const GIVE_UP_MS = 12 * 3_600_000;
/** A release is one or two migrations. What begins anew more often has another cause, and would go on for ever. */
export const MAX_RESTARTS = 5;
const RETRY_MS = 60_000;

/** Fails a run for good: going on would not help. */
class CannotContinue extends Error {
  override name = "CannotContinue";
}

/** Reports that what was read so far doesn't fit the databases. */
class SchemaChanged extends Error {
  override name = "SchemaChanged";
}

/**
 * Works on the open run for a bounded number of steps. Returns in how many ms to call again, or null if no run is open.
 * Two callers never work at once: one has the lease. Throws what made a step fail, after noting it.
 */
export async function runBackup(env: BackupEnv, { steps = STEPS, now = Date.now } = {}): Promise<number | null> {
  const claimed = await claimRun(env.DB, now());
  if (claimed === "none") return null;
  if (typeof claimed === "number") return claimed;
  const run = claimed;
  try {
    for (let left = steps; left > 0; ) {
      const { phase } = run.progress;
      const isDone = await runStep(env, run, now);
      if (isDone) return null;
      const isOfTriggers = phase === "capture" || (phase === "changes" && run.progress.phase !== phase);
      left -= isOfTriggers ? steps : phase === "changes" ? STEPS_OF_A_CUT : 1;
    }
    await releaseRun(env.DB, run);
    return 0;
  } catch (error) {
    const isChanged = error instanceof SchemaChanged || (await isOutdated(env, run.progress));
    if (isChanged && run.progress.restarts < MAX_RESTARTS) {
      // A release during the backup is no fault: the new run reads what there is.
      await startOver(env.DB, run, now());
      log("warn", "backup begins anew", { backup: run.id, error: String(error) });
      return 0;
    }
    const isOver = isChanged || error instanceof CannotContinue || now() - run.startedAt > GIVE_UP_MS;
    await noteFailure(env.DB, run, error, { isOver, now: now() });
    if (!isOver) {
      log("warn", "backup step failed", { backup: run.id, error: String(error) });
      return RETRY_MS;
    }
    for (const name of DATABASES) await stopCapture(env[name]);
    throw error;
  }
}

/** Returns whether a migration ran since the run began to read a database that has no cut yet. */
async function isOutdated(env: BackupEnv, { phase, cuts, migrations }: Progress): Promise<boolean> {
  if (phase !== "pages" && phase !== "changes") return false;
  try {
    const changed = DATABASES.map(async (name) => !cuts[name] && (await lastMigration(env[name])) !== migrations[name]);
    return (await Promise.all(changed)).includes(true);
  } catch {
    return false;
  }
}

/** Does one step and stores it. Returns whether the run is over. */
async function runStep(env: BackupEnv, run: BackupRun, now: () => number): Promise<boolean> {
  const { progress } = run;
  const keys = env.BACKUP_KEYS;
  if (!keys) throw new Error("BACKUP_KEYS is not set");
  const store = async (next: Progress, chunk: Parameters<typeof storeProgress>[4] = null) => {
    await storeProgress(env.DB, run, next, now(), chunk);
    run.progress = next;
  };
  const no = progress.chunks + 1;
  switch (progress.phase) {
    case "capture": {
      const tables = [];
      const migrations = { ...progress.migrations };
      for (const name of DATABASES) {
        const found = await backedUpTables(name, env[name]);
        // An earlier run may have left its triggers, over other tables.
        await stopCapture(env[name]);
        await startCapture(env[name], found);
        migrations[name] = await lastMigration(env[name]);
        tables.push(...found);
      }
      await store({ ...progress, phase: "pages", tables, migrations });
      return false;
    }
    case "pages": {
      const page = await readPage(env, progress);
      if (!page) {
        await store({ ...progress, phase: "changes" });
        return false;
      }
      const { table, rows, next } = page;
      const named = { no, database: table.database, tableName: table.name, rows: rows.length };
      const put = await putChunk(env.BACKUPS, keys, run.id, named, { kind: "rows", rows });
      await store({ ...next(put.plainBytes), chunks: no }, put.chunk);
      return false;
    }
    case "changes": {
      // The main database last, so that its cut is the later one.
      const database = (["DB_SUPPORT", "DB"] as DatabaseName[]).find((name) => !progress.cuts[name]);
      if (!database) {
        for (const name of DATABASES) await stopCapture(env[name]);
        await store({ ...progress, phase: "files" });
        return false;
      }
      if (now() - run.startedAt > GIVE_UP_MS) throw new CannotContinue("more is written than can be read again");
      const read = await readChanges(env[database], database, progress, now());
      if (read.isBroken) throw new SchemaChanged("the schema was changed while the backup ran");
      const cuts = read.cut ? { ...progress.cuts, [database]: read.cut } : progress.cuts;
      const changesUpTo = { ...progress.changesUpTo, [database]: read.upTo };
      const next = { ...progress, cuts, changesUpTo };
      if (Object.keys(read.tables).length === 0) {
        await store(next);
        return false;
      }
      const named = { no, database, tableName: "", rows: countRows(read.tables) };
      const put = await putChunk(env.BACKUPS, keys, run.id, named, { kind: "changes", tables: read.tables });
      await store({ ...next, chunks: no }, put.chunk);
      await env[database].prepare("delete from backup_changes where seq <= ?").bind(read.upTo).run();
      return false;
    }
    case "files": {
      const copied = await copyFiles(env, keys, progress.filesAfter, now());
      const next = { ...progress, filesAfter: copied.after };
      const after: Progress = copied.isDone ? { ...next, phase: "manifest" } : next;
      if (copied.files.length === 0) {
        await store(after);
        return false;
      }
      const named = { no, database: "DB" as const, tableName: "", rows: copied.files.length };
      const put = await putChunk(env.BACKUPS, keys, run.id, named, { kind: "files", files: copied.files });
      await store({ ...after, chunks: no }, put.chunk);
      return false;
    }
    case "manifest": {
      const ledgerFaults = await countLedgerFaults(env.DB);
      await putManifest(env.BACKUPS, keys, {
        version: 1,
        backupId: run.id,
        startedAt: run.startedAt,
        finishedAt: now(),
        tables: progress.tables,
        cuts: { DB: cutOf(progress, "DB"), DB_SUPPORT: cutOf(progress, "DB_SUPPORT") },
        chunks: await storedChunks(env.DB),
        ledgerFaults,
      });
      await store({ ...progress, phase: "old backups", ledgerFaults });
      return false;
    }
    case "old backups": {
      const isDone = await deleteOldBackups({ ...env, BACKUP_KEYS: keys }, run.id, now());
      if (!isDone) {
        await store(progress);
        return false;
      }
      await completeRun(env.DB, run, cutOf(progress, "DB"), now());
      log("info", "backup complete", { backup: run.id, ms: now() - run.startedAt, chunks: progress.chunks });
      return true;
    }
    default:
      progress.phase satisfies never;
      throw new Error("unknown phase");
  }
}

function cutOf({ cuts }: Progress, database: DatabaseName): Cut {
  const cut = cuts[database];
  if (!cut) throw new Error(`${database} has no cut`);
  return cut;
}

function countRows(tables: Record<string, { rows: Row[]; gone: number[] }>): number {
  return Object.values(tables).reduce((sum, { rows, gone }) => sum + rows.length + gone.length, 0);
}
