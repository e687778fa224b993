import { join } from "node:path";
import { check } from "recheck";
import { expect, test } from "vitest";
import { sourceFiles } from "../arrows.ts";
import { type Expression, isPlainlyLinear, regularExpressions } from "./regular-expressions.ts";

/** Where the checker has no native program, it needs minutes. */
const CHECK_MS = 10 * 60_000;

/** Expressions that take more than linear time, or that the checker can't judge, with what limits their input. */
const EXCEPTIONS: Record<string, string> = {
  "app/orders/rules/money-text.ts /0+$/": "6 digits of an amount",
  "app/http/redact.ts /[\\p{L}\\p{N}!#$&'*+.=?^_`{|}~%-]{1,64}(?:@|%40)[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)+/giu":
    "too many letters for the checker; at most 64 starts before each @, which ends the domain before it",
  [`app/support/thread/link-parts.ts new RegExp(\`\${WEB}|(?:mailto:)?\${EMAIL}\`, "giu")`]:
    "too many letters for the checker; 4,000 characters of a message, and every repetition of an address is bounded",
};

/** Returns the expressions that are not linear in the length of their input: "path: text (why)". */
async function superlinear(expressions: Expression[]): Promise<string[]> {
  const found: string[] = [];
  for (const { path, text, source, flags } of expressions) {
    const fault = source === null ? "unknown until it runs" : await faultOf(source, flags);
    if (fault !== null) found.push(`${path}: ${text} (${fault})`);
  }
  return found;
}

async function faultOf(source: string, flags: string): Promise<string | null> {
  if (isPlainlyLinear(source, flags)) return null;
  // Without limits of time and with a fixed seed, the result is the same on every machine.
  const result = await check(source, flags, {
    timeout: null,
    attackTimeout: null,
    incubationTimeout: null,
    seedingTimeout: null,
    randomSeed: 0,
  });
  if (result.status === "safe") return null;
  return result.status === "vulnerable" ? result.complexity.summary : `unknown: ${result.error.kind}`;
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
