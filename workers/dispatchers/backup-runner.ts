import { runBackup } from "#app/backup/run/backup-steps.server.ts";
import { boundedDatabase, JOB_DATABASE_WAIT_MS, waitForEach } from "#app/db/bounded-database.server.ts";
import { Dispatcher } from "./dispatcher.ts";

/** Works on the open backup, a bounded part per alarm. It sleeps once the backup is complete. */
export class BackupRunner extends Dispatcher {
  protected override readonly callsOthers = false;

  protected override runRound(): Promise<number | null> {
    const bounded = (database: D1Database) => boundedDatabase(database, waitForEach(JOB_DATABASE_WAIT_MS));
    return runBackup({ ...this.env, DB: bounded(this.env.DB), DB_SUPPORT: bounded(this.env.DB_SUPPORT) });
  }
}
