import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandError } from "#tools/run/command-line.ts";
import { CREATE_LEDGER, LEDGER, type MigratedDatabase, type Migration } from "#tools/run/migrations.ts";
import { outputOf, type Wrangler } from "./wrangler-calls.ts";

/**
 * Applies migrations to the deployed databases, before the worker is deployed.
 *
 * Each migration is imported as a file, because `wrangler d1 migrations apply --remote` refuses trigger bodies with
 * "incomplete input" (workers-sdk#14991, #15178, #15690).
 */
export async function deployMigrations(
  wrangler: Wrangler,
  { binding, migrations }: MigratedDatabase,
  say: (line: string) => void,
): Promise<void> {
  const pending = pendingMigrations(migrations, await readApplied(wrangler, binding));
  const folder = mkdtempSync(join(tmpdir(), "growline-migrations-"));
  try {
    for (const migration of pending) {
      const file = join(folder, migration.name);
      writeFileSync(file, importFile(migration));
      await wrangler(importArgs(binding, file));
      say(`${binding}: applied ${migration.name}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Applies every migration to a database that a backup is about to be restored into. Throws if it isn't new: a deployed
 * site's must not be migrated by a command that means another one.
 */
export async function migrateNew(
  wrangler: Wrangler,
  database: MigratedDatabase,
  say: (line: string) => void,
): Promise<void> {
  const applied = await readApplied(wrangler, database.binding);
  const pending = pendingMigrations(database.migrations, applied);
  if (applied.length > 0 && pending.length > 0) {
    throw new CommandError(
      `${database.binding} isn't new: ${applied.at(-1)} was applied, ${pending.map(({ name }) => name).join(", ")} not. Restore into a new database.`,
    );
  }
  await deployMigrations(wrangler, database, say);
}

/** Returns the names of the applied migrations. Changes nothing: a new database has no ledger yet. */
export async function readApplied(wrangler: Wrangler, binding: string): Promise<string[]> {
  try {
    return appliedNames(await wrangler(ledgerArgs(binding)));
  } catch (error) {
    if (outputOf(error).includes(`no such table: ${LEDGER}`)) return [];
    throw error;
  }
}

/** Returns why this commit can't be deployed onto a database with those migrations, or null. */
export function unknownMigrationFault(binding: string, migrations: Migration[], applied: string[]): string | null {
  const unknown = applied.filter((name) => !migrations.some((migration) => migration.name === name));
  if (unknown.length === 0) return null;
  return `${binding} was migrated by ${unknown.join(", ")}, which this commit does not have. Deploy a commit that has it.`;
}

export function pendingMigrations(migrations: Migration[], applied: string[]): Migration[] {
  return migrations.filter(({ name }) => !applied.includes(name));
}

/** Returns the wrangler arguments that print the applied migrations as JSON. */
export function ledgerArgs(binding: string): string[] {
  const query = `SELECT name FROM ${LEDGER} ORDER BY id`;
  return ["d1", "execute", binding, "--remote", "--yes", "--json", "--command", query];
}

export function importArgs(binding: string, file: string): string[] {
  return ["d1", "execute", binding, "--remote", "--yes", "--file", file];
}

/** Reads the output of `ledgerArgs`: one result for each statement, the names in the last. */
export function appliedNames(output: string): string[] {
  const results = JSON.parse(output.slice(output.indexOf("["))) as { results: { name: string }[] }[];
  return results.at(-1)?.results.map(({ name }) => name) ?? [];
}

/**
 * Returns the migration with its ledger entry, as one file: an import that fails leaves nothing behind. The entry comes
 * first, so a second import of the same file stops at the UNIQUE name.
 */
export function importFile({ name, sql }: Migration): string {
  return `${CREATE_LEDGER}\nINSERT INTO ${LEDGER} (name) VALUES ('${name.replaceAll("'", "''")}');\n${sql}\n`;
}
