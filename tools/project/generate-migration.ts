import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** `npm run db:generate -- NAME`: writes the next migration from the schema, every new table STRICT. */
const name = process.argv[2];
if (!name) {
  console.error("Give the migration a name: npm run db:generate -- add_webhooks");
  process.exit(2);
}
const before = new Set(readdirSync("migrations"));
execFileSync("drizzle-kit", ["generate", "--name", name], { stdio: "inherit" });
for (const file of readdirSync("migrations")) {
  if (!file.endsWith(".sql") || before.has(file)) continue;
  const path = `migrations/${file}`;
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(/^\);$/gm, ") STRICT;"));
}
