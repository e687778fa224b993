import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "recheck";
import { isPlainlyLinear } from "./regular-expressions.ts";

/** The expressions that this version of the checker found linear, which takes it up to seconds for each, a line for each. */
export const JUDGED_LIST = join(import.meta.dirname, "judged-expressions.txt");
const { version }: { version: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "..", "..", "node_modules", "recheck", "package.json"), "utf8"),
);

/** Expressions that take more than linear time, or that the checker can't judge, with what limits their input. */
export const EXCEPTIONS: Record<string, string> = {
  "app/product.ts /0+$/": "6 digits of an amount",
  [`app/support/thread/link-parts.ts new RegExp(\`\${WEB}|(?:mailto:)?\${EMAIL}\`, "giu")`]:
    "too many letters for the checker; 4,000 characters of a message, and every repetition of an address is bounded",
};

/** Returns the line that the list has for an expression. */
export function judgedLine(source: string, flags: string): string {
  return `recheck ${version} ${JSON.stringify(`/${source}/${flags}`)}`;
}

/** Returns why an expression may take more than linear time, or null. Those of the list were judged before. */
export async function faultOf(source: string, flags: string, judged: ReadonlySet<string>): Promise<string | null> {
  if (isPlainlyLinear(source, flags) || judged.has(judgedLine(source, flags))) return null;
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
