import { execFileSync } from "node:child_process";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

/** Names that say nothing about what is inside. */
const EMPTY_NAMES = /^(utils?|helpers?|common|misc|extras|.*[-.](utils?|helpers?|misc|extras|kit))([-.]server)?$/;

const root = join(import.meta.dirname, "..", "..");
const files = execFileSync("git", ["ls-files", "app", "workers", "tests", "tools", "bench"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n");

test("gives every file a name of its own, but under routes and console, where the path says it", () => {
  const named = files.filter((path) => !/^app\/(routes|console)\//.test(path));
  expect(named.length).toBeGreaterThan(1000);
  expect(repeated(named, (path) => basename(path))).toEqual([]);
});

test("never tells two files of a folder apart by extension alone", () => {
  const sources = files.filter((path) => /\.tsx?$/.test(path) && !/\.(test|spec|d)\.tsx?$/.test(path));
  expect(repeated(sources, (path) => path.replace(/(\.server)?\.tsx?$/, ""))).toEqual([]);
});

test("has no file name that says nothing about its content", () => {
  expect(files.filter((path) => EMPTY_NAMES.test(basename(path).replace(/\.\w+$/, "")))).toEqual([]);
});

function repeated(paths: string[], key: (path: string) => string): string[][] {
  return [...Map.groupBy(paths, key).values()].filter((same) => same.length > 1);
}
