import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import {
  CUSTOMER_WRITES,
  type Elsewhere,
  INTENTS_TRIED_ELSEWHERE,
  TRIED_ELSEWHERE,
} from "../attacks/writes/customer-writes.ts";
import { routeWords } from "../fuzz/surface/route-words.ts";
import { parseFile } from "./parsed-files.ts";

const root = join(import.meta.dirname, "..", "..");
const ROUTES = "app/routes";

/**
 * Returns the intents that these sources take: what one is compared with, switched over or looked up by, and what a schema
 * allows. `constants` are the texts that they name.
 */
function intentsIn(path: string, source: string, constants: Map<string, string[]>): string[] {
  const found: string[] = [];
  const names = new Set(["intent"]);
  const isIntent = (node: ts.Node): boolean =>
    (ts.isStringLiteral(node) && node.text === "intent") ||
    (ts.isIdentifier(node) && names.has(node.text)) ||
    (ts.isPropertyAccessExpression(node) && node.name.text === "intent") ||
    ((ts.isCallExpression(node) || ts.isAsExpression(node) || ts.isParenthesizedExpression(node)) &&
      ts.forEachChild(node, (child) => isIntent(child) || undefined) === true);
  const wordsOf = (node: ts.Node): string[] => {
    if (ts.isStringLiteral(node)) return [node.text];
    if (ts.isIdentifier(node)) return constants.get(node.text) ?? [];
    if (ts.isPropertyAccessExpression(node)) return constants.get(node.getText()) ?? [];
    return [];
  };
  const visit = (node: ts.Node): void => {
    if (
      ts.isVariableDeclaration(node) &&
      ts.isIdentifier(node.name) &&
      node.initializer &&
      isIntent(node.initializer)
    ) {
      names.add(node.name.text);
    }
    if (ts.isBinaryExpression(node) && /^[!=]==$/.test(node.operatorToken.getText())) {
      if (isIntent(node.left)) found.push(...wordsOf(node.right));
      if (isIntent(node.right)) found.push(...wordsOf(node.left));
    }
    if (ts.isSwitchStatement(node) && isIntent(node.expression)) {
      for (const clause of node.caseBlock.clauses)
        if (ts.isCaseClause(clause)) found.push(...wordsOf(clause.expression));
    }
    if (ts.isElementAccessExpression(node) && isIntent(node.argumentExpression))
      found.push(...wordsOf(node.expression));
    if (ts.isCallExpression(node) && node.arguments.some(isIntent)) {
      const { expression: called } = node;
      const isLookup = ts.isPropertyAccessExpression(called) && /^(get|has|includes)$/.test(called.name.text);
      const tables = isLookup ? [called.expression] : node.arguments.filter((argument) => !isIntent(argument));
      if (isLookup || called.getText() === "ownValue") found.push(...tables.flatMap(wordsOf));
    }
    if (ts.isPropertyAssignment(node) && node.name.getText() === "intent" && ts.isCallExpression(node.initializer)) {
      const { expression, arguments: allowed } = node.initializer;
      if (/^z\.(literal|enum)$/.test(expression.getText())) found.push(...allowed.flatMap(wordsBelow));
    }
    ts.forEachChild(node, visit);
  };
  visit(parseFile(path, source));
  return found;
}

/** Returns the texts that a file's constants hold, by name: one text, or the keys or members of a table. */
function constantsOf(path: string, source: string): [name: string, words: string[]][] {
  return parseFile(path, source)
    .statements.filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .flatMap(({ name, initializer }): [string, string[]][] => {
      const value = initializer && withoutType(initializer);
      if (!value || !ts.isIdentifier(name)) return [];
      if (ts.isStringLiteral(value)) return [[name.text, [value.text]]];
      if (!ts.isObjectLiteralExpression(value)) return [[name.text, wordsBelow(value)]];
      const members = value.properties.flatMap((property): [string, string[]][] => {
        const key = property.name && !ts.isComputedPropertyName(property.name) ? property.name.text : "";
        const given = ts.isPropertyAssignment(property) ? withoutType(property.initializer) : null;
        return [[key, given && ts.isStringLiteral(given) ? [given.text] : []]];
      });
      const named = members.map(([key, words]): [string, string[]] => [`${name.text}.${key}`, words]);
      return [[name.text, members.map(([key]) => key)], ...named];
    });
}

function withoutType(node: ts.Expression): ts.Expression {
  return ts.isAsExpression(node) || ts.isSatisfiesExpression(node) ? withoutType(node.expression) : node;
}

/** Returns the texts in lists, sets and maps: of a pair, the first. */
function wordsBelow(node: ts.Node): string[] {
  if (ts.isStringLiteral(node)) return [node.text];
  if (ts.isNewExpression(node)) return (node.arguments ?? []).flatMap(wordsBelow);
  if (!ts.isArrayLiteralExpression(node)) return [];
  const isPair = (one: ts.Expression): one is ts.ArrayLiteralExpression => ts.isArrayLiteralExpression(one);
  return node.elements.flatMap((one) => (isPair(one) ? one.elements.slice(0, 1).flatMap(wordsBelow) : wordsBelow(one)));
}

test("finds the intents of each way to take one", () => {
  const source = `
    const OPEN = "opened";
    const NAMES = { add: "named" } as const;
    const HANDLERS = { tabled: a, "tabled-too": b } satisfies Table;
    const LIST = new Set(["listed"]);
    const MAP = new Map([["mapped", a]]);
    const input = z.union([z.object({ intent: z.literal("parsed") }), z.object({ intent: z.enum(["one", "two"]) })]);
    const kind = formText(form, "intent");
    if (kind === "compared" || OPEN !== form.get("intent") || parsed.input.intent === NAMES.add) return;
    HANDLERS[kind as Known](); ownValue(HANDLERS, kind); LIST.has(kind); MAP.get(kind);
          switch (form.get("intent")) { case "switched": return; }
    if (other === "unrelated") return;`;
  const constants = new Map(constantsOf("x.ts", source));
  expect([...new Set(intentsIn("x.ts", source, constants))].sort()).toEqual(
    "compared listed mapped named one opened parsed switched tabled tabled-too two".split(" "),
  );
});

test("tries every intent of a customer's form with another customer's ids", () => {
  const modules = readdirSync(join(root, ROUTES), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|^admin\//.test(path))
    .map((path) => join(ROUTES, path))
    .filter((path) => /export (async function|const|function) action\b/.test(readFileSync(join(root, path), "utf8")));
  const handlers = new Set(modules.flatMap((path) => routeWords(root, path).files));
  const sources = [...handlers].map((path): [string, string] => [path, readFileSync(join(root, path), "utf8")]);
  const constants = new Map(sources.flatMap(([path, source]) => constantsOf(path, source)));
  const taking = sources.filter(([path]) => path.endsWith(".server.ts") || path.startsWith(ROUTES));
  const intents = new Set(taking.flatMap(([path, source]) => intentsIn(path, source, constants)));
  expect(intents.size).toBeGreaterThan(30);
  const tried = [...CUSTOMER_WRITES.map(({ intent }) => intent), ...Object.keys(INTENTS_TRIED_ELSEWHERE)];
  expect([...intents].filter((intent) => !tried.includes(intent))).toEqual([]);
  expect(tried.filter((intent) => intent !== undefined && !intents.has(intent))).toEqual([]);
});

test("finds the test of whatever is tried elsewhere, and in it what it tries", () => {
  const named = [
    ...Object.entries(TRIED_ELSEWHERE).map(([route, tried]) => ({ name: route, said: asPath(route), tried })),
    ...Object.entries(INTENTS_TRIED_ELSEWHERE).map(([intent, tried]) => ({ name: intent, said: `"${intent}"`, tried })),
  ];
  const missing = named.filter(({ said, tried }) => !isTriedIn(tried, said));
  expect(missing.map(({ name, tried }) => `${name}: ${tried.test}`)).toEqual([]);
});

/** Returns an expression for the paths of a route, as a test writes them: with any text for a parameter. */
function asPath(route: string): string {
  return `(?<=["'\`}]|\\.\\w+)${route.replaceAll(/:\w+/g, "[^/\"'`]+")}(?![\\w/-])`;
}

/** Returns whether `npm test` runs that test, and it calls `by` or says what is tried. */
function isTriedIn({ test, by }: Elsewhere, said: string): boolean {
  const file = join(root, test);
  if (!/\.(test|spec)\.ts$/.test(test) || /\.nightly\./.test(test) || !existsSync(file)) return false;
  // An import alone tries nothing.
  const source = readFileSync(file, "utf8").replaceAll(/^import [^;]*;$/gm, "");
  return by === undefined ? new RegExp(said).test(source) : source.includes(by);
}
