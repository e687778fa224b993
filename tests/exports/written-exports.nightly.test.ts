import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canInstallPackages, installPackages } from "#tools/run/debian-packages.ts";
import { accountsOf, EXPORT_CASES, expectedAccounts, tableOf } from "./export-files.ts";

const PACKAGES = [
  ["mariadb-server-core", "mariadb-client-core", "mariadb-client", "curl"],
  // With php-cgi, phpMyAdmin and Adminer need no Apache.
  ["php-cli", "php-cgi", "php-mysql", "php-mbstring", "php-xml", "phpmyadmin", "adminer", "mycli", "xlsx2csv"],
  ["sqlite3", "miller", "csvkit", "python3-pandas", "python3-openpyxl", "gnumeric", "libreoffice-calc"],
].flat();
const MINUTES = 15;

test("reads what the programs write today", { timeout: MINUTES * 60_000 }, async ({ skip }) => {
  if (!canInstallPackages()) return skip("the programs are installed on Debian as root alone");
  if (!(await installPackages(PACKAGES))) return skip("the packages of the programs can't be had");
  const folder = mkdtempSync(join(tmpdir(), "growline-test-"));
  try {
    const { status, stderr } = spawnSync(join(import.meta.dirname, "write-exports.sh"), [folder], { encoding: "utf8" });
    expect(status, stderr).toBe(0);
    const table = tableOf(folder);
    for (const [name, known] of Object.entries(EXPORT_CASES)) {
      const file = join(folder, name);
      expect(existsSync(file), `${name} was not written: ${stderr}`).toBe(true);
      if ("refused" in known) expect(() => accountsOf(file), name).toThrow(known.refused);
      else expect(accountsOf(file).accounts, name).toEqual(expectedAccounts(table, known.names));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
