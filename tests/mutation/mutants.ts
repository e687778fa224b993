import ts from "typescript";
import { type Change, changesOf, isLogOnly } from "./operators.ts";

/** One mutant. `isStatic` says that its code runs when the module loads: it takes effect by computing the constant again. */
export type Mutant = { index: number; line: number; before: string; after: string; isStatic: boolean };

/**
 * Returns the source with all of its mutants compiled in, each behind `__m(index)`, which is true for the active one.
 * Constants of the module become variables that are computed again when the active mutant changes.
 */
export function mutate(path: string, text: string): { code: string; mutants: Mutant[] } {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const found = collect(source);
  const mutants = found.map((change, index) => mutantOf(change, index, source));
  if (found.length === 0) return { code: text, mutants };
  const byAnchor = Map.groupBy(
    found.map((change, index) => ({ change, index })),
    ({ change }) => change.anchor as ts.Node,
  );
  const head = `import * as __drizzle from "drizzle-orm"; const __file = ${JSON.stringify(path)}; const __m = (index: number): boolean => globalThis.__mutation?.isActive(__file, index) ?? false; const __again = (compute: () => void): void => globalThis.__mutation?.onSwitch(__file, compute);`;
  const usesDrizzle = /from "drizzle-orm"/.test(text);
  return { code: (usesDrizzle ? head : head.slice(head.indexOf("const"))) + render(source, source, byAnchor), mutants };
}

function collect(source: ts.SourceFile): Change[] {
  const found: Change[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || isLogOnly(node, source)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (!ts.isExpressionStatement(node) || !isLogOnly(withoutAwait(node.expression), source)) {
      found.push(...changesOf(node, source));
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

function withoutAwait(node: ts.Expression): ts.Expression {
  return ts.isAwaitExpression(node) ? node.expression : node;
}

function mutantOf(change: Change, index: number, source: ts.SourceFile): Mutant {
  const { anchor, start, end, text } = change;
  const line = source.getLineAndCharacterOfPosition(start).line + 1;
  const whole = source.text.slice(anchor.getStart(source), anchor.end);
  const [from, to] = [start - anchor.getStart(source), end - anchor.getStart(source)];
  return {
    index,
    line,
    before: short(whole),
    after: short(`${whole.slice(0, from)}${text}${whole.slice(to)}`),
    isStatic: isStatic(anchor),
  };
}

function short(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function isStatic(node: ts.Node): boolean {
  for (let at = node; at; at = at.parent) if (ts.isFunctionLike(at)) return false;
  return true;
}

type Anchored = Map<ts.Node, { change: Change; index: number }[]>;

function render(node: ts.Node, source: ts.SourceFile, byAnchor: Anchored): string {
  const constant = moduleConstant(node);
  if (constant && hasMutants(constant.initializer, byAnchor)) return recomputed(node, constant, source, byAnchor);
  let text = "";
  let at = node.getStart(source);
  if (ts.isSourceFile(node)) at = 0;
  const children: ts.Node[] = [];
  node.forEachChild((child) => {
    children.push(child);
  });
  for (const child of children.sort((one, other) => one.pos - other.pos)) {
    const start = child.getStart(source);
    if (start < at) continue;
    text += source.text.slice(at, start) + render(child, source, byAnchor);
    at = child.end;
  }
  text += source.text.slice(at, node.end);
  for (const { change, index } of byAnchor.get(node) ?? []) text = behindSwitch(node, text, change, index, source);
  return text;
}

function behindSwitch(node: ts.Node, text: string, change: Change, index: number, source: ts.SourceFile): string {
  if (ts.isExpressionStatement(node)) return `{ if (!__m(${index})) { ${text} } }`;
  const mutated =
    source.text.slice(node.getStart(source), change.start) + change.text + source.text.slice(change.end, node.end);
  return `(__m(${index}) ? (${mutated}) : (${text}))`;
}

type Constant = ts.VariableDeclaration & { name: ts.Identifier; initializer: ts.Expression };

/** Returns the only constant that this statement of the module declares, or null if it can't be computed again. */
function moduleConstant(node: ts.Node): Constant | null {
  if (!ts.isVariableStatement(node) || !ts.isSourceFile(node.parent)) return null;
  const [one, ...others] = node.declarationList.declarations;
  if (!one?.initializer || others.length > 0 || !ts.isIdentifier(one.name)) return null;
  const isConstant = (node.declarationList.flags & ts.NodeFlags.Const) !== 0;
  return isConstant && !/\bawait\b/.test(one.initializer.getText()) ? (one as Constant) : null;
}

/** Returns whether the expression has mutants outside the functions in it. */
function hasMutants(node: ts.Node, byAnchor: Anchored): boolean {
  if (ts.isFunctionLike(node)) return false;
  return byAnchor.has(node) || (ts.forEachChild(node, (child) => hasMutants(child, byAnchor) || undefined) ?? false);
}

function recomputed(
  statement: ts.Node,
  { name, initializer }: Constant,
  source: ts.SourceFile,
  byAnchor: Anchored,
): string {
  const isExported = statement.getText(source).startsWith("export ");
  const compute = `__compute_${name.text}`;
  const variable = `${isExported ? "export " : ""}let ${name.text}: any = ${compute}();`;
  return `const ${compute} = (): any => (${render(initializer, source, byAnchor)}); ${variable} __again(() => { ${name.text} = ${compute}(); });`;
}
