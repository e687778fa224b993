import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

type Packages = Record<string, { version: string; integrity?: string; optional?: true }>;

const LOCKED: Packages = {
  "": { version: "0.1.0" },
  "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
  "node_modules/of-another-platform": { version: "2.0.0", integrity: "sha512-b", optional: true },
};
const INSTALLED: Packages = { "node_modules/a": { version: "1.0.0", integrity: "sha512-a" } };

/** An npm that keeps no list of versions with the one of the lockfile. */
const WITH_OLD_LISTS = `
  if (process.argv.includes("--prefer-offline")) {
    console.error("npm error code ETARGET\\nnpm error notarget No matching version found for a@1.0.0.");
    process.exitCode = 1;
  }
`;

test.for<[string, Packages | null, boolean, string]>([
  ["nothing for whoever ran npm ci", INSTALLED, false, ""],
  ["what is missing", {}, true, ""],
  ["what has another version", { "node_modules/a": { version: "0.9.0", integrity: "sha512-a" } }, true, ""],
  ["everything where an install was interrupted", null, true, ""],
  ["a version that is newer than what npm keeps", {}, true, WITH_OLD_LISTS],
])("installs %s, and runs the tool", ([, installed, installs, npm]) => {
  const { stdout, stderr } = bootstrap({ installed, npm });
  expect(stderr).toBe("");
  expect(stdout).toMatch(installs ? /^Installing packages .* s\nran\n$/ : /^ran\n$/);
});

test("gives npm a cache of its own where the usual one can't be written, and removes it", () => {
  const usual = fileInFolder();
  const npm = `require("node:fs").writeFileSync("cache.txt", process.env.npm_config_cache)`;
  for (const [npm_config_cache, isUsed] of [
    [join(dirname(usual), "cache"), true],
    [join(usual, "cache"), false],
  ] as const) {
    const { root, stdout } = bootstrap({ installed: null, npm, env: { npm_config_cache } });
    expect(stdout).toMatch(/ran\n$/);
    const cache = readFileSync(join(root, "cache.txt"), "utf8");
    expect([cache === npm_config_cache, existsSync(cache)]).toEqual([isUsed, isUsed]);
  }
});

test("gives the tool a home folder that it can write", () => {
  const file = fileInFolder();
  for (const [HOME, isKept] of [
    [dirname(file), true],
    [join(file, "home"), false],
  ] as const) {
    const tool = `console.log(process.env.HOME === ${JSON.stringify(HOME)}, (await import("node:fs")).existsSync(process.env.HOME))`;
    expect(bootstrap({ installed: INSTALLED, tool, env: { HOME } }).stdout).toBe(`${isKept} true\n`);
  }
});

/** Returns a file, in which no folder can be made, even by root. */
function fileInFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "growline-home-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "file"), "");
  return join(folder, "file");
}

type Given = { installed: Packages | null; npm?: string; tool?: string; env?: Record<string, string> };

/** Runs a tool in a tree with these packages. `npm`: the text of the npm that installs. */
function bootstrap({ installed, npm = "", tool = "console.log('ran')", env = {} }: Given) {
  const root = mkdtempSync(join(tmpdir(), "growline-bootstrap-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of ["tools", "node_modules/.bin"]) mkdirSync(join(root, folder), { recursive: true });
  cpSync(join(import.meta.dirname, "bootstrap.mjs"), join(root, "tools", "bootstrap.mjs"));
  symlinkSync(process.execPath, join(root, "node_modules", ".bin", "node"));
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: LOCKED }));
  if (installed) {
    writeFileSync(join(root, "node_modules", ".package-lock.json"), JSON.stringify({ packages: installed }));
  }
  writeFileSync(join(root, "npm.js"), npm);
  writeFileSync(join(root, "tool.mjs"), tool);
  const { stdout, stderr } = spawnSync(process.execPath, ["tools/bootstrap.mjs", "tool.mjs"], {
    cwd: root,
    env: { ...process.env, npm_execpath: join(root, "npm.js"), ...env },
    encoding: "utf8",
  });
  return { root, stdout, stderr };
}
