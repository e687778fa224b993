import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** Returns the files that the commands of package.json run, with the arguments that are part of the command. */
export function packageCommands(): [string, string[]][] {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const found = Object.values(scripts).flatMap((script) =>
    [...script.matchAll(/node (?:tools\/bootstrap\.mjs )?((?:tools|tests|bench)\/\S+\.ts)([^&]*)/g)].map(
      ([, file = "", args = ""]): [string, string[]] => [file, args.trim() === "" ? [] : args.trim().split(" ")],
    ),
  );
  return [...new Map(found)];
}
