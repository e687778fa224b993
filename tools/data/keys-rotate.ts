import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "#app/db/db.server.ts";
import { openDatabase, whenFree } from "#tools/run/database.ts";
import { resealAll } from "./reseal.ts";

const USAGE = `npm run keys:rotate -- [--new-key] [--state-dir DIR]      a local copy, while it is stopped
ENCRYPTION_KEYS=… npm run keys:rotate -- --remote           the deployed database

Re-encrypts stored tokens, keys and secrets with the first entry of ENCRYPTION_KEYS ("2:base64,1:base64").
--new-key first adds a new entry to the local copy's keys. For the deployed database, first set the new value with
"wrangler secret put ENCRYPTION_KEYS": the new entry, followed by the old ones.`;

const { values: options } = parseArgs({
  options: {
    remote: { type: "boolean", default: false },
    "new-key": { type: "boolean", default: false },
    "state-dir": { type: "string", default: process.env.STATE_DIR ?? ".local" },
  },
});

const keys = readKeys();
if (keys === null || (options.remote && options["new-key"])) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  const database = await openDatabase({ remote: options.remote, stateDir: options["state-dir"] });
  try {
    const columns = await whenFree(() => resealAll(connect(database.binding), keys));
    for (const { column, current, resealed, unreadable } of columns) {
      console.log(`${column.padEnd(34)} ${resealed} re-encrypted, ${current} up to date, ${unreadable} unreadable`);
    }
    const unreadable = columns.some((column) => column.unreadable > 0);
    const [newest, ...older] = keys.split(",").map((entry) => entry.trim().split(":")[0]);
    const left = older.length > 0 ? ` You can remove key version ${older.join(", ")}.` : "";
    console.log(
      unreadable
        ? "Some values were encrypted with a key that is missing here."
        : `All values are encrypted with key version ${newest}.${left}`,
    );
    process.exitCode = unreadable ? 1 : 0;
  } finally {
    await database.close();
  }
}

function readKeys(): string | null {
  if (options.remote) return process.env.ENCRYPTION_KEYS || null;
  const file = join(options["state-dir"], "secrets.json");
  const secrets = JSON.parse(readFileSync(file, "utf8")) as { ENCRYPTION_KEYS: string };
  if (!options["new-key"]) return secrets.ENCRYPTION_KEYS;
  const versions = secrets.ENCRYPTION_KEYS.split(",").map((entry) => Number(entry.split(":")[0]));
  const entry = `${Math.max(...versions) + 1}:${randomBytes(32).toString("base64")}`;
  secrets.ENCRYPTION_KEYS = `${entry},${secrets.ENCRYPTION_KEYS}`;
  writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  return secrets.ENCRYPTION_KEYS;
}
