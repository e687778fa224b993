import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

/** An expression that makes a stub of a Durable Object. */
const STUB = /\.(?:getByName|idFromName|idFromString|newUniqueId)\(/g;

/**
 * Returns the lines that keep a stub: in a variable, a field, a list. A stub is called where it is made, or returned by a
 * function that makes one for each call.
 */
function keptStubs(source: string): string[] {
  return [...source.matchAll(STUB)].flatMap(({ index, 0: made }) => {
    const isCalled = source
      .slice(closing(source, index + made.length))
      .trimStart()
      .startsWith(".");
    // The receiver, back to what stands before it.
    const before = source
      .slice(0, index)
      .replace(/[\w.?#]+$/, "")
      .trimEnd();
    const isReturned = /(?:=>|\breturn|\bvoid)$/.test(before) || /=>\s*\{?\s*return$/.test(before);
    return isCalled || isReturned ? [] : [lineAt(source, index)];
  });
}

/** Returns the position behind the parenthesis that closes the one before `from`. */
function closing(source: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; depth > 0 && at < source.length; at++) depth += source[at] === "(" ? 1 : source[at] === ")" ? -1 : 0;
  return at;
}

function lineAt(source: string, index: number): string {
  const start = source.lastIndexOf("\n", index) + 1;
  return source.slice(start, source.indexOf("\n", index)).trim();
}

/** Functions that return a new stub, found by what they return. */
function stubMakers(source: string): string[] {
  const functions = [...source.matchAll(/function (\w+)\([^)]*\)[^{]*\{\s*return [\w.]+\.getByName\([^\n]*\);\s*\}/g)];
  const arrows = [...source.matchAll(/(?:const )?(\w+)(?: =|:) \(\) => [\w.]+\.getByName\([^\n.]*\)/g)];
  return [...functions, ...arrows].map(([, name = ""]) => name);
}

const sources = Object.entries(sourceFiles(join(import.meta.dirname, "..", ".."))).filter(
  ([path]) => /^(app|workers)\//.test(path) && !path.includes(".test."),
);

test("takes a new stub for each call of a Durable Object", () => {
  expect(sources.flatMap(([path, source]) => keptStubs(source).map((line) => `${path}: ${line}`))).toEqual([]);
});

test("keeps no stub that a function made for a call", () => {
  const makers = [...new Set(sources.flatMap(([, source]) => stubMakers(source)))];
  expect(makers).toEqual(expect.arrayContaining(["gateOf", "room"]));
  const kept = new RegExp(`[=:] *(?:await )?(?:${makers.join("|")})\\([^()]*(?:\\([^()]*\\))?[^()]*\\)[;,\\n]`);
  const found = sources.filter(([, source]) => kept.test(source)).map(([path]) => path);
  expect(found).toEqual([]);
});

test("finds a stub that is kept", () => {
  const kept = [
    "const room = env.SUPPORT_ROOM.getByName(id);",
    "readonly #desk = this.env.SUPPORT_DESK.getByName(NAME);",
    "const stubs = [env.A.getByName(f(1)), env.A.getByName(two)];",
    "const id = env.A.idFromName(name);",
  ];
  for (const line of kept) expect(keptStubs(line), line).not.toEqual([]);
  const fresh = [
    "await env.SUPPORT_ROOM.getByName(idOf(user)).read(0);",
    "const room = () => env.SUPPORT_ROOM.getByName(id);",
    "return API_GATE.getByName(name);",
  ];
  for (const line of fresh) expect(keptStubs(line), line).toEqual([]);
});
