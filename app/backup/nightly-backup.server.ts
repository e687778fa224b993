import { log } from "#app/http/log.ts";
import { type NewestRun, startBackup } from "./run/backup-runs.server.ts";
import type { BackupEnv } from "./run/backup-steps.server.ts";

const RUNNER_NAME = "backup";

type NightlyEnv = Pick<BackupEnv, "DB" | "BACKUP_KEYS"> & {
  BACKUP_RUNNER: { getByName(name: string): { wake(queue: string): Promise<unknown> } };
};

/** Starts the backup of this night, or goes on with an unfinished one. */
export async function startNightlyBackup({ DB, BACKUP_KEYS, BACKUP_RUNNER }: NightlyEnv, now: number): Promise<void> {
  if (!BACKUP_KEYS) {
    log("warn", "no backup: BACKUP_KEYS is not set");
    return;
  }
  await startBackup(DB, now);
  await BACKUP_RUNNER.getByName(RUNNER_NAME).wake(RUNNER_NAME);
}

/** Wakes the runner if a backup is open: one that somebody asked for, or whose alarm was lost. */
export async function continueBackup(
  { BACKUP_KEYS, BACKUP_RUNNER }: NightlyEnv,
  newest: NewestRun | "none" | null,
): Promise<void> {
  const isOpen = newest !== null && newest !== "none" && newest.state === "open";
  if (BACKUP_KEYS && isOpen) await BACKUP_RUNNER.getByName(RUNNER_NAME).wake(RUNNER_NAME);
}
