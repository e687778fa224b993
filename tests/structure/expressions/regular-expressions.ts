import ts from "typescript";
import { parseFile } from "../parsed-files.ts";

/** A regular expression of the source. `source`: null if it is put together from what only a run knows. */
export type Expression = { path: string; text: string; source: string | null; flags: string };

/** Returns every literal and every `RegExp(...)` of the files, with constants of the same file filled in. */
export function regularExpressions(files: Record<string, string>): Expression[] {
  return Object.entries(files).flatMap(([path, code]) => {
    const file = parseFile(path, code);
    const constants = constantsOf(file);
    const found: Expression[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf("/");
        found.push({ path, text: node.text, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
      }
      if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp") {
        const [pattern, flags] = node.arguments ?? [];
        const source = pattern ? textOf(pattern, constants) : null;
        found.push({ path, text: node.getText(), source, flags: flags ? (textOf(flags, constants) ?? "") : "" });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  });
}

function constantsOf(file: ts.SourceFile): Map<string, ts.Expression> {
  const constants = file.statements
    .filter(ts.isVariableStatement)
    .filter(({ declarationList }) => (declarationList.flags & ts.NodeFlags.Const) !== 0)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .flatMap(({ name, initializer }) => (initializer ? [[name.getText(), initializer] as const] : []));
  return new Map(constants);
}

/** Returns the text that an expression stands for, or null if the file alone does not tell. */
function textOf(node: ts.Expression, constants: Map<string, ts.Expression>): string | null {
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return node.text;
  if (ts.isIdentifier(node)) {
    const value = constants.get(node.text);
    return value ? textOf(value, constants) : null;
  }
  if (ts.isTaggedTemplateExpression(node)) {
    return node.tag.getText() === "String.raw" ? templateText(node.template, constants, true) : null;
  }
  return ts.isTemplateExpression(node) ? templateText(node, constants, false) : null;
}

function templateText(node: ts.TemplateLiteral, constants: Map<string, ts.Expression>, isRaw: boolean): string | null {
  const written = (piece: ts.TemplateLiteralLikeNode) => (isRaw ? (piece.rawText ?? "") : piece.text);
  if (ts.isNoSubstitutionTemplateLiteral(node)) return written(node);
  const pieces = node.templateSpans.map(({ expression, literal }) => {
    const text = textOf(expression, constants);
    return text === null ? null : text + written(literal);
  });
  return pieces.includes(null) ? null : written(node.head) + pieces.join("");
}

/**
 * Returns whether an expression is linear at a glance, which saves the checker's seconds: nothing in it repeats without
 * a bound, or one thing does and it is tried at one place. An expression that repeats a group without a bound, or a group
 * that can be matched in several ways, is for the checker, and so is one with two long repetitions.
 */
export function isPlainlyLinear(source: string, flags: string): boolean {
  let left = source
    .replaceAll(/\\./gs, "x")
    .replaceAll(/\[[^\]]*\]/g, "x")
    .replaceAll("(?", "(");
  if (repeatsChoice(left) || (left.match(LONG)?.length ?? 0) > 1) return false;
  const loops = left.match(/[*+]|\{\d+,\}/g)?.length ?? 0;
  if (loops === 0) return true;
  if (/\)[*+{]/.test(left)) return false;
  while (/\([^()]*\)/.test(left)) left = left.replaceAll(/\([^()]*\)/g, "x");
  return loops === 1 && left.startsWith("^") && !left.includes("|") && !flags.includes("m");
}

/** A repetition whose longest is a hundred times or more. */
const LONG = /\{\d+,\d{3,}\}/g;
/** Stands for a group that can be matched in several ways, and for one that is repeated. */
const [CHOICE, REPEATED] = ["|", "\0"];

/** Returns whether a group is repeated that holds alternatives or a repetition of no fixed length. */
function repeatsChoice(source: string): boolean {
  let left = source;
  for (let before = ""; before !== left; ) {
    before = left;
    left = left.replaceAll(/\(([^()]*)\)(\{)?/g, (_, inside: string, repetition = "") => {
      const isChoice = /[*+?|]|\{\d+,\d*\}/.test(inside);
      return (isChoice ? (repetition ? REPEATED : CHOICE) : "x") + repetition;
    });
  }
  return left.includes(REPEATED);
}
