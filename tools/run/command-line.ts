import { type ParseArgsConfig, parseArgs } from "node:util";

/** A failure that an operator can do something about. Its message is all they need. */
export class CommandError extends Error {
  override name = "CommandError";
}

/** Arguments that a command can't run with. */
export class UsageError extends CommandError {
  override name = "UsageError";
}

export const EXIT_USAGE = 2;

type Options = NonNullable<ParseArgsConfig["options"]>;
type Parsed<T extends Options> = ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>>;

/** The folder with a local copy's state, for every command that reads or writes one. */
export const STATE_DIR_OPTION = {
  "state-dir": { type: "string", default: process.env.STATE_DIR || ".local" },
} as const;

/**
 * Reads the arguments of a command. Prints `usage` and ends the process on `--help`, and with the fault before it on
 * arguments that the command doesn't know. From here on, any failure ends the command with one line: see `failInOneLine`.
 */
export function readArguments<T extends Options>({
  usage,
  options,
  min = 0,
  max = 0,
}: {
  usage: string;
  options: T;
  /** How many positional arguments the command takes. */
  min?: number;
  max?: number;
}): Parsed<T> {
  failInOneLine();
  const args = process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true });
    const given = parsed.positionals.length;
    if (given > max) throw new UsageError(`Unexpected argument "${parsed.positionals[max]}"`);
    if (given < min) throw new UsageError("An argument is missing");
    return parsed as Parsed<T>;
  } catch (error) {
    const [fault] = oneLine(error).split(". ");
    console.error(`${fault}.\n\n${usage}`);
    return process.exit(EXIT_USAGE);
  }
}

/** Returns the number that an option was given. Throws unless it is a whole number from `min`. */
export function wholeNumber(option: string, given: string, min = 0): number {
  const number = Number(given);
  if (given.trim() !== "" && Number.isSafeInteger(number) && number >= min) return number;
  throw new UsageError(`${option} takes a whole number from ${min}, not "${given}".`);
}

/** Ends this process with one line for any error that nothing caught. DEBUG=1, or a bug of ours, shows the stack as well. */
export function failInOneLine(): void {
  process.once("uncaughtException", (error: unknown) => {
    console.error(oneLine(error));
    if (process.env.DEBUG || isBug(error)) console.error(error);
    process.exit(error instanceof UsageError ? EXIT_USAGE : 1);
  });
}

/** A failed fetch is a TypeError as well, but has a cause. */
function isBug(error: unknown): boolean {
  return (error instanceof TypeError || error instanceof ReferenceError) && error.cause === undefined;
}

/**
 * Returns what went wrong as one line. An error of ours says it itself. Of a library's error, the innermost cause does:
 * Drizzle's message is the query with its values.
 */
export function oneLine(error: unknown): string {
  let told = error;
  while (told instanceof Error && !(told instanceof CommandError) && told.cause) told = told.cause;
  if (told instanceof CommandError) return told.message;
  const text = told instanceof Error ? told.message || told.name : String(told);
  return text.split("\n")[0] || "It failed without a reason.";
}
