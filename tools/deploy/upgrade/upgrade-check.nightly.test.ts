import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readDatabases } from "#tools/run/migrations.ts";
import { checkMigrations, fillState } from "./upgrade-check.ts";

/** This checkout is the old release, and the migrations of the next one are made up. */

const ROOT = join(import.meta.dirname, "..", "..", "..");
const SLOW_MS = 400_000;
const folder = mkdtempSync(join(tmpdir(), "growline-upgrade-"));
const filled = join(folder, "filled");

beforeAll(() => fillState(ROOT, filled), SLOW_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("accepts a migration that the old code can live with", { timeout: SLOW_MS }, async () => {
  expect(await faultsOf("ALTER TABLE users ADD COLUMN nickname text;")).toEqual([]);
});

test("reports a statement of the old code that fails", { timeout: SLOW_MS }, async () => {
  const faults = await faultsOf(
    "CREATE TRIGGER orders_closed BEFORE INSERT ON orders BEGIN SELECT RAISE(ABORT, 'orders are closed'); END;",
  );
  expect(faults.join("\n")).toMatch(/orders are closed/);
});

test("reports a column that the old code uses, and nothing here makes it use", { timeout: SLOW_MS }, async () => {
  const faults = await faultsOf("ALTER TABLE webhook_endpoints DROP COLUMN previous_secret;");
  expect(faults).toEqual(["webhook_endpoints.previous_secret is gone, which the release uses."]);
});

test("reports a new column without a default, which filled tables refuse", { timeout: SLOW_MS }, async () => {
  const statement = "ALTER TABLE users ADD COLUMN nickname text NOT NULL;";
  expect(await faultsOf(statement)).toEqual([
    `0999_next.sql can't be applied to the release's data: Cannot add a NOT NULL column with default value NULL in ${statement}`,
  ]);
});

function faultsOf(sql: string): Promise<string[]> {
  const stateDir = mkdtempSync(join(folder, "migrated-"));
  cpSync(filled, stateDir, { recursive: true });
  const [main, ...others] = readDatabases(ROOT);
  if (!main) throw new Error("no database");
  const migrations = [...main.migrations, { name: "0999_next.sql", sql }];
  return checkMigrations(ROOT, stateDir, [{ ...main, migrations }, ...others]);
}
