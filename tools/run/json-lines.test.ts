import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendJsonLine, readJsonLines } from "./json-lines.ts";

test("reads every whole line, after one that a kill cut short", () => {
  const folder = mkdtempSync(join(tmpdir(), "growline-lines-"));
  const file = join(folder, "orders.jsonl");
  expect(readJsonLines(file)).toEqual([]);
  appendJsonLine(file, { id: 1 });
  appendFileSync(file, '{"id": 2, "li');
  appendJsonLine(file, { id: 2 });
  expect(readJsonLines(file)).toEqual([{ id: 1 }, { id: 2 }]);
  expect(readFileSync(file, "utf8").endsWith('{"id":2}\n')).toBe(true);
  rmSync(folder, { recursive: true });
});

test.skipIf(!existsSync("/dev/full"))("throws if a line cannot be written", () => {
  expect(() => appendJsonLine("/dev/full", { id: 1 })).toThrow(/ENOSPC/);
});
