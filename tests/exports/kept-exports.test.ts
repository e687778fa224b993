import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accountsOf, EXPORT_CASES, expectedAccounts, KEPT_FILES, tableOf } from "./export-files.ts";

test("keeps a case for every file", () => {
  expect(Object.keys(EXPORT_CASES).toSorted()).toEqual(readdirSync(KEPT_FILES).toSorted());
});

test.each(Object.entries(EXPORT_CASES))("reads %s as its program meant it, or says why not", (name, known) => {
  const file = join(KEPT_FILES, name);
  if ("refused" in known) return expect(() => accountsOf(file)).toThrow(known.refused);
  const { accounts, readAs } = accountsOf(file);
  expect(readAs).toContain(known.readAs);
  expect(accounts).toEqual(expectedAccounts(tableOf(KEPT_FILES), known.names));
});
