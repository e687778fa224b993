import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand, spawnCommand } from "#tests/product/run-command.ts";
import { reasonIn } from "./build.ts";
import { CommandError, oneLine, wholeNumber } from "./command-line.ts";
import { packageCommands } from "./package-commands.ts";

const root = join(import.meta.dirname, "..", "..");
/** Signs that Node printed an error of its own. */
const STACK = /^\s+at |^Node\.js v|ERR_/m;

test("reads the arguments of every command of package.json, which refuses an option that it does not know", () => {
  const files = packageCommands().map(([file]) => file);
  expect(files.length).toBeGreaterThan(15);
  const reading = files.filter((file) => readFileSync(join(root, file), "utf8").includes("readArguments("));
  expect(reading).toEqual(files);
  // One that loads the product's own modules, as Node does by itself.
  const refused = spawnCommand("tools/data/set-role.ts", ["--no-such-option"]);
  expect(refused).toMatchObject({
    status: 2,
    stdout: "",
    stderr: expect.stringMatching(/^Unknown option '--no-such-option'\.\n\n.*npm /),
  });
  expect(refused.stderr).not.toMatch(STACK);
});

test("prints the usage on --help, and refuses an argument too many or too few", async () => {
  const help = await runCommand("tools/data/set-role.ts", ["--help"]);
  expect(help).toMatchObject({ status: 0, stderr: "", stdout: expect.stringMatching(/^npm run admin -- EMAIL ROLE/) });
  expect((await runCommand("tools/data/set-role.ts", ["a@b.example"])).stderr).toMatch(/^An argument is missing\.\n/);
  const extra = await runCommand("tools/data/run-ledger-check.ts", ["now"]);
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

test("checks Node's version before it uses what an old Node lacks", () => {
  const [before = "", after] = readFileSync(join(root, "tools/bootstrap.mjs"), "utf8").split("is too old");
  expect(after).toBeDefined();
  // Both came with Node 20.11.
  expect(before).not.toMatch(/import\.meta\.(dirname|filename)/);
});

test("quotes what Cloudflare answered, not that a request failed", () => {
  const output = `✘ [ERROR] A request to the Cloudflare API (/accounts/a/d1/database) failed.

  The following secrets have changed: EMAIL_API_KEY [code: 10220]
  If you think this is a bug, please open an issue at: https://github.com/cloudflare/workers-sdk/issues/new`;
  expect(reasonIn(output)).toBe("The following secrets have changed: EMAIL_API_KEY [code: 10220]");
});
