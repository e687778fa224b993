import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { insertRun, type LastBackups, lastBackups, startBackup } from "#app/backup/run/backup-runs.server.ts";
import { runBackup } from "#app/backup/run/backup-steps.server.ts";
import { CommandError, readArguments, STATE_DIR_OPTION } from "#tools/run/command-line.ts";
import { openDatabase } from "#tools/run/database.ts";
import { requireState, resolveStateDir } from "#tools/run/state-files.ts";
import { lockState, StateInUse } from "#tools/run/state-lock.ts";
import { readBackupKeys } from "./backup-keys.ts";
import { openStores } from "./open-stores.ts";

const USAGE = `npm run backup [-- --state-dir DIR | --remote]

Takes a backup now, or goes on with one that was begun. A running copy, and the deployment, work on it themselves; this
waits until it is complete.`;

const { values: options } = readArguments({
  usage: USAGE,
  options: { remote: { type: "boolean", default: false }, ...STATE_DIR_OPTION },
});

const POLL_MS = 1000;
/** The deployment notices within a minute. */
const WAIT_MS = 15 * 60_000;
const stateDir = resolveStateDir(options["state-dir"]);
const started = Date.now();

const complete = await (options.remote ? askSite() : isRunning() ? askCopy() : takeBackup());
const seconds = ((Date.now() - started) / 1000).toFixed(1);
console.log(
  `Backup ${complete.id}: ${complete.rows} rows and files, ${(complete.bytes / 1e6).toFixed(2)} MB, in ${seconds} s.`,
);
console.log(`It shows the moment ${new Date(complete.cutAt).toISOString()}.`);
if (complete.error) console.log(`${complete.error}.`);

/** Returns whether a copy runs on this state. If none does, none may start before this command ends. */
function isRunning(): boolean {
  requireState(stateDir);
  try {
    lockState(stateDir, { command: "npm run backup" }, "");
    return false;
  } catch (error) {
    if (error instanceof StateInUse) return true;
    throw error;
  }
}

async function takeBackup(): Promise<NonNullable<LastBackups["complete"]>> {
  const env = { BACKUP_KEYS: readBackupKeys(stateDir) };
  const { stores, close } = await openStores(stateDir);
  try {
    await startBackup(stores.DB, Date.now());
    for (let next: number | null = 0; next !== null; ) {
      next = await runBackup({ ...stores, ...env });
      const { open } = await lastBackups(stores.DB);
      if (open?.error) throw new CommandError(`The backup failed: ${open.error}. Calling this again goes on with it.`);
      // Somebody was killed in the middle of a step.
      if (next) await new Promise((resolve) => setTimeout(resolve, Math.min(next ?? 0, POLL_MS)));
    }
    return done(await lastBackups(stores.DB));
  } finally {
    await close();
  }
}

/** Has the deployed site take the backup: its cron sees the new run. */
async function askSite(): Promise<NonNullable<LastBackups["complete"]>> {
  const { binding, close } = await openDatabase({ remote: true, stateDir });
  try {
    const id = await startBackup(binding, Date.now());
    return await untilComplete(id, () => lastBackups(binding));
  } finally {
    await close();
  }
}

/** Has the running copy take it. Writes beside it in one short statement: a second workerd would keep its database locked. */
async function askCopy(): Promise<NonNullable<LastBackups["complete"]>> {
  const database = new DatabaseSync(mainDatabaseFile(), { timeout: 10_000 });
  const newest = database.prepare(
    `select id, started_at as startedAt, cut_at as cutAt, finished_at as finishedAt, failed_at as failedAt, error, rows, bytes
     from backup_runs order by id desc limit 1`,
  );
  const read = async (): Promise<LastBackups> => {
    const row = newest.get() as unknown as NonNullable<LastBackups["complete"]> & NonNullable<LastBackups["open"]>;
    return row.finishedAt === null
      ? { complete: null, open: row, failed: null }
      : { complete: row, open: null, failed: null };
  };
  try {
    const { query, values } = insertRun(Date.now());
    database.prepare(query).run(...values);
    const { open } = await read();
    if (!open) throw new CommandError("A backup has just been finished.");
    return await untilComplete(open.id, read);
  } finally {
    database.close();
  }
}

function mainDatabaseFile(): string {
  const files = globSync("v3/d1/**/*.sqlite", { cwd: stateDir }).map((file) => join(stateDir, file));
  const found = files.find((file) => {
    const database = new DatabaseSync(file, { readOnly: true });
    const has = database.prepare("select 1 from sqlite_master where name = 'backup_runs'").get();
    database.close();
    return has !== undefined;
  });
  if (!found) throw new CommandError("The copy has no table for backups: restart it first.");
  return found;
}

async function untilComplete(
  id: string,
  read: () => Promise<LastBackups>,
): Promise<NonNullable<LastBackups["complete"]>> {
  console.log(`The site takes backup ${id} …`);
  for (const until = Date.now() + WAIT_MS; Date.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const last = await read();
    // A site whose schema changes meanwhile begins anew, under a later id.
    if (last.complete && last.complete.id >= id) return last.complete;
    if (last.open?.failedAt) throw new CommandError(`The backup was given up: ${last.open.error}`);
  }
  throw new CommandError("The backup is not complete yet. The site goes on with it.");
}

function done({ complete, open }: LastBackups): NonNullable<LastBackups["complete"]> {
  if (complete && !open) return complete;
  throw new CommandError(`The backup was given up: ${open?.error}`);
}
