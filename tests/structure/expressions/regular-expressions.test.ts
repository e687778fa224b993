import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "../arrows.ts";
import { EXCEPTIONS, faultOf, JUDGED_LIST } from "./judge-expression.ts";
import { type Expression, isPlainlyLinear, regularExpressions } from "./regular-expressions.ts";

/** Where the checker has no native program, it needs minutes. */
const CHECK_MS = 10 * 60_000;

const JUDGED = new Set(readFileSync(JUDGED_LIST, "utf8").split("\n"));

/** Returns the expressions that are not linear in the length of their input: "path: text (why)". */
async function superlinear(expressions: Expression[]): Promise<string[]> {
  const found: string[] = [];
  for (const { path, text, source, flags } of expressions) {
    const fault = source === null ? "unknown until it runs" : await faultOf(source, flags, JUDGED);
    if (fault !== null) found.push(`${path}: ${text} (${fault})`);
  }
  return found;
}

test(
  "uses no regular expression that takes more than linear time, but for those with a small input",
  async () => {
    const all = regularExpressions(sourceFiles(join(import.meta.dirname, "..", "..", "..")));
    expect(all.length).toBeGreaterThan(400);
    const places = all.map(({ path, text }) => `${path} ${text}`);
    const found = await superlinear(all.filter((_, at) => !Object.hasOwn(EXCEPTIONS, places[at] ?? "")));
    expect(found).toEqual([]);
    expect(Object.keys(EXCEPTIONS).filter((place) => !places.includes(place))).toEqual([]);
  },
  CHECK_MS,
);

test("finds polynomial and unreadable expressions in literals, templates and constants", async () => {
  const planted = {
    "twice.ts": "export const twice = /^a*b?a*$/; export const bounded = /^a{1,9}a{1,9}$/;",
    "raw.ts": `const END = String.raw\`\\s+$\`; export const trailing = new RegExp(\`x?\${END}\`, 'g');`,
    "word.ts": `export const unknown = (word: string) => RegExp(\`^\${word}\`);`,
    "fine.tsx": "export const Shown = ({ text }: { text: string }) => <p>{text.replace(/^(?:ab)+c/m, '')}</p>;",
  };
  const found = await superlinear(regularExpressions(planted));
  expect(found.map((one) => one.slice(0, one.indexOf(":")))).toEqual(["twice.ts", "raw.ts", "word.ts"]);
});

/** Bounded, and yet far more steps than letters: what repeats is repeated, or two long repetitions share letters. */
const BOUNDED = ["^(?:a{1,9}){2,9}$", "^(?:b(?:a?)){9}$", "^(?:(?:a|ab)c){9}$", "^a{1,200}a{1,200}$"];

test("finds an exponential expression whose repetitions are all bounded", async () => {
  const found = await superlinear(regularExpressions({ "nested.ts": "export const nested = /^(?:a{1,9}){2,100}$/;" }));
  expect(found).toEqual([expect.stringContaining("nested.ts")]);
});

test("leaves to the checker whatever repeats twice, inside a group, or at many places, and long or nested bounds", () => {
  for (const source of ["a+b+", "^(?:a+)+$", "^(?:ab?)*$", "^a*|b", "a+", "^(?:ab){2,}", "^(?:a*b){9}$", ...BOUNDED]) {
    expect(isPlainlyLinear(source, ""), source).toBe(false);
  }
  const plain = [
    "abc",
    "^a+$",
    "^(?:a|b)c*d",
    "a{1,20}\\+",
    "[*+]",
    "^(?:ab){2,9}$",
    "^(?:a{2}b){3}$",
    "a{1,99}b{1,100}",
  ];
  for (const source of plain) {
    expect(isPlainlyLinear(source, ""), source).toBe(true);
  }
  expect(isPlainlyLinear("^a+$", "m")).toBe(false);
});
