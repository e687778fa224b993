import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Runs commands with an option that none knows, one after another in one process, because loading what they share takes
 * a second. Prints what each wrote to stderr and its exit code, as JSON. Arguments: their files, each followed by the
 * arguments of the command up to the option "--no-such-option".
 */

class Exit extends Error {}

const UNKNOWN = "--no-such-option";
const commands: string[][] = [[]];
for (const argument of process.argv.slice(2)) {
  commands.at(-1)?.push(argument);
  if (argument === UNKNOWN) commands.push([]);
}

const results: Record<string, { stderr: string; status: unknown }> = {};
const print = console.log;
let stderr = "";
console.error = (text: string) => {
  stderr += `${text}\n`;
};
process.exit = (code?: number | string | null) => {
  throw new Exit(String(code));
};
for (const [file, ...args] of commands) {
  if (file === undefined) continue;
  stderr = "";
  process.argv = [process.execPath, resolve(file), ...args];
  const status = await import(pathToFileURL(file).href).then(
    () => "it ran",
    (error: unknown) => (error instanceof Exit ? Number(error.message) : String(error)),
  );
  results[file] = { stderr, status };
}
print(JSON.stringify(results));
