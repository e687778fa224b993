import {
  type BackedUpTable,
  type Chunk,
  type Cut,
  type DatabaseName,
  newBackupId,
} from "#app/backup/format/backup-objects.ts";
import { cutText } from "#app/cut-text.ts";
import { boundedDatabase } from "#app/db/bounded-database.server.ts";
import { logError } from "#app/http/log.ts";
import { DAY_MS } from "#app/time.ts";

/** How far a run has come. Stored with each chunk, so that a killed run goes on after the last one. */
export type Progress = {
  phase: "capture" | "pages" | "changes" | "files" | "manifest" | "old backups";
  tables: BackedUpTable[];
  /** The table that is read, and the last rowid that a chunk has. */
  table: number;
  after: number;
  pageRows: number;
  chunks: number;
  /** The last change that a chunk has. */
  changesUpTo: Record<DatabaseName, number>;
  cuts: Partial<Record<DatabaseName, Cut>>;
  migrations: Record<DatabaseName, string>;
  /** The last file that was looked at. */
  filesAfter: string;
  /** Number of times the run began anew, under another id. */
  restarts: number;
  /** As in its manifest. */
  ledgerFaults: number;
};

export type BackupRun = { id: string; startedAt: number; leaseId: string; progress: Progress };

/** Longer than the longest step, which copies a file of 100 MB. A killed run goes on after it. */
export const LEASE_MS = 120_000;
/** Runs are listed for so long. */
const KEPT_MS = 90 * DAY_MS;
const OPEN = "finished_at is null and failed_at is null";

const START: Progress = {
  phase: "capture",
  tables: [],
  table: 0,
  after: Number.MIN_SAFE_INTEGER,
  pageRows: 0,
  chunks: 0,
  changesUpTo: { DB: 0, DB_SUPPORT: 0 },
  cuts: {},
  migrations: { DB: "", DB_SUPPORT: "" },
  filesAfter: "",
  restarts: 0,
  ledgerFaults: 0,
};

/** Returns the statement that records a new run, unless one is open. `restarts`: how often it began before. */
export function insertRun(now: number, restarts = 0): { query: string; values: [string, number, string] } {
  return {
    query: `insert into backup_runs (id, started_at, progress)
      select ?, ?, ? where not exists (select 1 from backup_runs where ${OPEN}) on conflict do nothing`,
    values: [newBackupId(now), now, JSON.stringify({ ...START, restarts })],
  };
}

/** Records a new run, unless one is open. Returns the id of the open one. */
export async function startBackup(main: D1Database, now: number): Promise<string> {
  const { query, values } = insertRun(now);
  await main
    .prepare(query)
    .bind(...values)
    .run();
  const open = await main.prepare(`select id from backup_runs where ${OPEN}`).first<{ id: string }>();
  if (!open) throw new Error("a backup has just been finished");
  return open.id;
}

/** The newest run. An open one always is. `cutAt`: of a complete one. */
export type NewestRun = { state: "open" | "complete" | "failed"; cutAt: number | null };

/** Reads one row, each minute. Returns `"none"` before the first run, or null if the row can't be read. */
export async function readNewestRun(main: D1Database): Promise<NewestRun | "none" | null> {
  try {
    const newest = await main
      .prepare(
        `select iif(finished_at is not null, 'complete', iif(failed_at is null, 'open', 'failed')) as state,
           cut_at as cutAt from backup_runs order by id desc limit 1`,
      )
      .first<NewestRun>();
    return newest ?? "none";
  } catch (error) {
    logError("backup runs not read", error);
    return null;
  }
}

type RunRow = { id: string; started_at: number; lease_until: number; progress: string };

/** Takes the open run, for which nobody else then works. `"none"`: there is none. A number: the ms until it may be free. */
export async function claimRun(main: D1Database, now: number): Promise<BackupRun | number | "none"> {
  const leaseId = crypto.randomUUID();
  const row = await main
    .prepare(
      `update backup_runs set lease_id = ?, lease_until = ? where ${OPEN} and lease_until <= ?
       returning id, started_at, lease_until, progress`,
    )
    .bind(leaseId, now + LEASE_MS, now)
    .first<RunRow>();
  if (row) {
    return { id: row.id, startedAt: row.started_at, leaseId, progress: JSON.parse(row.progress) as Progress };
  }
  const open = await main.prepare(`select lease_until from backup_runs where ${OPEN}`).first<{ lease_until: number }>();
  return open ? Math.max(0, open.lease_until - now) : "none";
}

/**
 * Stores how far the run has come, with the chunk that was just written. Throws if somebody else has taken the run over,
 * which the NOT NULL of `lease_until` refuses.
 */
export async function storeProgress(
  main: D1Database,
  run: BackupRun,
  progress: Progress,
  now: number,
  chunk: Chunk | null = null,
): Promise<void> {
  const update = main
    .prepare(
      `update backup_runs set lease_until = iif(lease_id = ?, ?, null), progress = ?, error = null,
         rows = rows + ?, bytes = bytes + ? where id = ?`,
    )
    .bind(run.leaseId, now + LEASE_MS, JSON.stringify(progress), chunk?.rows ?? 0, chunk?.bytes ?? 0, run.id);
  const inserts = chunk
    ? [
        main
          .prepare(
            `insert into backup_chunks (no, database, kind, table_name, rows, bytes, sha256) values (?, ?, ?, ?, ?, ?, ?)`,
          )
          .bind(chunk.no, chunk.database, chunk.kind, chunk.tableName, chunk.rows, chunk.bytes, chunk.sha256),
      ]
    : [];
  await main.batch([update, ...inserts]);
}

export async function releaseRun(main: D1Database, run: BackupRun): Promise<void> {
  await main
    .prepare("update backup_runs set lease_until = 0 where id = ? and lease_id = ?")
    .bind(run.id, run.leaseId)
    .run();
}

export async function storedChunks(main: D1Database): Promise<Chunk[]> {
  const { results } = await main
    .prepare("select no, database, kind, table_name as tableName, rows, bytes, sha256 from backup_chunks order by no")
    .all<Chunk>();
  return results;
}

/** Ends the run after its manifest is written. What is left to do is to delete old backups. */
export async function completeRun(main: D1Database, run: BackupRun, { at, ledgerId }: Cut, now: number): Promise<void> {
  const { ledgerFaults: faults } = run.progress;
  const error =
    faults > 0 ? `Its ledger had known faults: ${faults}. A restore takes an older one as the latest` : null;
  await main.batch([
    main
      .prepare(
        `update backup_runs set finished_at = ?, cut_at = ?, ledger_id = ?, error = ?, progress = '',
           lease_until = iif(lease_id = ?, 0, null) where id = ?`,
      )
      .bind(now, at, ledgerId, error, run.leaseId, run.id),
    main.prepare("delete from backup_chunks"),
    main.prepare("delete from backup_runs where started_at < ?").bind(now - KEPT_MS),
  ]);
}

/** Notes why a step failed, and frees the run for the next attempt. `isOver`: there is none. */
export async function noteFailure(
  main: D1Database,
  run: BackupRun,
  error: unknown,
  { isOver, now }: { isOver: boolean; now: number },
): Promise<void> {
  const text = cutText(error instanceof Error ? error.message : String(error), 500);
  const ended = main
    .prepare("update backup_runs set error = ?, lease_until = 0, failed_at = ? where id = ? and lease_id = ?")
    .bind(text, isOver ? now : null, run.id, run.leaseId);
  await main.batch(isOver ? [ended, main.prepare("delete from backup_chunks")] : [ended]);
}

/** Replaces the run by a new one, if it is still this caller's. Its id ends, because what it stored is of no use. */
export async function startOver(main: D1Database, run: BackupRun, now: number): Promise<void> {
  const { query, values } = insertRun(now, run.progress.restarts + 1);
  await main.batch([
    main.prepare("delete from backup_runs where id = ? and lease_id = ?").bind(run.id, run.leaseId),
    main.prepare(`delete from backup_chunks where not exists (select 1 from backup_runs where ${OPEN})`),
    main.prepare(query).bind(...values),
  ]);
}

/** A site whose last complete backup is older has none of last night. */
export const BACKUP_LATE_MS = 26 * 3_600_000;

export type LastBackups = {
  /** The newest complete one. `error`: why a restore doesn't take it as the latest. */
  complete: {
    id: string;
    cutAt: number;
    finishedAt: number;
    rows: number;
    bytes: number;
    error: string | null;
  } | null;
  /** The newest run, if it is not complete: since when it runs, its last error, and when it was given up. */
  open: { id: string; startedAt: number; error: string | null; failedAt: number | null } | null;
  /** The newest run that was given up since the complete one. */
  failed: { id: string; failedAt: number; error: string | null } | null;
};

/** Returns what monitoring shows of backups. Reads a row for each run since the last complete one. */
export async function lastBackups(main: D1Database): Promise<LastBackups> {
  const bounded = boundedDatabase(main);
  const [complete, newest, failed] = await bounded.batch([
    bounded.prepare(
      `select id, cut_at as cutAt, finished_at as finishedAt, rows, bytes, error from backup_runs
       where finished_at is not null order by id desc limit 1`,
    ),
    bounded.prepare(
      `select id, started_at as startedAt, error, failed_at as failedAt, finished_at as finishedAt
       from backup_runs order by id desc limit 1`,
    ),
    bounded.prepare(
      `select id, failed_at as failedAt, error from backup_runs
       where failed_at is not null and id > coalesce(
         (select id from backup_runs where finished_at is not null order by id desc limit 1), '')
       order by id desc limit 1`,
    ),
  ]);
  const last = newest?.results[0] as (NonNullable<LastBackups["open"]> & { finishedAt: number | null }) | undefined;
  const { finishedAt, ...open } = last ?? { finishedAt: 0, id: "", startedAt: 0, error: null, failedAt: null };
  return {
    complete: (complete?.results[0] as LastBackups["complete"]) ?? null,
    open: finishedAt === null ? open : null,
    failed: (failed?.results[0] as LastBackups["failed"]) ?? null,
  };
}
