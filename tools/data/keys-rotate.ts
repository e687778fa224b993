import { randomBytes } from "node:crypto";
import { connect } from "#app/db/db.server.ts";
import { CommandError, readArguments, STATE_DIR_OPTION, UsageError } from "#tools/run/command-line.ts";
import { openDatabase, whenFree } from "#tools/run/database.ts";
import { requireState, resolveStateDir } from "#tools/run/state-files.ts";
import { lockState, StateInUse } from "#tools/run/state-lock.ts";
import { keyVersions, readSecrets, writeSecrets } from "#tools/run/state-secrets.ts";
import { type Resealed, resealAll } from "./reseal.ts";

const USAGE = `npm run keys:rotate [-- --new-key | --remove-old] [--state-dir DIR]      a local copy
ENCRYPTION_KEYS=… npm run keys:rotate -- --remote                          the deployed database

Re-encrypts stored tokens, keys and secrets with the first entry of ENCRYPTION_KEYS ("2:base64,1:base64").

  --new-key      first adds a new entry to the local copy's keys; the old ones stay
  --remove-old   removes the old ones, if nothing stored needs them

For the deployed database, first set the new value with "wrangler secret put ENCRYPTION_KEYS": the new entry, followed by
the old ones.`;

const ENTRY = /^\d+:[A-Za-z0-9+/]{43}=$/;
const STOP_FIRST = "It has read its keys and could not read what another one encrypts. Stop it, then run this again.";
const BACKUPS = "Backups from before need it for as long as you keep them.";

const { values: options } = readArguments({
  usage: USAGE,
  options: {
    remote: { type: "boolean", default: false },
    "new-key": { type: "boolean", default: false },
    "remove-old": { type: "boolean", default: false },
    ...STATE_DIR_OPTION,
  },
});
const stateDir = resolveStateDir(options["state-dir"]);
const changesKeys = options["new-key"] || options["remove-old"];
if (options["new-key"] && options["remove-old"]) throw new UsageError("Give --new-key or --remove-old, not both.");
if (options.remote && changesKeys) {
  throw new UsageError("The deployment's keys are a secret: change them with wrangler secret put ENCRYPTION_KEYS.");
}

const keys = options.remote ? keysOfEnvironment() : keysOfCopy();
const [newest = "", ...older] = keyVersions(keys);
const first = await reseal();
for (const { column, current, resealed, unreadable } of first) {
  console.log(`${column.padEnd(34)} ${resealed} re-encrypted, ${current} up to date, ${unreadable} unreadable`);
}
// What was written meanwhile, by a copy or a deployment that had another key first.
const second = await reseal();
if (second.some(({ unreadable }) => unreadable > 0)) {
  throw new CommandError("Some values were encrypted with a key that is missing here. No key was removed.");
}
if (second.some(({ resealed }) => resealed > 0)) {
  throw new CommandError(
    `Values are still being encrypted with key version ${older.join(", ")}: run this again later.`,
  );
}
console.log(`All values are encrypted with key version ${newest}.${older.length > 0 ? ` ${whatOfTheOld()}` : ""}`);

async function reseal(): Promise<Resealed[]> {
  const database = await openDatabase({ remote: options.remote, stateDir });
  try {
    return await whenFree(() => resealAll(connect(database.binding), keys));
  } finally {
    await database.close();
  }
}

/** Says what is to be done with the older keys, and removes them if that was asked for. */
function whatOfTheOld(): string {
  const old = `key version ${older.join(", ")}`;
  if (options["remove-old"]) {
    const secrets = readSecrets(stateDir);
    if (secrets) writeSecrets(stateDir, { ...secrets, ENCRYPTION_KEYS: keys.split(",")[0] ?? "" });
    return `Removed ${old}. ${BACKUPS}`;
  }
  if (!options.remote) return `Keeps ${old}: npm run keys:rotate -- --remove-old removes it. ${BACKUPS}`;
  if (first.some(({ resealed }) => resealed > 0)) {
    return `Keep ${old}: an earlier version of the deployment may still write with it. Run this again in a day.`;
  }
  return `Nothing was encrypted with ${old} since the last run, so you can remove it from the secret. ${BACKUPS}`;
}

function keysOfEnvironment(): string {
  const given: string | undefined = process.env.ENCRYPTION_KEYS;
  if (!given)
    throw new UsageError("Give the deployment's keys: ENCRYPTION_KEYS=2:…,1:… npm run keys:rotate -- --remote");
  if (given.split(",").every((entry) => ENTRY.test(entry.trim()))) return given;
  throw new UsageError('ENCRYPTION_KEYS is not a list of "version:base64" entries of 32 bytes each.');
}

/** Locks the copy's state, unless a running copy may go on meanwhile, and returns its keys, with a new one if wanted. */
function keysOfCopy(): string {
  requireState(stateDir);
  const isRunning = !isLocked();
  const secrets = readSecrets(stateDir);
  if (!secrets) throw new CommandError(`${stateDir} has no secrets.json: start the copy once with npm start.`);
  if (isRunning || !options["new-key"]) return secrets.ENCRYPTION_KEYS;
  const version = Math.max(...keyVersions(secrets.ENCRYPTION_KEYS).map(Number)) + 1;
  const changed = `${version}:${randomBytes(32).toString("base64")},${secrets.ENCRYPTION_KEYS}`;
  writeSecrets(stateDir, { ...secrets, ENCRYPTION_KEYS: changed });
  return changed;
}

/** Returns whether this process has locked the state. A running copy with the same newest key need not be stopped. */
function isLocked(): boolean {
  try {
    lockState(stateDir, { command: "npm run keys:rotate" }, STOP_FIRST);
    return true;
  } catch (error) {
    if (!(error instanceof StateInUse) || changesKeys) throw error;
    const [wanted] = keyVersions(readSecrets(stateDir)?.ENCRYPTION_KEYS ?? "");
    if (error.holder?.keyVersions?.[0] !== wanted) throw error;
    return false;
  }
}
