import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandError, oneLine, wholeNumber } from "./command-line.ts";

const root = join(import.meta.dirname, "..", "..");
/** Signs that Node printed an error of its own. */
const STACK = /^\s+at |^Node\.js v|ERR_/m;

/** The files that the commands of package.json run, with the arguments that are part of the command. */
const COMMANDS = commands();

test.each(COMMANDS)("says in one line which option %s does not know, and how it is used", (file, given) => {
  const { status, stderr } = command(file, [...given, "--no-such-option"]);
  expect(stderr).toMatch(/^Unknown option '--no-such-option'\.\n\n.*npm /);
  expect(stderr).not.toMatch(STACK);
  expect(status).toBe(2);
});

test("prints the usage on --help, and refuses an argument too many or too few", () => {
  const help = command("tools/data/set-role.ts", ["--help"]);
  expect(help).toMatchObject({ status: 0, stderr: "", stdout: expect.stringMatching(/^npm run admin -- EMAIL ROLE/) });
  expect(command("tools/data/set-role.ts", ["a@b.example"]).stderr).toMatch(/^An argument is missing\.\n/);
  const extra = command("tools/data/run-ledger-check.ts", ["now"]);
  expect(extra).toMatchObject({ status: 2, stderr: expect.stringMatching(/^Unexpected argument "now"\.\n/) });
});

test("passes the options of every bench on to it", () => {
  const benches = globSync("bench/**/*.ts", { cwd: root }).filter((file) => file !== "bench/bench.ts");
  const options = benches.flatMap((file) => [
    ...readFileSync(join(root, file), "utf8").matchAll(/(?:indexOf|includes)\("--(\w+)"|^ +(\w+): \{ type: "string"/gm),
  ]);
  const usage = readFileSync(join(root, "bench/bench.ts"), "utf8");
  expect(options.length).toBeGreaterThan(10);
  for (const [, found, named = found] of options) expect(usage).toMatch(new RegExp(`\\b${named}\\b`));
});

test("takes whole numbers only", () => {
  expect(wholeNumber("--seed", "12")).toBe(12);
  for (const wrong of ["", "x", "1.5", "-1", "1e30"])
    expect(() => wholeNumber("--seed", wrong), wrong).toThrow(/--seed/);
  expect(() => wholeNumber("--runs", "0", 1)).toThrow('--runs takes a whole number from 1, not "0".');
});

test("says what an operator can act on, and of a library's error the innermost cause", () => {
  const query = new Error("Failed query: select 1\nparams: secret", { cause: new Error("no such table: users") });
  expect(oneLine(query)).toBe("no such table: users");
  expect(oneLine(new CommandError("Stop the copy first.", { cause: query }))).toBe("Stop the copy first.");
  expect(oneLine(new Error("page.goto: refused\nCall log:\n  - x"))).toBe("page.goto: refused");
  expect(oneLine(new Error(""))).toBe("Error");
  expect(oneLine("text")).toBe("text");
});

function command(file: string, args: string[]) {
  return spawnSync(process.execPath, [file, ...args], { cwd: root, encoding: "utf8", timeout: 25_000 });
}

function commands(): [string, string[]][] {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const found = Object.values(scripts).flatMap((script) =>
    [...script.matchAll(/node (?:tools\/bootstrap\.mjs )?((?:tools|tests|bench)\/\S+\.ts)([^&]*)/g)].map(
      ([, file = "", args = ""]): [string, string[]] => [file, args.trim() === "" ? [] : args.trim().split(" ")],
    ),
  );
  expect(
    globSync(
      found.map(([file]) => file),
      { cwd: root },
    ).length,
  ).toBeGreaterThan(15);
  return [...new Map(found)];
}
