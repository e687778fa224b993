import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "#tools/run/build.ts";
import { CREATE_LEDGER, LEDGER, type Migration, readDatabases } from "#tools/run/migrations.ts";

/**
 * Applies the pending migrations of both deployed databases, before the worker is deployed. `--local FOLDER` applies
 * them to databases below that folder instead.
 *
 * Each migration is imported as a file, because `wrangler d1 migrations apply --remote` refuses trigger bodies with
 * "incomplete input" (workers-sdk#14991, #15178, #15690).
 */

const root = join(import.meta.dirname, "..", "..");

if (import.meta.main) {
  const [flag, folder] = process.argv.slice(2);
  const target = flag === "--local" && folder ? ["--local", "--persist-to", folder] : ["--remote"];
  for (const { binding, migrations } of readDatabases(root)) await deployMigrations(binding, migrations, target);
}

async function deployMigrations(binding: string, migrations: Migration[], target: string[]): Promise<void> {
  const applied = appliedNames(await run(root, "wrangler", ledgerArgs(binding, target)));
  const folder = mkdtempSync(join(tmpdir(), "growline-migrations-"));
  try {
    for (const migration of pendingMigrations(binding, migrations, applied)) {
      const file = join(folder, migration.name);
      writeFileSync(file, importFile(migration));
      await run(root, "wrangler", importArgs(binding, target, file));
      console.log(`${binding}: applied ${migration.name}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the migrations to apply. Throws if the ledger has one that is not among them: this code may not fit it. */
export function pendingMigrations(binding: string, migrations: Migration[], applied: string[]): Migration[] {
  const unknown = applied.filter((name) => !migrations.some((migration) => migration.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `${binding} was migrated by ${unknown.join(", ")}, which this commit does not have. Deploy a commit that has it.`,
    );
  }
  return migrations.filter(({ name }) => !applied.includes(name));
}

/** Returns the wrangler arguments that print the applied migrations as JSON. */
export function ledgerArgs(binding: string, target: string[]): string[] {
  const query = `${CREATE_LEDGER} SELECT name FROM ${LEDGER}`;
  return ["d1", "execute", binding, ...target, "--yes", "--json", "--command", query];
}

export function importArgs(binding: string, target: string[], file: string): string[] {
  return ["d1", "execute", binding, ...target, "--yes", "--file", file];
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
