import { createReadStream, readFileSync, statSync } from "node:fs";
import { parse } from "csv-parse";
import { z } from "zod";

/**
 * A row of the export. `line` is the line in a CSV file or the number in a JSON file. `done` is the progress, 0 to 1.
 */
export type ExportRow = { line: number; done: number; columns: Record<string, string> };

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const rows = z.array(z.record(z.string(), cell));
/** phpMyAdmin writes a list of parts; tables hold their rows in `data`. */
const phpMyAdminParts = z.array(z.object({ type: z.string() }).loose());
const phpMyAdminTable = z.object({ type: z.literal("table"), data: rows });

/** Streams a CSV file. Reads JSON (a list of objects or phpMyAdmin's export) and JSON lines into memory. */
export async function* readExport(file: string): AsyncGenerator<ExportRow> {
  if (/\.(json|jsonl|ndjson)$/i.test(file)) yield* readJson(file);
  else yield* readCsv(file);
}

async function* readCsv(file: string): AsyncGenerator<ExportRow> {
  const bytes = statSync(file).size;
  const parser = parse({
    bom: true,
    columns: (names: string[]) => names.map((name) => name.trim().toLowerCase()),
    delimiter: [",", ";", "\t"],
    info: true,
    // phpMyAdmin escapes quotes in two ways.
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  createReadStream(file)
    .on("error", (error) => parser.destroy(error))
    .pipe(parser);
  for await (const { record, info } of parser) {
    yield { line: info.lines, done: info.bytes / bytes, columns: record as Record<string, string> };
  }
}

function* readJson(file: string): Generator<ExportRow> {
  const text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  const list = text.trimStart().startsWith("[") ? rowsOf(JSON.parse(text)) : rows.parse(jsonLines(text));
  for (const [i, row] of list.entries()) {
    const columns = Object.entries(row).flatMap(([name, value]) =>
      value === null ? [] : [[name.toLowerCase(), String(value)] as const],
    );
    yield { line: i + 1, done: (i + 1) / list.length, columns: Object.fromEntries(columns) };
  }
}

function rowsOf(parsed: unknown): z.output<typeof rows> {
  const parts = phpMyAdminParts.safeParse(parsed);
  const tables = parts.success ? parts.data.flatMap((part) => phpMyAdminTable.safeParse(part).data ?? []) : [];
  const [table, second] = tables;
  if (second) throw new Error("the file holds more than one table: export the users table alone");
  return table ? table.data : rows.parse(parsed);
}

function jsonLines(text: string): unknown[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as unknown);
}
