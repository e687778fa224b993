import { CommandError } from "#tools/run/command-line.ts";
import { resolveStateDir } from "#tools/run/state-files.ts";
import { readSecrets } from "#tools/run/state-secrets.ts";

/** Returns BACKUP_KEYS from the environment, or of the local copy in `stateDir`. */
export function readBackupKeys(stateDir: string): string {
  const stored = stateDir === "remote" ? null : readSecrets(resolveStateDir(stateDir));
  const keys = process.env.BACKUP_KEYS || stored?.BACKUP_KEYS;
  if (keys) return keys;
  throw new CommandError("There are no BACKUP_KEYS. Set them in the environment, as the site has them.");
}
