import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownValue } from "#app/own-value.ts";
import { EXIT_USAGE, readArguments } from "#tools/run/command-line.ts";
import { readDatabases } from "#tools/run/migrations.ts";
import { REBUILD_ADVICE, unsafeDrops } from "./dropped-tables.ts";

/**
 * `npm run db:generate -- main|support NAME`: writes the next migration from the schema, formatted, with STRICT tables.
 * Fails if the migration would lose rows; the file stays, to be rewritten by hand.
 */
const SCHEMAS: Record<string, string> = {
  main: "./app/db/schema.server.ts",
  support: "./app/db/schema/support-tables.server.ts",
};

const USAGE = "npm run db:generate -- main|support NAME, for example: main add_webhooks";
const { positionals } = readArguments({ usage: USAGE, options: {}, min: 2, max: 2 });
const [database = "", name = ""] = positionals;
const schema = ownValue(SCHEMAS, database);
if (!schema || !/^\w+$/.test(name)) {
  console.error(USAGE);
  process.exit(EXIT_USAGE);
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
execFileSync("biome", ["format", "--write", folder], { stdio: "inherit" });

const root = join(import.meta.dirname, "..", "..");
const faults = readDatabases(root).flatMap(({ migrations }) => unsafeDrops(migrations));
if (faults.length > 0) {
  console.error(`\nRewrite this migration before you commit it:\n${faults.join("\n")}\n${REBUILD_ADVICE}`);
  process.exit(1);
}
