import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { LogFile } from "./log-file.ts";

let folder: string;
const reported: string[] = [];
const report = (text: string) => void reported.push(text);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "growline-log-"));
  reported.length = 0;
  return () => rmSync(folder, { recursive: true });
});

test("begins a new file at its limit and keeps three older ones", () => {
  const file = join(folder, "worker.log");
  // What an earlier start wrote counts.
  new LogFile(file, { maxBytes: 20, report }).append("line 0, of before");
  const log = new LogFile(file, { maxBytes: 20, report });
  for (let line = 1; line < 12; line++) log.append(`line ${line}`.padEnd(9));
  expect(readdirSync(folder).sort()).toEqual(["worker.log", "worker.log.1", "worker.log.2", "worker.log.3"]);
  expect(readFileSync(file, "utf8")).toMatch(/^line 10\s+line 11\s+$/);
  expect(readFileSync(`${file}.1`, "utf8")).toMatch(/^line 8\s+line 9\s+$/);
  expect(reported).toEqual([]);
});

test.skipIf(!existsSync("/dev/full"))("loses lines on a full disk, says so once, and tells how many later", () => {
  const file = join(folder, "worker.log");
  symlinkSync("/dev/full", file);
  const log = new LogFile(file, { report });
  for (let line = 0; line < 3; line++) log.append("lost");
  expect(reported).toEqual([expect.stringMatching(/^Not logged from here on, .*worker\.log: ENOSPC: no space left/)]);
  rmSync(file);
  log.append("written again");
  const lines = readFileSync(file, "utf8").trim().split("\n");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "warn", message: "log lines lost", lines: 3 });
  expect(lines[1]).toBe("written again");
});
