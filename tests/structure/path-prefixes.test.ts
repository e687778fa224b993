import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

/** A path's beginning that ends within a segment: "/auth" is also that of "/authors", and `\b` that of "/auth-x". */
const OPEN_ENDS = [
  /\.startsWith\((["'`])\/[\w/-]*[\w-]\1\)/g,
  // Wherever it is used: the expression may have a name.
  /\/\^(?:\\\/(?:[\w-]+|\((?:\?:)?[\w|-]+\)))+(?:\\b)?\/[dgimsuvy]*(?![\w/\\[(])/g,
  /\bRegExp\(\s*(?:String\.raw)?(["'`])\^(?:\\{0,2}\/(?:[\w-]+|\((?:\?:)?[\w|-]+\)))+(?:\\{1,2}b)?\1/g,
];

function openEnds(source: string): string[] {
  return OPEN_ENDS.flatMap((open) => source.match(open) ?? []);
}

test("compares the beginning of paths up to the end of a segment", () => {
  const found = Object.entries(sourceFiles(join(import.meta.dirname, "..", ".."))).flatMap(([path, source]) =>
    /^(app|workers)\//.test(path) && !path.includes(".test.") ? openEnds(source).map((one) => `${path}: ${one}`) : [],
  );
  expect(found).toEqual([]);
});

test("notices an end within a segment", () => {
  for (const open of [
    'x.startsWith("/auth")',
    String.raw`/^\/admin/.test(x)`,
    String.raw`const AUTH = /^\/auth/;`,
    String.raw`const CONSOLE = /^\/admin\/support/i;`,
    String.raw`const PAGES = /^\/(?:api|auth)/;`,
    String.raw`/^\/auth\b/.test(x)`,
    'new RegExp("^/auth")',
    String.raw`RegExp("^\\/auth", "i")`,
    "new RegExp(String.raw`^/auth\\b`)",
  ]) {
    expect(openEnds(open), open).toHaveLength(1);
  }
});

test("accepts an end at a segment's end", () => {
  for (const bounded of [
    "x.startsWith('/api/')",
    String.raw`/^\/admin(\/|$)/.test(x)`,
    String.raw`const AUTH = /^\/auth(\/|$)/;`,
    String.raw`const CHAT = /^\/support\//;`,
    String.raw`const SERVICE = /^\/services\/[^/]+$/;`,
    String.raw`const PAGES = /^\/(api|auth)(?=\/|$)/;`,
    'new RegExp("^/auth/")',
    'new RegExp("^/auth$")',
  ]) {
    expect(openEnds(bounded), bounded).toEqual([]);
  }
});
