import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

test("writes migrations that pass the check of their format", () => {
  const folder = mkdtempSync(join(tmpdir(), "growline-migrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // Without the migrations, so that there is something to generate.
  for (const name of ["app", "tools", "node_modules", "package.json"])
    symlinkSync(join(root, name), join(folder, name));
  for (const name of ["biome.json", ".gitignore"]) cpSync(join(root, name), join(folder, name));
  mkdirSync(join(folder, "migrations", "support"), { recursive: true });
  const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}` };
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: folder, env, stdio: "pipe" });
  run(process.execPath, join("tools", "project", "generate-migration.ts"), "support", "trial");
  expect(readFileSync(join(folder, "migrations", "support", "0000_trial.sql"), "utf8")).toContain(") STRICT;");
  run("biome", "check", "migrations");
});
