import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { SingleBar } from "cli-progress";
import { judgeLegacyRow, type LegacyAccount, storeLegacyAccounts } from "#app/accounts/legacy/legacy-import.server.ts";
import { openDatabase, whenFree } from "#tools/run/database.ts";
import { type Column, chooseColumns, rowUnder } from "./legacy-columns.ts";
import { type ExportRow, readExport } from "./legacy-export.ts";

const USAGE = `npm run import:legacy -- FILE [options]

FILE is an export of the previous system's users table: .csv, .json or .jsonl.
Refused rows are printed one per line to stdout, progress to stderr.

  --dry-run              read and check every row, store nothing
  --remote               store in the deployed database instead of the local one
  --state-dir DIR        the folder with the local state (default: STATE_DIR, else .local)
  --map NAME=COLUMN      the column for email, hash, full_name or created_at; may be repeated`;

const BATCH = 500;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "dry-run": { type: "boolean", default: false },
    remote: { type: "boolean", default: false },
    "state-dir": { type: "string", default: process.env.STATE_DIR ?? ".local" },
    map: { type: "string", multiple: true, default: [] },
    help: { type: "boolean", default: false },
  },
});
// npm runs scripts in the project folder, so resolve against the folder it was called from.
const file = positionals[0] && resolve(process.env.INIT_CWD ?? ".", positionals[0]);

if (options.help || file === undefined || positionals.length > 1) {
  console.error(USAGE);
  process.exitCode = options.help ? 0 : 2;
} else if (!existsSync(file)) {
  console.error(`File not found: ${file}`);
  process.exitCode = 2;
} else {
  try {
    process.exitCode = await importFile(file);
  } catch (error) {
    console.error(
      `Stopped: ${error instanceof Error ? error.message : error}. Stored rows are kept; run the import again.`,
    );
    process.exitCode = 1;
  }
}

async function importFile(path: string): Promise<number> {
  const database = options["dry-run"]
    ? null
    : await openDatabase({ remote: options.remote, stateDir: options["state-dir"] });
  try {
    return report(await importRows(readExport(path), database?.binding ?? null));
  } finally {
    await database?.close();
  }
}

type Counts = { read: number; stored: number; there: number; refused: number; rounds: Map<number, number> };

async function importRows(rows: AsyncIterable<ExportRow>, database: D1Database | null): Promise<Counts> {
  const counts: Counts = { read: 0, stored: 0, there: 0, refused: 0, rounds: new Map() };
  const lineOf = new Map<string, number>();
  const bar = new SingleBar({ format: "{bar} {percentage}%  {rows} rows, {refused} refused", stopOnComplete: false });
  bar.start(1, 0, { rows: 0, refused: 0 });
  let columns: Map<Column, string> | undefined;
  let batch: LegacyAccount[] = [];
  const store = async () => {
    if (batch.length === 0) return;
    const stored = database ? await whenFree(() => storeLegacyAccounts(database, batch)) : batch.length;
    counts.stored += stored;
    counts.there += batch.length - stored;
    batch = [];
  };
  try {
    for await (const row of rows) {
      columns ??= chooseColumns(Object.keys(row.columns), options.map);
      counts.read++;
      const judged = judgeLegacyRow(rowUnder(columns, row.columns), Date.now());
      const email = judged.ok ? judged.account.email.toLowerCase() : "";
      const first = lineOf.get(email);
      const why = judged.ok ? (first === undefined ? null : `same email address as line ${first}`) : judged.why;
      if (why !== null) {
        counts.refused++;
        console.log(`line ${row.line}: ${row.columns[columns.get("email") ?? ""] ?? ""}: ${why}`);
      } else if (judged.ok) {
        lineOf.set(email, row.line);
        const rounds = Number(judged.account.hash.slice(4, 6));
        counts.rounds.set(rounds, (counts.rounds.get(rounds) ?? 0) + 1);
        batch.push(judged.account);
        if (batch.length === BATCH) await store();
      }
      if (counts.read % BATCH === 0) bar.update(row.done, { rows: counts.read, refused: counts.refused });
    }
    await store();
    bar.update(1, { rows: counts.read, refused: counts.refused });
  } finally {
    bar.stop();
  }
  return counts;
}

function report({ read, stored, there, refused, rounds }: Counts): number {
  const what = options["dry-run"] ? "valid" : "stored";
  console.error(`${read} rows: ${stored} ${what}, ${there} already existed, ${refused} refused.`);
  const byRounds = [...rounds].sort(([a], [b]) => a - b).map(([n, count]) => `${count} with ${n}`);
  if (byRounds.length > 0) console.error(`Hash rounds: ${byRounds.join(", ")}.`);
  return 0;
}
