import { mkdtempSync, rmdirSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memoryFolder } from "./memory-folder.ts";

/** Linux' number for a tmpfs. */
const TMPFS = 0x01021994;

test("names a folder in memory, or none", () => {
  const folder = memoryFolder();
  if (folder !== undefined) expect(statfsSync(folder).type).toBe(TMPFS);
});

test("takes no folder that isn't there, and none on a disk", () => {
  expect(memoryFolder("/nowhere")).toBeUndefined();
  const folder = mkdtempSync(join(tmpdir(), "growline-"));
  expect(memoryFolder(folder)).toBeUndefined();
  rmdirSync(folder);
});
