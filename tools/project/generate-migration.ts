import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDatabases } from "#tools/run/migrations.ts";
import { REBUILD_ADVICE, unsafeDrops } from "./dropped-tables.ts";

/**
 * `npm run db:generate -- main|support NAME`: writes the next migration from the schema and makes new tables STRICT.
 * Fails if the migration would lose rows; the file stays, to be rewritten by hand.
 */
const SCHEMAS: Record<string, string> = {
  main: "./app/db/schema.server.ts",
  support: "./app/db/schema/support-tables.server.ts",
};

const [database = "", name] = process.argv.slice(2);
const schema = SCHEMAS[database];
if (!schema || !name) {
  console.error("Usage: npm run db:generate -- main|support NAME, for example: main add_webhooks");
  process.exit(2);
}
const folder = `migrations/${database}`;
const before = new Set(readdirSync(folder));
execFileSync(
  "drizzle-kit",
  ["generate", "--dialect=sqlite", `--schema=${schema}`, `--out=./${folder}`, `--name=${name}`],
  {
    stdio: "inherit",
  },
);
for (const file of readdirSync(folder)) {
  if (!file.endsWith(".sql") || before.has(file)) continue;
  const path = `${folder}/${file}`;
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(/^\);$/gm, ") STRICT;"));
}

const root = join(import.meta.dirname, "..", "..");
const faults = readDatabases(root).flatMap(({ migrations }) => unsafeDrops(migrations));
if (faults.length > 0) {
  console.error(`\nRewrite this migration before you commit it:\n${faults.join("\n")}\n${REBUILD_ADVICE}`);
  process.exit(1);
}
