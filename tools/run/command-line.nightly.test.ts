import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageCommands } from "./package-commands.ts";

const root = join(import.meta.dirname, "..", "..");
/** Signs that Node printed an error of its own. */
const STACK = /^\s+at |^Node\.js v|ERR_/m;
const COMMANDS = packageCommands();

test("says in one line for every command which option it does not know, and how it is used", () => {
  // Files that check import.meta.main do nothing when imported.
  const alone = COMMANDS.filter(([file]) => readFileSync(join(root, file), "utf8").includes("import.meta.main"));
  const together = COMMANDS.filter((named) => !alone.includes(named));
  const { stdout, stderr } = command("tools/run/refused-arguments.ts", together.flatMap(withUnknownOption));
  expect(stderr).toBe("");
  const results: Record<string, { stderr: string; status: unknown }> = JSON.parse(stdout);
  for (const [file, ...given] of alone.map(withUnknownOption)) results[file] = command(file, given);
  expect(Object.keys(results).sort()).toEqual(COMMANDS.map(([file]) => file).sort());
  for (const [file, result] of Object.entries(results)) {
    expect(result.stderr, file).toMatch(/^Unknown option '--no-such-option'\.\n\n.*npm /);
    expect(result.stderr, file).not.toMatch(STACK);
    expect(result.status, file).toBe(2);
  }
});

function withUnknownOption([file, given]: [string, string[]]): [string, ...string[]] {
  return [file, ...given, "--no-such-option"];
}

function command(file: string, args: string[]) {
  return spawnSync(process.execPath, [file, ...args], { cwd: root, encoding: "utf8", timeout: 200_000 });
}
