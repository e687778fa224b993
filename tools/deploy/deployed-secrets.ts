import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { isPublicUrl } from "#app/http/outgoing/public-url.ts";
import { ownValue } from "#app/own-value.ts";
import { newVapidKeys } from "#tools/project/push-keys.ts";
import { readJsonFile } from "#tools/run/state-files.ts";
import { type Environment, writeJson } from "./choices.ts";

/** The secrets of a deployed worker: which it needs, and how those that need nobody else are made. */

type Generated = {
  make: () => string;
  /** Data or backups are unreadable without it: it is never made anew for databases that are in use. */
  protectsData?: true;
};

const GENERATED: Record<string, Generated> = {
  SESSION_SECRET: { make: () => randomBytes(32).toString("base64") },
  ENCRYPTION_KEYS: { make: newKeys, protectsData: true },
  BACKUP_KEYS: { make: newKeys, protectsData: true },
  VAPID_KEYS: { make: newVapidKeys },
};

/** Version 1, with 32 bytes. */
function newKeys(): string {
  return `1:${randomBytes(32).toString("base64")}`;
}

/** Secrets that a variable, or another secret, asks for. */
const REQUIRED_BY: Record<string, string> = {
  EMAIL_API_URL: "EMAIL_API_KEY",
  GOOGLE_CLIENT_ID: "GOOGLE_CLIENT_SECRET",
  ALERT_WEBHOOK_URL: "ALERT_WEBHOOK_SECRET",
};
/** Taking payments needs both. */
const PAYMENTS = ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"];
const OTHERS = ["EMAIL_WEBHOOK_SECRET", "FCM_SERVICE_ACCOUNT"];
/** A variable, or a secret if it contains a token. */
const EITHER = "ALERT_WEBHOOK_URL";

export const SECRET_NAMES = [...Object.keys(GENERATED), ...Object.values(REQUIRED_BY), ...PAYMENTS, ...OTHERS];

export type SecretsPlan = {
  /** To be sent with the next version: in the file, but not on the worker. */
  fromFile: string[];
  generated: string[];
  faults: string[];
};

/**
 * Decides which secrets to send and which to make. What the worker has is left alone, so that an old file can't undo a
 * rotation. `inUse`: the databases have data. `isCi`: the file that a made secret is kept in is gone with the runner.
 */
export function planSecrets(
  onWorker: string[],
  file: Record<string, unknown>,
  vars: Record<string, string>,
  { inUse, isCi, path }: { inUse: boolean; isCi: boolean; path: string },
): SecretsPlan {
  const inFile = Object.keys(file);
  const has = (name: string) => onWorker.includes(name) || inFile.includes(name);
  const faults = Object.entries(REQUIRED_BY)
    .filter(([name, secret]) => (ownValue(vars, name) || has(name)) && !has(secret))
    .map(([name, secret]) => `${name} is set, but the secret ${secret} isn't: put it into ${path}.`);
  const [set, unset] = [PAYMENTS.filter(has), PAYMENTS.filter((name) => !has(name))];
  if (set.length > 0 && unset.length > 0) {
    faults.push(`${set.join()} is set, but the secret ${unset.join()} isn't: put it into ${path}.`);
  }
  const missing = Object.entries(GENERATED).filter(([name]) => !has(name));
  for (const [name, { protectsData }] of missing) {
    if (inUse && protectsData) {
      faults.push(
        `The databases have data, but the worker has no ${name}: put the one they were used with into ${path}.`,
      );
    } else if (isCi) {
      faults.push(
        `The worker has no ${name}, and CI would lose what it made: deploy once from your own machine, which keeps it.`,
      );
    }
  }
  if (vars[EITHER] && has(EITHER)) {
    faults.push(
      `${EITHER} is a variable and a secret. Keep one: take it out of the variables, or out of ${path} and with wrangler secret delete off the worker.`,
    );
  }
  if (typeof file[EITHER] === "string" && file[EITHER] !== "" && !isPublicUrl(file[EITHER], false)) {
    faults.push(`${EITHER} in ${path} must be an https URL of a public host.`);
  }
  for (const name of inFile.filter((name) => name !== EITHER && !SECRET_NAMES.includes(name))) {
    faults.push(`${path} has ${name}, which is none of this worker's secrets.`);
  }
  for (const [name, value] of Object.entries(file)) {
    if (typeof value !== "string" || value.trim() === "")
      faults.push(`${name} in ${path} has no value: set or remove it.`);
  }
  for (const name of Object.keys(vars).filter((name) => SECRET_NAMES.includes(name))) {
    faults.push(`${name} is among the variables, which anybody with the repository can read: put it into ${path}.`);
  }
  return {
    fromFile: inFile.filter((name) => !onWorker.includes(name)),
    generated: missing.map(([name]) => name),
    faults,
  };
}

export function secretsFile(environment: Environment): string {
  return `deployments/${environment}.secrets.json`;
}

export function readSecrets(root: string, environment: Environment): Record<string, string> {
  const stored = readJsonFile(join(root, secretsFile(environment)), "Remove it, or write {} into it.");
  return (stored ?? {}) as Record<string, string>;
}

/** Makes the secrets and keeps them in the file, which only its owner can read. */
export function generateSecrets(root: string, environment: Environment, names: string[]): Record<string, string> {
  const secrets = { ...readSecrets(root, environment) };
  for (const name of names) secrets[name] = ownValue(GENERATED, name)?.make() ?? "";
  writeJson(join(root, secretsFile(environment)), secrets);
  return secrets;
}
