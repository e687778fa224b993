import { cutText } from "#app/cut-text.ts";
import { redact } from "./redact.ts";

type Fields = Record<string, string | number | boolean | null | undefined>;

const MAX_LINE_CHARACTERS = 300;

/** Writes one JSON object per line: `time`, `level`, `message` and the given fields, redacted. */
export function log(level: "info" | "warn" | "error", message: string, fields: Fields = {}): void {
  const written = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "string" ? redact(value) : value,
  ]);
  const line = JSON.stringify({ time: new Date().toISOString(), level, message, ...Object.fromEntries(written) });
  if (level === "error") console.error(line);
  else console.log(line);
}

/** Logs a thrown error with its stack. For a failed query, logs the statement and the database's reason, but no values. */
export function logError(message: string, error: unknown, fields: Fields = {}): void {
  log("error", message, { ...fields, ...errorFields(error) });
}

function errorFields(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: String(error) };
  const text = isFailedQuery(error) ? `${errorFields(error.cause).error} in ${error.query}` : error.message;
  return { error: text, stack: error.stack?.replace(error.message, () => text) };
}

/** Returns the first line of what was thrown, redacted, for people. For a failed query, without its values. */
export function firstLine(error: unknown): string {
  const [line = ""] = String(errorFields(error).error).split("\n");
  return cutText(redact(line), MAX_LINE_CHARACTERS);
}

/** Drizzle's message of a failed query contains its values, such as password hashes and addresses. */
function isFailedQuery(error: Error): error is Error & { query: string } {
  return "query" in error && "params" in error;
}

/** Runs `work` and returns whether it succeeded. Logs a thrown error, so that one failing item never stops the next. */
export async function runLogged(message: string, fields: Fields, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    logError(message, error, fields);
    return false;
  }
}
