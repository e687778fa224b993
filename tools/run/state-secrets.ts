import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ownValue } from "#app/own-value.ts";
import { newVapidKeys } from "#tools/project/push-keys.ts";
import { CommandError } from "./command-line.ts";
import { readJsonFile, replaceFile } from "./state-files.ts";

const TEXT = z.string().min(1);
/** Requires the secrets that nobody can make anew. An older folder or a restored copy may lack the rest. */
const STORED = z.looseObject({
  /** "version:base64" entries, the newest first. */
  ENCRYPTION_KEYS: TEXT,
  SESSION_SECRET: TEXT.optional(),
  VAPID_KEYS: TEXT.optional(),
  BACKUP_KEYS: TEXT.optional(),
  providerKey: TEXT.optional(),
  googleClient: z.object({ id: TEXT, secret: TEXT }).optional(),
});
export type StoredSecrets = z.infer<typeof STORED>;
export type Secrets = Required<StoredSecrets>;

/** Returns the secrets of the copy in `stateDir`, or null if it has none. */
export function readSecrets(stateDir: string): StoredSecrets | null {
  const file = secretsFile(stateDir);
  const advice = `Without these keys nobody can read what the copy has encrypted: restore the file, or delete ${stateDir} to start over.`;
  const json = readJsonFile(file, advice);
  if (json === null) return null;
  const stored = STORED.safeParse(json);
  if (!stored.success) {
    throw new CommandError(`${file} is damaged: ${stored.error.issues[0]?.path.join(".")} is missing. ${advice}`);
  }
  return stored.data;
}

/**
 * Returns the installation's secrets. They are random, and kept because sessions and sealed values must survive a
 * restart.
 */
export function keepSecrets(stateDir: string): Secrets {
  const stored = readSecrets(stateDir);
  if (!stored && existsSync(join(stateDir, "v3", "d1"))) {
    throw new CommandError(
      `${secretsFile(stateDir)} is missing, and with it the keys of the databases beside it: restore it, or delete ${stateDir} to start over.`,
    );
  }
  const secrets: Secrets = {
    ENCRYPTION_KEYS: newKeys(),
    SESSION_SECRET: randomBytes(32).toString("base64"),
    VAPID_KEYS: newVapidKeys(),
    BACKUP_KEYS: newKeys(),
    providerKey: randomBytes(16).toString("hex"),
    googleClient: { id: `local-${randomBytes(6).toString("hex")}`, secret: randomBytes(16).toString("hex") },
    ...stored,
  };
  if (Object.keys(secrets).some((name) => ownValue(stored, name) === undefined)) writeSecrets(stateDir, secrets);
  return secrets;
}

/** Version 1, with 32 bytes. */
function newKeys(): string {
  return `1:${randomBytes(32).toString("base64")}`;
}

export function writeSecrets(stateDir: string, secrets: StoredSecrets): void {
  replaceFile(secretsFile(stateDir), JSON.stringify(secrets, null, 2));
}

/** Returns the versions in a value of ENCRYPTION_KEYS, the newest first. */
export function keyVersions(encryptionKeys: string): string[] {
  return encryptionKeys.split(",").map((entry) => entry.trim().split(":")[0] ?? "");
}

function secretsFile(stateDir: string): string {
  return join(stateDir, "secrets.json");
}
