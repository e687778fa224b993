import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { endSessionsWhere } from "#app/accounts/session/auth-sessions.server.ts";
import { DATABASES, type DatabaseName, manifestKey } from "#app/backup/format/backup-objects.ts";
import { UnusableBackup } from "#app/backup/format/sealed-objects.server.ts";
import { holdOutgoing, releaseOutgoing } from "#app/backup/restore/outgoing-hold.server.ts";
import { checkBackup } from "#app/backup/restore/read-backup.server.ts";
import { checkTarget, restoreDatabase, UnusableTarget } from "#app/backup/restore/restore-database.server.ts";
import { checkFileKeys, checkFiles, type FileFaults, restoreFiles } from "#app/backup/restore/restore-files.server.ts";
import { settleRestored } from "#app/backup/restore/settle-restored.server.ts";
import { storedBackups } from "#app/backup/run/backup-retention.server.ts";
import { newestSound } from "#app/backup/run/sound-backups.server.ts";
import { connect } from "#app/db/db.server.ts";
import { authSessions } from "#app/db/schema.server.ts";
import { repeatErasures } from "#app/delete-account.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { startRoomRebuild } from "#app/support/inbox/rebuilt-rooms.server.ts";
import { migrateNew } from "#tools/deploy/deploy-migrations.ts";
import { deployedConfig, deployedEnvironment, writeConfig } from "#tools/deploy/environment-config.ts";
import { wranglerFor } from "#tools/deploy/wrangler-calls.ts";
import { CommandError, readArguments, UsageError } from "#tools/run/command-line.ts";
import { openDatabase, whenFree } from "#tools/run/database.ts";
import { applyMigrations, readDatabases } from "#tools/run/migrations.ts";
import { requireState, resolveStateDir } from "#tools/run/state-files.ts";
import { lockState } from "#tools/run/state-lock.ts";
import { readBackupKeys } from "./backup-keys.ts";
import { isBucketFolder, openBucketFolder } from "./bucket-folder.ts";
import { openBackups, openStores, root, type Stores } from "./open-stores.ts";

const USAGE = `npm run restore -- --from DIR|remote                                  lists the backups of a copy
npm run restore -- --from DIR|remote BACKUP --state-dir NEW_DIR     into a new local copy
npm run restore -- --from DIR|remote BACKUP --remote                into the empty databases of the deployment
npm run restore -- --release --state-dir DIR|--remote               lets a restored copy send what waits
DIR is the folder of a local copy, or one that the bucket for backups was copied to, with the folder "backups" in it.
Add --check to read and verify the whole backup only. BACKUP may be "latest": the newest whose ledger had no known fault.
BACKUP_KEYS is taken from the environment, or from the secrets.json of DIR.`;

const MAX_NAMED_FILES = 20;
const LABEL: Record<DatabaseName, string> = { DB: "Main database", DB_SUPPORT: "Support database" };

const { values: options, positionals } = readArguments({
  usage: USAGE,
  options: {
    from: { type: "string", default: "" },
    "state-dir": { type: "string", default: "" },
    remote: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    release: { type: "boolean", default: false },
  },
  max: 1,
});

/** Rows of the backup may be there. */
let isFilling = false;

try {
  await main();
} catch (error) {
  if (!(error instanceof UnusableBackup || error instanceof UnusableTarget)) throw error;
  throw new CommandError(`${isFilling ? "The copy is incomplete" : "Nothing was restored"}: ${error.message}.`);
}

async function main(): Promise<void> {
  const [wanted] = positionals;
  const { from } = options;
  const to = options.remote ? "remote" : options["state-dir"];
  if (options.release) {
    if (!to || from || wanted || options.check)
      throw new UsageError(`--release takes --state-dir or --remote.\n\n${USAGE}`);
    return release(to);
  }
  if (!from) throw new UsageError(`--from is missing.\n\n${USAGE}`);
  if (wanted && !options.check && (!to || (to === from && to !== "remote"))) {
    throw new UsageError(`Name another folder with --state-dir.\n\n${USAGE}`);
  }
  const source = await openSource(from);
  try {
    const { bucket } = source;
    const ids = [];
    for (const id of await storedBackups(bucket)) if (await bucket.head(manifestKey(id))) ids.push(id);
    if (wanted === undefined) {
      console.log(ids.length > 0 ? ids.join("\n") : "There are no complete backups.");
      return;
    }
    if (ids.length === 0) throw new CommandError("There is no complete backup.");
    const keys = readBackupKeys(from);
    const started = Date.now();
    const stored = { bucket, keys };
    const id = wanted === "latest" ? await latestOf(stored, ids) : wanted;
    const backup = await checkBackup(stored, id);
    const { manifest, files } = backup;
    const bytes = manifest.chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
    console.log(`${id}: ${manifest.chunks.length} chunks, ${(bytes / 1e6).toFixed(2)} MB: all checksums are right.`);
    console.log(
      `It shows the moment ${new Date(manifest.cuts.DB.at).toISOString()}, up to ledger entry ${manifest.cuts.DB.ledgerId}.`,
    );
    if (manifest.ledgerFaults) {
      console.log(`Its ledger had known faults when it was made: ${manifest.ledgerFaults}.`);
    }
    if (options.check) {
      const faults = await checkFiles(stored, files);
      console.log(`Files: ${files.length} listed, ${faults.missing.length} missing, ${faults.damaged.length} damaged.`);
      return reportFileFaults(faults);
    }
    await checkFileKeys(stored, files);
    const target = await openTarget(from, to);
    try {
      for (const name of DATABASES) await checkTarget(name, target.stores[name], backup);
      isFilling = true;
      await holdOutgoing(target.stores.DB, id, Date.now());
      for (const name of DATABASES) {
        const rows = await restoreDatabase(name, target.stores[name], stored, backup);
        console.log(`${LABEL[name]}: ${rows} rows restored.`);
      }
      // Before the files, which may fail: else orders would not be held.
      await finish(target.stores, bucket);
      const { copied, there, missing, damaged } = await restoreFiles(stored, files, target.stores.UPLOADS);
      console.log(`Files: ${copied} copied, ${there} there, ${missing.length} missing, ${damaged.length} damaged.`);
      reportFileFaults({ missing, damaged });
      console.log(`Done in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
      console.log(
        "Nothing is sent from this copy: no order, email, webhook or notification. Once it may, run\n" +
          `npm run restore -- --release ${to === "remote" ? "--remote" : `--state-dir ${to}`}`,
      );
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Returns the newest backup whose ledger was sound. Names the newer ones, which a person may prefer. */
async function latestOf(stored: { bucket: R2Bucket; keys: string }, ids: string[]): Promise<string> {
  const id = await newestSound(stored, ids, (newer, why) => {
    if (typeof why !== "number") throw why;
    console.log(`Passes over ${newer}: its ledger had known faults (${why}). To take it anyway, name it.`);
  });
  if (id) return id;
  throw new CommandError("Nothing was restored: the ledger of every backup had known faults. Name the one to take.");
}

function reportFileFaults(faults: FileFaults): void {
  for (const [fault, files] of Object.entries(faults)) {
    for (const key of files.slice(0, MAX_NAMED_FILES)) console.log(`  ${fault}: ${key}`);
    if (files.length > MAX_NAMED_FILES) console.log(`  ${fault}: ${files.length - MAX_NAMED_FILES} more`);
    if (files.length > 0) process.exitCode = 1;
  }
}

type Source = { bucket: R2Bucket; close(): Promise<void> };

/** Opens where the backups are: in the deployment, in a local copy, or in a folder that the bucket was copied to. */
async function openSource(from: string): Promise<Source> {
  const folder = resolveStateDir(from);
  if (from !== "remote" && isBucketFolder(folder)) {
    return { bucket: openBucketFolder(folder), close: async () => {} };
  }
  if (from !== "remote") requireState(folder);
  const { stores, close } = await openBackups(from);
  return { bucket: stores.BACKUPS, close };
}

/** The site may run meanwhile: its next minute sends what waits. */
async function release(to: string): Promise<void> {
  const { binding, close } = await openDatabase({ remote: to === "remote", stateDir: to });
  try {
    const wasHeld = await whenFree(() => releaseOutgoing(binding, Date.now()));
    console.log(wasHeld ? "Released. What waits is sent within a minute." : "Nothing is held there.");
  } finally {
    await close();
  }
}

/**
 * Opens where to, migrated. A local copy is created; the keys that its rows are encrypted with come along, and what the
 * stand-in of the provider knows, which would give the ids of restored orders again.
 */
async function openTarget(from: string, to: string) {
  if (to === "remote") {
    await migrateDeployed();
    return openStores(to);
  }
  const [oldDir, newDir] = [resolveStateDir(from), resolveStateDir(to)];
  mkdirSync(newDir, { recursive: true });
  lockState(newDir, { command: "npm run restore" }, "Restore into another folder.");
  const secrets = join(newDir, "secrets.json");
  if (from !== "remote" && existsSync(join(oldDir, "secrets.json")) && !existsSync(secrets)) {
    copyFileSync(join(oldDir, "secrets.json"), secrets);
    console.log("Copied secrets.json, whose keys decrypt what the rows hold.");
    const sandboxOrders = join(oldDir, "sandbox-orders.jsonl");
    if (existsSync(sandboxOrders)) copyFileSync(sandboxOrders, join(newDir, "sandbox-orders.jsonl"));
  }
  const target = await openStores(to);
  for (const { binding, migrations } of readDatabases(root)) {
    await applyMigrations(target.stores[binding as DatabaseName], migrations);
  }
  return target;
}

/** Migrates the new databases that the deployment's choices name, the way a release does. */
async function migrateDeployed(): Promise<void> {
  const config = writeConfig(root, deployedEnvironment(), deployedConfig(root));
  for (const database of readDatabases(root)) await migrateNew(wranglerFor(root, config), database, console.log);
}

/** Brings the copy into a state from which the site can start, and checks the money. */
async function finish(stores: Stores, backups: R2Bucket): Promise<void> {
  const settled = await settleRestored(stores.DB);
  // One that was ended since the cut would live again.
  const ended = await endSessionsWhere(connect(stores.DB), sql`true`).returning({ id: authSessions.id });
  console.log(
    `Ended ${ended.length} sessions. Held for staff, as they may have been sent since: ${settled.orders} orders, ` +
      `${settled.refills} refills, ${settled.cancellations} cancellations.`,
  );
  await startRoomRebuild(connect(stores.DB));
  const erased = await repeatErasures(connect(stores.DB), backups);
  console.log(`Deletions to repeat: ${erased}. Chats: compared with their rooms once the site runs.`);
  const faults = await checkLedger(connect(stores.DB));
  for (const { rule, subject, is_now, should_be } of faults)
    console.log(`FAIL ${rule}: ${subject}: ${is_now}, not ${should_be}`);
  console.log(faults.length === 0 ? "The ledger is clean." : `${faults.length} ledger faults.`);
  if (faults.length > 0) process.exitCode = 1;
}
