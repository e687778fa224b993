import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { ownValue } from "#app/own-value.ts";
import { CommandError, readArguments } from "#tools/run/command-line.ts";
import { BREAKPOINT, LEDGER, type MigratedDatabase, type Migration, readDatabases } from "#tools/run/migrations.ts";
import { COLUMNS, knownColumns, schemaFaults, storedColumns } from "#tools/run/schema-faults.ts";
import { exerciseRelease, type OldRelease, startOldRelease } from "./old-release.ts";

/**
 * `npm run upgrade:check`: proves that the previous release still works after this one's migrations, which run before any
 * visitor is moved, and stay when the code is rolled back. It fills a copy with the previous release, migrates it, and lets
 * that release go on working on it. What nothing makes it do there is compared by its schema.
 */

/** A table by which a database file is known. */
const TABLE_OF: Record<string, string> = { DB: "users", DB_SUPPORT: "support_sessions" };
/** Where a release describes its tables. */
const SCHEMA_OF: Record<string, string> = {
  DB: "app/db/schema.server.ts",
  DB_SUPPORT: "app/db/schema/support-tables.server.ts",
};
const SQL_FAULT = /no such (table|column)|has no column named|constraint failed|SQLITE_ERROR|D1_ERROR/;
const MAX_FAULT_CHARACTERS = 500;

if (import.meta.main) {
  readArguments({ usage: "npm run upgrade:check: runs the previous release on this one's migrations", options: {} });
  const root = join(import.meta.dirname, "..", "..", "..");
  const tag = previousRelease(root);
  if (tag === null) console.log("No earlier release has a tag v*, so nothing can break.");
  else {
    const faults = await checkRelease(root, tag);
    if (faults.length > 0) throw new CommandError(`${tag} breaks on these migrations:\n${faults.join("\n")}`);
    console.log(`${tag} works on these migrations.`);
  }
}

/** Returns the newest release before this commit, or null. */
export function previousRelease(root: string): string | null {
  try {
    const args = ["describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^"];
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}

async function checkRelease(root: string, tag: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "growline-upgrade-"));
  const oldRoot = join(folder, "release");
  try {
    execFileSync("git", ["worktree", "add", "--detach", oldRoot, tag], { cwd: root, stdio: "ignore" });
    const stateDir = join(folder, "state");
    await fillState(oldRoot, stateDir);
    return await checkMigrations(oldRoot, stateDir, readDatabases(root));
  } finally {
    execFileSync("git", ["worktree", "remove", "--force", oldRoot], { cwd: root, stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Fills a new state with that release, as its customers and staff would. */
export async function fillState(oldRoot: string, stateDir: string): Promise<void> {
  const release = await startOldRelease(oldRoot, stateDir);
  try {
    const faults = await exerciseRelease(release, join(stateDir, "smoke.json"));
    if (faults.length > 0) throw new CommandError(`The release fails before any migration:\n${faults.join("\n")}`);
  } finally {
    await release.stop();
  }
}

/** Migrates a filled state and runs the old release on it. Returns what failed, with the statement where one did. */
export async function checkMigrations(
  oldRoot: string,
  stateDir: string,
  databases: MigratedDatabase[],
): Promise<string[]> {
  const unapplied = databases.flatMap((database) => migrateFile(stateDir, database));
  if (unapplied.length > 0) return unapplied;
  const unusable: string[] = [];
  for (const { binding } of databases) unusable.push(...(await findSchemaFaults(oldRoot, stateDir, binding)));
  if (unusable.length > 0) return unusable;
  const log = join(stateDir, "logs", "worker.log");
  const before = existsSync(log) ? readFileSync(log, "utf8").length : 0;
  let release: OldRelease;
  try {
    release = await startOldRelease(oldRoot, stateDir);
  } catch (error) {
    return [(error as Error).message];
  }
  const faults = await exerciseRelease(release, join(stateDir, "smoke.json")).finally(() => release.stop());
  return [...faults, ...sqlFaults(readFileSync(log, "utf8").slice(before))];
}

/** Applies what the file lacks, without recording it: the old release refuses migrations that it doesn't know. */
function migrateFile(stateDir: string, { binding, migrations }: MigratedDatabase): string[] {
  const database = openFile(stateDir, ownValue(TABLE_OF, binding) ?? "");
  try {
    const applied = database.prepare(`SELECT name FROM ${LEDGER}`).all();
    const pending = migrations.filter(({ name }) => !applied.some((row) => row.name === name));
    return pending.flatMap((migration) => applyMigration(database, migration) ?? []);
  } finally {
    database.close();
  }
}

function applyMigration(database: DatabaseSync, { name, sql }: Migration): string | null {
  let last = "";
  database.exec("BEGIN");
  try {
    for (last of sql.split(BREAKPOINT)) database.exec(last);
    database.exec("COMMIT");
    return null;
  } catch (error) {
    database.exec("ROLLBACK");
    return `${name} can't be applied to the release's data: ${(error as Error).message} in ${last.trim()}`;
  }
}

/** Finds what the old release could not do even where nothing here makes it do so. */
async function findSchemaFaults(oldRoot: string, stateDir: string, binding: string): Promise<string[]> {
  const module = pathToFileURL(join(oldRoot, ownValue(SCHEMA_OF, binding) ?? "")).href;
  const known = knownColumns((await import(module)) as Record<string, unknown>);
  const database = openFile(stateDir, ownValue(TABLE_OF, binding) ?? "");
  try {
    return schemaFaults(storedColumns(database.prepare(COLUMNS).all()), known);
  } finally {
    database.close();
  }
}

function openFile(stateDir: string, table: string): DatabaseSync {
  for (const file of globSync("**/*.sqlite", { cwd: join(stateDir, "v3", "d1") })) {
    const database = new DatabaseSync(join(stateDir, "v3", "d1", file));
    if (database.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(table)) return database;
    database.close();
  }
  throw new CommandError(`${stateDir} has no database with the table ${table}.`);
}

/** Returns the failed statements in the worker's log, each once. */
function sqlFaults(log: string): string[] {
  const lines = log.split("\n").filter((line) => SQL_FAULT.test(line));
  const errors = lines.map((line) => /"error":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line);
  return [...new Set(errors.map((error) => error.slice(0, MAX_FAULT_CHARACTERS)))];
}
