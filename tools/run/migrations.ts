import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { unstable_readConfig } from "wrangler";
import { COLUMNS, schemaFaults, storedColumns } from "./schema-faults.ts";

export const BREAKPOINT = "--> statement-breakpoint";
/** The table in which wrangler records applied migrations, so that `wrangler d1 migrations list` agrees. */
export const LEDGER = "d1_migrations";
export const CREATE_LEDGER = `CREATE TABLE IF NOT EXISTS ${LEDGER} (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);`;

export type Migration = { name: string; sql: string };
/** A database of wrangler.toml, with the migrations in its folder, oldest first. */
export type MigratedDatabase = { binding: string; migrations: Migration[] };

export function readDatabases(root: string): MigratedDatabase[] {
  const { d1_databases } = unstable_readConfig({ config: join(root, "wrangler.toml") });
  return d1_databases.map(({ binding, migrations_dir }: { binding: string; migrations_dir?: string }) => {
    if (!migrations_dir) throw new Error(`wrangler.toml names no migrations_dir for ${binding}`);
    const folder = join(root, migrations_dir);
    const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
    const migrations = names.sort().map((name) => ({ name, sql: readFileSync(join(folder, name), "utf8") }));
    return { binding, migrations };
  });
}

/** Applies pending migrations to a local database, each completely or not at all. */
export async function applyMigrations(database: D1Database, migrations: Migration[]): Promise<void> {
  await database.prepare(CREATE_LEDGER).run();
  const { results } = await database.prepare(`SELECT name FROM ${LEDGER}`).all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const foreign = [...applied].filter((name) => !migrations.some((migration) => migration.name === name));
  if (foreign.length > 0) {
    throw new Error(
      `The local database has migrations that no longer exist (${foreign.join(", ")}). Delete the state folder (.local, or STATE_DIR) and start again.`,
    );
  }
  for (const { name, sql } of migrations) {
    if (applied.has(name)) continue;
    const statements = [
      ...sql.split(BREAKPOINT).map((statement) => database.prepare(statement)),
      database.prepare(`INSERT INTO ${LEDGER} (name) VALUES (?)`).bind(name),
    ];
    // Each prepare blocks this process. On a busy machine they take longer than the 5 s after which workerd closes an idle
    // connection. A whole turn of the event loop reads that end, or the batch would be sent over a closed connection.
    await setImmediate();
    await setImmediate();
    await database.batch(statements);
  }
  if (applied.size > 0) await refuseOtherSchema(database, migrations);
}

/** Returns whether a database's file has exactly these migrations and their columns. Nothing may run on it meanwhile. */
export function isMigrated(file: string, migrations: Migration[]): boolean {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    if (!database.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(LEDGER)) return false;
    const applied = database.prepare(`SELECT name FROM ${LEDGER}`).all();
    const names = new Set(migrations.map(({ name }) => name));
    if (applied.length !== names.size || !applied.every(({ name }) => names.has(String(name)))) return false;
    return hasSchemaOf(migrations, database.prepare(COLUMNS).all());
  } finally {
    database.close();
  }
}

/** Before a release, migrations are edited in place: a database may have applied another text under the same name. */
async function refuseOtherSchema(database: D1Database, migrations: Migration[]): Promise<void> {
  const { results } = await database.prepare(COLUMNS).all();
  if (hasSchemaOf(migrations, results)) return;
  throw new Error(
    "The local database was made by an earlier text of its migrations. Delete the state folder (.local, or STATE_DIR) and start again.",
  );
}

/** Returns whether the columns are those that the migrations make. */
function hasSchemaOf(migrations: Migration[], columns: Record<string, unknown>[]): boolean {
  const wanted = new DatabaseSync(":memory:");
  for (const { sql } of migrations) for (const statement of sql.split(BREAKPOINT)) wanted.exec(statement);
  const known = storedColumns(wanted.prepare(COLUMNS).all());
  wanted.close();
  const faults = schemaFaults(
    storedColumns(columns),
    known.map(({ isNeeded, ...column }) => ({ ...column, isOptional: !isNeeded })),
  );
  return faults.length === 0;
}
