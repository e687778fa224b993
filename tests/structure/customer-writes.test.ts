import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CUSTOMER_WRITES, INTENTS_TRIED_ELSEWHERE } from "../attacks/writes/customer-writes.ts";
import { routeWords } from "../fuzz/surface/route-words.ts";

const root = join(import.meta.dirname, "..", "..");
const ROUTES = "app/routes";

/** Returns the intents that the forms' handlers of this source take. */
function intentsIn(source: string): string[] {
  const switches = source.matchAll(/switch \([^\n]*intent[^\n]*\) \{\n([\s\S]*?)\n {2}\}/g);
  const cases = [...switches].flatMap(([, body = ""]) => [...body.matchAll(/^ {4}case "([\w-]+)":/gm)]);
  const compared = source.matchAll(/\bintent(?:"\))? [!=]== "([\w-]+)"/g);
  const parsed = source.matchAll(/\bintent: z\.literal\("([\w-]+)"\)/g);
  const listed = [...source.matchAll(/\bintent: z\.enum\(\[([^\]]*)\]/g)].flatMap(([, names = ""]) => [
    ...names.matchAll(/"([\w-]+)"/g),
  ]);
  return [...cases, ...compared, ...parsed, ...listed].map(([, intent = ""]) => intent);
}

test("tries every intent of a customer's form with another customer's ids", () => {
  const modules = readdirSync(join(root, ROUTES), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|^admin\//.test(path))
    .map((path) => join(ROUTES, path))
    .filter((path) => /export (async function|const|function) action\b/.test(readFileSync(join(root, path), "utf8")));
  const handlers = new Set(modules.flatMap((path) => routeWords(root, path).files));
  const sources = [...handlers]
    .filter((path) => path.endsWith(".server.ts") || path.startsWith(ROUTES))
    .map((path) => readFileSync(join(root, path), "utf8"));
  const intents = new Set(sources.flatMap(intentsIn));
  expect(intents.size).toBeGreaterThan(30);
  const tried = [...CUSTOMER_WRITES.map(({ intent }) => intent), ...Object.keys(INTENTS_TRIED_ELSEWHERE)];
  expect([...intents].filter((intent) => !tried.includes(intent))).toEqual([]);
  expect(tried.filter((intent) => intent !== undefined && !intents.has(intent))).toEqual([]);
});
