import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RouteConfigEntry } from "@remix-run/route-config";
import { expect, test } from "vitest";
import routes from "#app/routes.ts";
import { namesIn, routeWords } from "./route-words.ts";

const root = join(import.meta.dirname, "..", "..", "..");

test("finds every field and query parameter that the product reads in the words of a route", () => {
  const modules = routes.flatMap(filesOf).map((file) => join("app", file));
  expect(modules.length).toBeGreaterThan(100);
  const known = new Set(modules.flatMap((module) => routeWords(root, module).names));
  const files = globSync("app/**/*.{ts,tsx}", { cwd: root }).filter((path) => !path.includes(".test."));
  const read = namesIn(files.map((path) => readFileSync(join(root, path), "utf8")));
  expect(read.filter((name) => !known.has(name))).toEqual([]);
});

function filesOf({ file, children = [] }: RouteConfigEntry): string[] {
  return [file, ...children.flatMap(filesOf)];
}
