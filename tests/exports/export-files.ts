import { join } from "node:path";
import { readExport } from "#tools/data/legacy-export.ts";

/**
 * The users of old-users.sql as programs of Debian 12 wrote them in November 2026: MariaDB 10.11.19 (client, server and
 * mariadb-dump), phpMyAdmin 5.2.1, Adminer 4.8.1, mycli 1.26.1, PHP 8.2.36, SQLite 3.40.1, pandas 1.5.3, csvkit 1.0.7, Miller
 * 6.6.0, xlsx2csv 0.7.8, Gnumeric 1.12.55 and LibreOffice 7.4.7, each by write-exports.sh. Four programs can't run here: the files
 * of HeidiSQL, DBeaver and MySQL Workbench are written by what their source does, Excel's by public descriptions. The script of
 * each names what was read. Oracle's `mysql -B` escapes as MariaDB's does (its source, of MySQL 5.7).
 */
export const KEPT_FILES = join(import.meta.dirname, "files");

/** What a file is read as. `names` are those that differ from the table's; `refused` says why nothing is read. */
export type ExportCase = { readAs: string; names?: Record<string, string | null> } | { refused: string };

/** A workbook and a CSV without quotes around NULL hold no difference between a missing value and a text. */
const NO_NULL = { null: "" };
const NO_NULLS = { ...NO_NULL, "slash-n": "" };
/** A workbook of openpyxl that was given no carriage returns. */
const WORKBOOK = { cr: "OldMac", crlf: "Dos\nLines" };
const WESTERN = { ...NO_NULLS, emoji: "Party ? Person", accent: "Jose? Decomposed" };
const EXCEL = { ...NO_NULLS, cr: "Old\nMac", crlf: "Dos\nLines" };
const CSVKIT = { ...NO_NULL, cr: "Old\nMac", crlf: "Dos\n\nLines" };
const DUMP = "a dump in SQL";
const TWO_WAYS = "can be read in two ways";

export const EXPORT_CASES: Record<string, ExportCase> = {
  "mariadb-batch.tsv": { readAs: "UTF-8 with tabs between cells, no quotes, and \\t, \\n", names: NO_NULL },
  "mariadb-raw.tsv": {
    readAs: "neither quotes nor escapes",
    // Written without the rows that --raw breaks.
    names: { ...NO_NULLS, tab: null, lines: null, crlf: null },
  },
  "mariadb-table.txt": { refused: "drawn for a terminal" },
  "mariadb.xml": { refused: "XML or HTML" },
  "mariadb-dump.sql": { refused: DUMP },
  "mariadb-dump.xml": { refused: "XML or HTML" },
  "outfile.txt": { readAs: "tabs between cells, no quotes, and \\t, \\n and \\\\ as INTO OUTFILE" },
  "outfile-comma.csv": { readAs: "commas between cells, no quotes, and \\t, \\n and \\\\ as INTO OUTFILE" },
  "outfile-quoted.csv": { readAs: 'quotes around cells, \\" and \\\\ inside them' },
  // ESCAPED BY '"' writes a quote before a carriage return too, and NULL as "N.
  "outfile-doubled.csv": { refused: TWO_WAYS },
  "outfile-no-names.txt": { refused: "the first line is a row, not the names of the columns" },
  "phpmyadmin.csv": { readAs: 'commas between cells, quotes around cells, "" inside them' },
  "phpmyadmin-escaped.csv": { readAs: 'semicolons between cells, quotes around cells, \\" and \\\\' },
  "phpmyadmin-excel.csv": { readAs: "semicolons between cells", names: { cr: "Old\nMac", crlf: "Dos\nLines" } },
  "phpmyadmin.json": { readAs: "JSON in UTF-8" },
  "phpmyadmin.sql": { refused: DUMP },
  "adminer.csv": { readAs: 'commas between cells, quotes around cells, ""', names: NO_NULLS },
  "adminer-semicolons.csv": { readAs: "semicolons between cells, quotes around cells", names: NO_NULLS },
  "adminer.tsv": { readAs: "tabs between cells, quotes around cells", names: NO_NULLS },
  // Its JSON plugin writes a tab as it is, which JSON doesn't allow.
  "adminer.json": { readAs: "JSON in UTF-8" },
  "adminer.sql": { refused: DUMP },
  // Without --charset utf8mb4, the server gives it an emoji as a question mark.
  "mycli.csv": { readAs: "commas between cells, quotes around cells", names: { emoji: "Party ? Person" } },
  "mycli-utf8mb4.csv": { readAs: "commas between cells, quotes around cells" },
  "heidisql-excel.csv": { readAs: "UTF-8 with semicolons between cells, quotes around cells" },
  "heidisql-delimited.csv": {
    readAs: "semicolons between cells, neither quotes nor escapes",
    // Written without the rows that it cuts.
    names: { ...NO_NULLS, semi: null, lines: null, crlf: null },
  },
  "heidisql.json": { readAs: "JSON in UTF-8" },
  "heidisql.md": { refused: "drawn with bars" },
  "heidisql.textile": { refused: "drawn with bars" },
  "dbeaver.csv": { readAs: "commas between cells, quotes around cells", names: NO_NULLS },
  "dbeaver.json": { readAs: "JSON in UTF-8" },
  "workbench.csv": { readAs: "commas between cells, quotes around cells", names: NO_NULLS },
  "workbench-semicolons.csv": { readAs: "semicolons between cells, quotes around cells", names: NO_NULLS },
  // Written without the rows that it cuts. It quotes the cell with a tab and no other, so that row is refused.
  "workbench-tabs.txt": {
    readAs: "tabs between cells, neither quotes nor escapes",
    names: { ...NO_NULLS, lines: null, crlf: null, tab: null },
  },
  "workbench.json": { readAs: "JSON in UTF-8" },
  "workbench-wizard.csv": { readAs: "semicolons between cells, quotes around cells" },
  "workbench-wizard.json": { readAs: "JSON in UTF-8" },
  "workbench-wizard-windows.csv": {
    readAs: "Windows-1252 with semicolons between cells, quotes around cells",
    // It stops at letters that Windows-1252 lacks, and Python writes each line feed as Windows does.
    names: { emoji: null, accent: null, lines: "Two\r\nLines", crlf: "Dos\r\r\nLines" },
  },
  // One name is a\"b: PHP doubles no quote after a backslash, unless it is told to write no escapes.
  "php-fputcsv.csv": { refused: TWO_WAYS },
  "php-fputcsv-semicolons.csv": { refused: TWO_WAYS },
  "php-fputcsv-no-escape.csv": { readAs: 'commas between cells, quotes around cells, ""', names: NO_NULLS },
  "php-json.json": { readAs: "JSON in UTF-8" },
  "sqlite.csv": { readAs: "commas between cells", names: NO_NULLS },
  // Neither -tabs nor -separator quotes anything: rows are cut, so an import stores nothing.
  "sqlite-tabs.tsv": {
    readAs: "neither quotes nor escapes",
    names: { ...NO_NULLS, tab: null, lines: null, crlf: null, cr: null },
  },
  "sqlite-list.csv": {
    readAs: "semicolons between cells, neither quotes nor escapes",
    names: { ...NO_NULLS, lines: null, crlf: null, none: null, semi: null },
  },
  "sqlite-dump.sql": { refused: DUMP },
  "sqlite.json": { readAs: "JSON in UTF-8" },
  "pandas.csv": { readAs: "commas between cells", names: NO_NULLS },
  "pandas-escaped.csv": { readAs: '\\" and \\\\ inside them', names: NO_NULL },
  "pandas-tabs.tsv": { readAs: "tabs between cells, quotes around cells", names: NO_NULLS },
  "pandas-utf16.txt": { readAs: "UTF-16 with tabs between cells, quotes around cells", names: NO_NULLS },
  "pandas-all-quoted.csv": { readAs: "semicolons between cells" },
  "pandas-western.csv": { readAs: "Windows-1252 with semicolons", names: WESTERN },
  "pandas.jsonl": { readAs: "JSON in UTF-8" },
  // csvkit takes a cell NULL for a missing value, and a carriage return for a line feed.
  "csvkit.csv": { readAs: "commas between cells", names: { ...CSVKIT, "slash-n": "" } },
  "csvkit.tsv": { readAs: "tabs between cells", names: { ...CSVKIT, "slash-n": "" } },
  "csvkit-quoted.csv": { readAs: "semicolons between cells", names: CSVKIT },
  // Miller has no missing value in CSV and TSV: JSON's null becomes a word.
  "miller.csv": { readAs: "commas between cells", names: { ...NO_NULLS, none: "null" } },
  "miller.tsv": { readAs: "tabs between cells, no quotes, and \\t, \\n", names: { ...NO_NULL, none: "null" } },
  "miller.jsonl": { readAs: "JSON in UTF-8" },
  "openpyxl.xlsx": { refused: "a workbook or an archive" },
  "xlsx2csv.csv": { readAs: "commas between cells", names: { ...WORKBOOK, ...NO_NULLS } },
  "xlsx2csv.tsv": { readAs: "tabs between cells", names: { ...WORKBOOK, ...NO_NULLS } },
  "gnumeric.csv": { readAs: "commas between cells", names: { ...WORKBOOK, ...NO_NULLS } },
  "gnumeric-quoted.csv": { readAs: "semicolons between cells", names: WORKBOOK },
  "gnumeric-western.txt": {
    readAs: "Windows-1252 with tabs",
    names: { ...WORKBOOK, ...WESTERN, accent: "Jose Decomposed" },
  },
  "libreoffice.csv": { readAs: "commas between cells", names: { ...WORKBOOK, ...NO_NULLS } },
  "libreoffice-quoted.csv": { readAs: "semicolons between cells", names: WORKBOOK },
  "libreoffice-western.csv": { readAs: "Windows-1252 with semicolons", names: { ...WORKBOOK, ...WESTERN } },
  "libreoffice-utf16.txt": { readAs: "UTF-16 with tabs", names: { ...WORKBOOK, ...NO_NULLS } },
  "excel-utf8.csv": { readAs: "UTF-8 with commas", names: EXCEL },
  "excel-german.csv": { readAs: "Windows-1252 with semicolons", names: { ...EXCEL, ...WESTERN } },
  "excel-separator-line.csv": { readAs: "UTF-8 with semicolons", names: EXCEL },
  "excel-separator-line-utf16.csv": { readAs: "UTF-16 with semicolons", names: EXCEL },
  "excel-unicode-text.txt": { readAs: "UTF-16 with tabs", names: EXCEL },
  "excel-german-utf8.csv": { readAs: "UTF-8 with semicolons", names: EXCEL },
  // The letters of MS-DOS and of Mac OS can't be told: their rows are refused until the encoding is named.
  "excel-dos.csv": { readAs: "UTF-8 with semicolons", names: { ...EXCEL, ...WESTERN, zoe: null } },
  "excel-mac.csv": {
    readAs: "UTF-8 with commas",
    names: { ...EXCEL, emoji: "Party _ Person", accent: "Jose_ Decomposed", zoe: null },
  },
  "excel-mac-english.csv": {
    readAs: "UTF-8 with commas",
    names: { ...EXCEL, emoji: null, accent: null, zoe: null },
  },
};

export type Account = { password: string; name: string; day: string };

/** Returns the accounts of the table by the part of their address before the @, as PHP wrote them in JSON. */
export function tableOf(folder: string): Record<string, Account> {
  return accountsOf(join(folder, "php-json.json")).accounts;
}

/** Reads a file with the accounts in it that would be imported. */
export function accountsOf(file: string): { accounts: Record<string, Account>; readAs: string } {
  const { rows, readAs } = readExport(file);
  const found = rows.flatMap((row): [string, Account][] => {
    if (!("columns" in row)) return [];
    const { email = "", password = "", full_name: name = "", created_at: day = "" } = row.columns;
    return [[email.replace("@old.example", ""), { password, name, day: day.slice(0, 10) }]];
  });
  return { accounts: Object.fromEntries(found), readAs };
}

/** Returns the accounts that a file must be read as: the table's, but with what the program changed or lost. */
export function expectedAccounts(table: Record<string, Account>, names: Record<string, string | null> = {}) {
  const expected = Object.entries(table).map(([email, account]) => [
    email,
    { ...account, name: names[email] ?? account.name },
  ]);
  return Object.fromEntries(expected.filter(([email]) => names[String(email)] !== null));
}
