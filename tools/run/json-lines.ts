import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
} from "node:fs";

const NEWLINE = 10;

/** Adds a value as a line of JSON, whole or not at all. Throws if it can't be written. */
export function appendJsonLine(file: string, value: unknown): void {
  const handle = openSync(file, "a+", 0o600);
  try {
    const { size } = fstatSync(handle);
    const last = Buffer.alloc(1);
    if (size > 0) readSync(handle, last, 0, 1, size - 1);
    // A killed process has left half a line.
    const start = size > 0 && last[0] !== NEWLINE ? "\n" : "";
    try {
      writeFileSync(handle, `${start}${JSON.stringify(value)}\n`);
    } catch (error) {
      if (fstatSync(handle).isFile()) ftruncateSync(handle, size);
      throw error;
    }
  } finally {
    closeSync(handle);
  }
}

/** Returns the values in a file of JSON lines, without lines of which a part is missing. */
export function readJsonLines<T>(file: string): T[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as T];
      } catch {
        return [];
      }
    });
}
