type Fields = Record<string, string | number | boolean | null | undefined>;

/** Writes one JSON object per line: `time`, `level`, `message` and the given fields. */
export function log(level: "info" | "warn" | "error", message: string, fields: Fields = {}): void {
  const line = JSON.stringify({ time: new Date().toISOString(), level, message, ...fields });
  if (level === "error") console.error(line);
  else console.log(line);
}

export function logError(message: string, error: unknown, fields: Fields = {}): void {
  const detail = error instanceof Error ? { error: error.message, stack: error.stack } : { error: String(error) };
  log("error", message, { ...fields, ...detail });
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
