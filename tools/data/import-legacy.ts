import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SingleBar } from "cli-progress";
import { judgeLegacyRow, type LegacyAccount, storeLegacyAccounts } from "#app/accounts/legacy/legacy-import.server.ts";
import { emailKey } from "#app/email-address.ts";
import { EXIT_USAGE, oneLine, readArguments, STATE_DIR_OPTION } from "#tools/run/command-line.ts";
import { openDatabase, whenFree } from "#tools/run/database.ts";
import { requireState, resolveStateDir } from "#tools/run/state-files.ts";
import { QUOTES, type Quotes } from "./csv-records.ts";
import { type Column, chooseColumns, rowUnder } from "./legacy-columns.ts";
import { type ExportRow, encodingHint, readExport } from "./legacy-export.ts";

const USAGE = `npm run import:legacy -- FILE [options]

FILE is an export of the previous system's users table: .csv, .tsv, .txt, .json or .jsonl, with the columns' names.
See docs/old-system.md for how to export it. Refused rows are printed one per line to stdout, progress to stderr.

  --dry-run              read and check every row, store nothing
  --remote               store in the deployed database instead of the local one
  --state-dir DIR        the folder with the local state (default: STATE_DIR, else .local)
  --map NAME=COLUMN      the column for email, hash, full_name or created_at; may be repeated
  --quotes STYLE         how cells are written: quoted with doubled quotes (""), quoted with backslash (\\"), with escapes
                         (\\t, \\n and \\\\, never quoted) or none (every character is text)
  --encoding NAME        the encoding of a file that is not UTF-8, such as windows-1250
  --skip-broken          import the other rows of a file in which rows end early or quotes are stray`;

const BATCH = 500;
const SHOWN_LETTERS = 5;
const CLOSED = "imported before, then deleted or changed by its owner";
const TAKEN = "an account that signed up here has this address in another spelling, and stays as it is";
const BROKEN =
  "Where a row ends early or a quote is stray, the next lines may be part of somebody's name. Fix these lines and import again.";

const { values: options, positionals } = readArguments({
  usage: USAGE,
  options: {
    "dry-run": { type: "boolean", default: false },
    remote: { type: "boolean", default: false },
    ...STATE_DIR_OPTION,
    map: { type: "string", multiple: true, default: [] as string[] },
    quotes: { type: "string" },
    encoding: { type: "string" },
    "skip-broken": { type: "boolean", default: false },
  },
  min: 1,
  max: 1,
});
// npm runs scripts in the project folder, so resolve against the folder it was called from.
const file = resolve(process.env.INIT_CWD ?? ".", positionals[0] ?? "");

if (!existsSync(file)) {
  console.error(`File not found: ${file}`);
  process.exitCode = EXIT_USAGE;
} else {
  try {
    process.exitCode = await importFile(file);
  } catch (error) {
    console.error(`Stopped: ${oneLine(error)} Stored rows are kept; import again.`);
    process.exitCode = 1;
  }
}

async function importFile(path: string): Promise<number> {
  if (!options.remote && !options["dry-run"]) requireState(resolveStateDir(options["state-dir"]));
  const { rows, readAs } = readExport(path, { quotes: quotesOption(), encoding: options.encoding });
  console.error(readAs);
  const letters = readAs.includes("Windows-1252") ? guessedLetters(rows) : "";
  if (letters) console.error(`Check that these letters are right: ${letters}.`);
  const { accounts, refusals } = judgeRows(rows);
  const hint = encodingHint(rows);
  const isBroken = rows.some((row) => "why" in row && row.broken);
  if (isBroken && !options["skip-broken"]) {
    print(refusals);
    console.error(`${rows.length} rows: nothing stored. ${BROKEN}`);
    return 1;
  }
  const { stored, refused } = await store(accounts);
  print([...refusals, ...refused]);
  const counts = [`${stored} ${options["dry-run"] ? "valid" : "stored"}`];
  counts.push(`${accounts.length - stored - refused.length} already existed`);
  counts.push(`${refusals.length + refused.length} refused`);
  console.error(`${rows.length} rows: ${counts.join(", ")}.`);
  if (hint) console.error(hint);
  reportRounds(accounts);
  return 0;
}

/** Returns the first cells with letters outside ASCII, each with its line: an older encoding is known by its letters alone. */
function guessedLetters(rows: ExportRow[]): string {
  const cells = rows.flatMap((row) =>
    "columns" in row ? Object.values(row.columns).map((text) => ({ line: row.line, text })) : [],
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
  const guessed = cells.filter(({ text }) => /[^\u0000-\u007f]/.test(text)).slice(0, SHOWN_LETTERS);
  return guessed.map(({ line, text }) => `line ${line}, ${printable(text)}`).join("; ");
}

/** `written`: the address as the file has it. */
type Judged = LegacyAccount & { line: number; written: string };
type Refusal = { line: number; email: string; why: string };

/** Returns the accounts to store, and why the other rows are refused. */
function judgeRows(rows: ExportRow[]): { accounts: Judged[]; refusals: Refusal[] } {
  const names = new Set(rows.flatMap((row) => ("columns" in row ? Object.keys(row.columns) : [])));
  const columns = names.size > 0 ? chooseColumns([...names], options.map) : new Map<Column, string>();
  const refusals: Refusal[] = [];
  const byEmail = new Map<string, Judged[]>();
  const now = Date.now();
  for (const row of rows) {
    const { line } = row;
    if ("why" in row) {
      refusals.push({ line, email: "", why: row.why });
      continue;
    }
    const legacy = rowUnder(columns, row.columns);
    const judged = judgeLegacyRow(legacy, now);
    if (!judged.ok) {
      refusals.push({ line, email: legacy.email ?? "", why: judged.why });
      continue;
    }
    const key = emailKey(judged.account.email);
    const account = { ...judged.account, line, written: (legacy.email ?? "").trim() };
    byEmail.set(key, [...(byEmail.get(key) ?? []), account]);
  }
  const accounts = [...byEmail.values()].flatMap((same) => {
    const { kept, repeated } = chooseRow(same);
    refusals.push(...repeated);
    return kept;
  });
  return { accounts, refusals };
}

/**
 * Chooses the row of an address: the first, or none if they differ in their password, or were two addresses in the old
 * system. Nobody can tell whose it is.
 */
function chooseRow(same: Judged[]): { kept: Judged[]; repeated: Refusal[] } {
  const [first] = same;
  const hasSameHash = same.every(({ hash }) => hash === first?.hash);
  const isSame = hasSameHash && same.every(({ written }) => written.toLowerCase() === first?.written.toLowerCase());
  const differing = hasSameHash ? ", in another spelling" : ", with another password";
  const repeated = (isSame ? same.slice(1) : same).map(({ line, written: email }) => {
    const others = same.filter((other) => other.line !== line).map((other) => other.line);
    const which = `line${others.length === 1 || isSame ? "" : "s"} ${isSame ? first?.line : others.join(", ")}`;
    return { line, email, why: `same email address as ${which}${isSame ? "" : differing}` };
  });
  return { kept: isSame ? same.slice(0, 1) : [], repeated };
}

/** Stores the accounts. Returns how many were new, and which addresses get none. */
async function store(accounts: Judged[]): Promise<{ stored: number; refused: Refusal[] }> {
  if (options["dry-run"]) return { stored: accounts.length, refused: [] };
  const database = await openDatabase({ remote: options.remote, stateDir: options["state-dir"] });
  const bar = new SingleBar({ format: "{bar} {percentage}%  {value} rows" });
  bar.start(accounts.length, 0);
  try {
    let stored = 0;
    const refused: Refusal[] = [];
    for (let at = 0; at < accounts.length; at += BATCH) {
      const batch = accounts.slice(at, at + BATCH);
      const done = await whenFree(() => storeLegacyAccounts(database.binding, batch));
      stored += done.stored;
      const [closed, taken] = [new Set(done.closed), new Set(done.taken)];
      for (const { line, email, written } of batch) {
        if (closed.has(email)) refused.push({ line, email: written, why: CLOSED });
        // Written alike, it is the address of an account that exists, as on a second import.
        if (taken.has(email) && email.toLowerCase() !== written.toLowerCase()) {
          refused.push({ line, email: written, why: TAKEN });
        }
      }
      bar.update(at + batch.length);
    }
    return { stored, refused };
  } finally {
    bar.stop();
    await database.close();
  }
}

function print(refusals: Refusal[]): void {
  for (const { line, email, why } of refusals.toSorted((a, b) => a.line - b.line)) {
    console.log(`line ${line}: ${printable(email)}: ${why}`);
  }
}

function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, " ");
}

function reportRounds(accounts: LegacyAccount[]): void {
  const rounds = Map.groupBy(accounts, ({ hash }) => Number(hash.slice(4, 6)));
  const byRounds = [...rounds].sort(([a], [b]) => a - b).map(([n, { length }]) => `${length} with ${n}`);
  if (byRounds.length > 0) console.error(`Hash rounds: ${byRounds.join(", ")}.`);
}

function quotesOption(): Quotes | undefined {
  const { quotes } = options;
  const found = QUOTES.find((known) => known === quotes);
  if (quotes === undefined || found) return found;
  throw new Error(`--quotes takes ${QUOTES.join(", ")}, not "${quotes}"`);
}
