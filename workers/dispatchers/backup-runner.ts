import { runBackup } from "#app/backup/run/backup-steps.server.ts";
import { Dispatcher } from "./dispatcher.ts";

/** Works on the open backup, a bounded part per alarm. It sleeps once the backup is complete. */
export class BackupRunner extends Dispatcher {
  protected override readonly callsOthers = false;

  protected override runRound(): Promise<number | null> {
    return runBackup(this.env);
  }
}
