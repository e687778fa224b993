import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { API, SignatureKind } from "typescript-7/unstable/sync";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";
import { parseFile } from "./parsed-files.ts";

/**
 * A promise that nobody waits for fails unseen, and the platform may end the invocation before it has done its work: a write
 * that was acknowledged is lost. Where nobody is meant to wait, `void` says so; on the server that takes `waitUntil`.
 *
 * Biome's noFloatingPromises knows no types of the platform, of drizzle or of other packages. The native compiler knows them
 * all, in a few seconds.
 */
const ROOT = join(import.meta.dirname, "..", "..");
const IN_TURN = [
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.CommaToken,
];

/** A file beside the others, with both kinds of lines. */
const SAMPLE = "app/sample-of-promises.ts";
const UNAWAITED = [
  'bucket.put("a", "");',
  "db.delete(erasures);",
  "db.insert(erasures).values([]).onConflictDoNothing();",
  "if (isOn) save();",
  "isOn && save();",
  "isOn ? rows.clear() : save();",
  "ours?.save();",
  "(ours as Ours).save();",
  "new Ours().save();",
  'env.EMAIL_DISPATCHER.getByName("all").wake("all");',
  'caches.open("a").then((cache) => cache.delete("b"));',
  "save().finally(() => {});",
  "rows.forEach(async () => save());",
];
const AWAITED = [
  'rows.delete("a");',
  "void save();",
  "await save();",
  "save().catch(() => {});",
  "save().then(rows.clear, () => {});",
  "const saved = save();",
  "waitUntil(save());",
  "new URLSearchParams().delete(String(saved));",
];

function sampleSource(): string {
  return `import type { Db } from "#app/db/db.server.ts";
import { erasures } from "#app/db/schema.server.ts";
class Ours { async save(): Promise<void> {} }
const save = async (): Promise<void> => {};
export async function sample(env: Env, db: Db, bucket: R2Bucket, ours: Ours | undefined, isOn: boolean, waitUntil: (promise: Promise<unknown>) => void) {
  const rows = new Map<string, string>();
${[...UNAWAITED, ...AWAITED].join("\n")}
}
`;
}

/** Returns each statement of the sources that is a call with a promise, or something else to await, that nothing uses. */
function unawaited(sources: Record<string, string>): string[] {
  const config = join(ROOT, "tsconfig.unawaited.json");
  const written = {
    extends: "./tsconfig.json",
    compilerOptions: { incremental: false },
    include: [],
    files: [...Object.keys(sources), "workers/env.d.ts"],
  };
  const virtual = new Map([
    [config, JSON.stringify(written)],
    ...Object.entries(sources).map(([path, source]) => [join(ROOT, path), source] as const),
  ]);
  const api = new API({
    cwd: ROOT,
    fs: {
      readFile: (path) => virtual.get(path),
      fileExists: (path) => (virtual.has(path) ? true : undefined),
    },
  });
  try {
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    if (!project) throw new Error("no project");
    const { checker } = project;
    return Object.entries(sources).flatMap(([path, source]) => {
      const parsed = parseFile(path, source);
      const calls = unusedCalls(parsed);
      if (calls.length === 0) return [];
      const types = checker.getTypeAtPosition(
        join(ROOT, path),
        calls.map(({ expression }) => calledName(expression).getStart(parsed)),
      );
      return calls.flatMap((call, at) => {
        const called = types[at];
        const type = called && checker.getNonNullableType(called);
        if (!type) throw new Error(`${path}: no type of ${call.getText(parsed)}`);
        const isAwaitable = checker.getSignaturesOfType(type, SignatureKind.Call).some((signature) => {
          const returned = checker.getReturnTypeOfSignature(signature);
          return returned !== undefined && checker.getPropertyOfType(returned, "then") !== undefined;
        });
        const { line } = parsed.getLineAndCharacterOfPosition(call.getStart(parsed));
        return isAwaitable || takesAsync(call) ? [`${path}:${line + 1}: ${lineOf(parsed, line)}`] : [];
      });
    });
  } finally {
    api.close();
  }
}

/** Returns the calls whose value nothing uses, apart from those that handle a failure of the promise. */
function unusedCalls(file: ts.SourceFile): ts.CallExpression[] {
  const calls: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node)) calls.push(...callsIn(node.expression).filter((call) => !handlesFailure(call)));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return calls;
}

function callsIn(expression: ts.Expression): ts.CallExpression[] {
  if (ts.isParenthesizedExpression(expression)) return callsIn(expression.expression);
  if (ts.isConditionalExpression(expression)) return [expression.whenTrue, expression.whenFalse].flatMap(callsIn);
  if (ts.isBinaryExpression(expression) && IN_TURN.includes(expression.operatorToken.kind)) {
    return callsIn(expression.right);
  }
  return ts.isCallExpression(expression) ? [expression] : [];
}

/** Returns whether the call is of `forEach` with an async function, whose promises it drops. */
function takesAsync({ expression, arguments: given }: ts.CallExpression): boolean {
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== "forEach") return false;
  return given.some(
    (one) => ts.isFunctionLike(one) && (ts.getCombinedModifierFlags(one) & ts.ModifierFlags.Async) !== 0,
  );
}

function handlesFailure({ expression, arguments: given }: ts.CallExpression): boolean {
  if (!ts.isPropertyAccessExpression(expression)) return false;
  const { text } = expression.name;
  return (text === "catch" && given.length === 1) || (text === "then" && given.length === 2);
}

function calledName(called: ts.Expression): ts.Node {
  if (ts.isParenthesizedExpression(called) || ts.isNonNullExpression(called)) return calledName(called.expression);
  return ts.isPropertyAccessExpression(called) ? called.name : called;
}

function lineOf(file: ts.SourceFile, line: number): string {
  const from = file.getPositionOfLineAndCharacter(line, 0);
  return file.text.slice(from, file.getLineEndOfPosition(from)).trim();
}

const found = unawaited({ ...sourceFiles(ROOT), ...toolSources(), [SAMPLE]: sampleSource() });

function toolSources(): Record<string, string> {
  const paths = globSync("tools/**/*.ts", { cwd: ROOT, exclude: ["**/*.test.ts"] });
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
}

test("waits for every promise, or says that nobody does", () => {
  expect(found.filter((one) => !one.startsWith(SAMPLE))).toEqual([]);
});

test("finds a promise that nobody waits for", () => {
  const lines = found.filter((one) => one.startsWith(SAMPLE)).map((one) => one.replace(/^\S+ /, ""));
  expect(lines).toEqual(UNAWAITED);
});
