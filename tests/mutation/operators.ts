import ts from "typescript";

/** A change of the text from `start` to `end`, made inside `anchor`: an expression, or a statement that is removed. */
export type Change = { anchor: ts.Expression | ts.ExpressionStatement; start: number; end: number; text: string };

const COMPARISONS: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.LessThanToken]: "<=",
  [ts.SyntaxKind.LessThanEqualsToken]: "<",
  [ts.SyntaxKind.GreaterThanToken]: ">=",
  [ts.SyntaxKind.GreaterThanEqualsToken]: ">",
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: "!==",
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: "===",
};

const ARITHMETIC: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.PlusToken]: "-",
  [ts.SyntaxKind.MinusToken]: "+",
  [ts.SyntaxKind.AsteriskToken]: "/",
  [ts.SyntaxKind.SlashToken]: "*",
  [ts.SyntaxKind.PercentToken]: "*",
};

/** Functions of drizzle and their mutated counterparts. */
const DRIZZLE = new Map(
  Object.entries({
    eq: "ne",
    ne: "eq",
    lt: "lte",
    lte: "lt",
    gt: "gte",
    gte: "gt",
    isNull: "isNotNull",
    isNotNull: "isNull",
    inArray: "notInArray",
    notInArray: "inArray",
    exists: "notExists",
    notExists: "exists",
    asc: "desc",
    desc: "asc",
    and: "or",
    or: "and",
  }),
);

/** Methods that a mutant leaves out: `list.filter(test)` becomes `list`. */
const REMOVED_METHODS = new Set(["filter", "sort", "toSorted", "slice", "trim", "toLowerCase", "where", "orderBy"]);
const SWAPPED_METHODS = new Map(
  Object.entries({
    some: "every",
    every: "some",
    startsWith: "endsWith",
    min: "max",
    max: "min",
    floor: "ceil",
    ceil: "floor",
  }),
);

/** Operators inside SQL text. Each match is one mutant. */
const SQL_OPERATORS: [RegExp, string][] = [
  [/ AND (?!\?? ?AND)/gi, " OR "],
  [/ OR (?!IGNORE|REPLACE|ABORT|FAIL|ROLLBACK)/gi, " AND "],
  [/ < /g, " <= "],
  [/ <= /g, " < "],
  [/ > /g, " >= "],
  [/ >= /g, " > "],
  [/ <> | != | IS NOT (?!NULL)/gi, " = "],
  [/ IS NULL\b/gi, " IS NOT NULL"],
  [/ IS NOT NULL\b/gi, " IS NULL"],
  [/\bNOT EXISTS\b/gi, "EXISTS"],
  [/ \+ /g, " - "],
  [/ - /g, " + "],
  [/\bmin\(/gi, "max("],
  [/\bmax\(/gi, "min("],
  [/ DESC\b/g, " ASC"],
];
const IS_SQL = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE)\b/;

/** Calls whose arguments only people read, in logs. */
const LOG_CALLS = /^(log|logError|console\.\w+)$/;

/** Returns the changes that belong to this node. Those of its children are found when the caller comes to them. */
export function changesOf(node: ts.Node, source: ts.SourceFile): Change[] {
  if (ts.isIfStatement(node)) return conditionChanges(node.expression, source);
  if (ts.isWhileStatement(node)) return replaced(node.expression, source, "false");
  if (ts.isConditionalExpression(node)) return conditionChanges(node.condition, source);
  if (ts.isBinaryExpression(node)) return binaryChanges(node, source);
  if (ts.isPrefixUnaryExpression(node)) return unaryChanges(node, source);
  if (node.kind === ts.SyntaxKind.TrueKeyword) return replaced(node as ts.Expression, source, "false");
  if (node.kind === ts.SyntaxKind.FalseKeyword) return replaced(node as ts.Expression, source, "true");
  if (ts.isNumericLiteral(node)) return numberChanges(node, source);
  if (ts.isExpressionStatement(node)) return removedStatement(node, source);
  if (ts.isReturnStatement(node)) return returnChanges(node, source);
  if (ts.isTaggedTemplateExpression(node)) return sqlChanges(node, node.template, source);
  if (ts.isStringLiteral(node) || ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    const isTagged = ts.isTaggedTemplateExpression(node.parent);
    return !isTagged && IS_SQL.test(node.getText(source)) ? sqlChanges(node, node, source) : [];
  }
  const chain = chainChanges(node, source);
  return ts.isCallExpression(node) ? [...chain, ...callChanges(node, source)] : chain;
}

/** Returns whether a mutant of the node or of its children would change only what people read in logs. */
export function isLogOnly(node: ts.Node, source: ts.SourceFile): boolean {
  return ts.isCallExpression(node) && LOG_CALLS.test(node.expression.getText(source));
}

/** Returns whether the node is a number made of literals alone, such as `60 * 60 * 1000`: it is mutated as one. */
export function isConstantNumber(node: ts.Node): boolean {
  if (ts.isNumericLiteral(node)) return true;
  if (ts.isParenthesizedExpression(node)) return isConstantNumber(node.expression);
  return ts.isBinaryExpression(node) && ARITHMETIC[node.operatorToken.kind] !== undefined
    ? isConstantNumber(node.left) && isConstantNumber(node.right)
    : false;
}

function conditionChanges(condition: ts.Expression, source: ts.SourceFile): Change[] {
  return [...replaced(condition, source, "true"), ...replaced(condition, source, "false")];
}

function binaryChanges(node: ts.BinaryExpression, source: ts.SourceFile): Change[] {
  const kind = node.operatorToken.kind;
  if (isConstantNumber(node)) return replaced(node, source, `(${node.getText(source)}) * 2`);
  const swap = (text: string): Change[] => [
    { anchor: node, start: node.operatorToken.getStart(source), end: node.operatorToken.end, text },
  ];
  if (kind === ts.SyntaxKind.AmpersandAmpersandToken) return swap("||");
  if (kind === ts.SyntaxKind.BarBarToken) return swap("&&");
  if (kind === ts.SyntaxKind.QuestionQuestionToken) return replaced(node, source, node.left.getText(source));
  const comparison = COMPARISONS[kind];
  // As a whole condition, an inverted equality repeats the mutants "true" and "false".
  if (comparison) return /^[!=]/.test(comparison) && isWholeCondition(node) ? [] : swap(comparison);
  const arithmetic = ARITHMETIC[kind];
  const hasText = [node.left, node.right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side));
  return arithmetic && !hasText ? swap(arithmetic) : [];
}

function isWholeCondition(node: ts.Expression): boolean {
  const { parent } = node;
  return (
    ((ts.isIfStatement(parent) || ts.isWhileStatement(parent)) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition === node)
  );
}

function unaryChanges(node: ts.PrefixUnaryExpression, source: ts.SourceFile): Change[] {
  if (node.operator !== ts.SyntaxKind.ExclamationToken || isWholeCondition(node)) return [];
  return replaced(node, source, node.operand.getText(source));
}

function numberChanges(node: ts.NumericLiteral, source: ts.SourceFile): Change[] {
  const { parent } = node;
  const isName = (ts.isPropertyAssignment(parent) && parent.name === node) || ts.isBindingElement(parent);
  if (isName || isConstantNumber(parent)) return [];
  // The first row of a query on a unique key: a second one is never there.
  if (ts.isCallExpression(parent) && /\.limit$/.test(parent.expression.getText(source)) && node.text === "1") return [];
  const text = node.getText(source);
  // A bound of thousands stands for a time or a size. What is one more cannot be told from it.
  return replaced(node, source, Number(node.text) < 1000 ? `${text} + 1` : `${text} * 2`);
}

function removedStatement(node: ts.ExpressionStatement, source: ts.SourceFile): Change[] {
  const expression = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
  if (ts.isStringLiteral(expression) || expression.getText(source).startsWith("super(")) return [];
  return [{ anchor: node, start: node.getStart(source), end: node.end, text: "" }];
}

function returnChanges({ expression }: ts.ReturnStatement, source: ts.SourceFile): Change[] {
  if (!expression || isConstantNumber(expression) || ts.isObjectLiteralExpression(expression)) return [];
  const text = expression.getText(source);
  if (text.endsWith("satisfies never")) return [];
  if (["null", "undefined", "true", "false"].includes(text)) return [];
  if (ts.isArrayLiteralExpression(expression))
    return expression.elements.length ? replaced(expression, source, "[]") : [];
  return replaced(expression, source, ts.isStringLiteralLike(expression) ? '""' : "null");
}

/** `a?.b` becomes `a.b`, at the root of the chain, because the parts of a chain cannot be evaluated alone. */
function chainChanges(node: ts.Node, source: ts.SourceFile): Change[] {
  const isAccess =
    ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isCallExpression(node);
  if (!isAccess || !node.questionDotToken) return [];
  const dot = node.questionDotToken;
  return [
    {
      anchor: chainRoot(node),
      start: dot.getStart(source),
      end: dot.end,
      text: ts.isPropertyAccessExpression(node) ? "." : "",
    },
  ];
}

function chainRoot(node: ts.Expression): ts.Expression {
  let root = node;
  while (ts.isOptionalChain(root.parent) && root.parent.expression === root) root = root.parent;
  return root;
}

function callChanges(node: ts.CallExpression, source: ts.SourceFile): Change[] {
  const called = node.expression;
  if (ts.isIdentifier(called) && DRIZZLE.has(called.text) && importsFrom(source, "drizzle-orm", called.text)) {
    return drizzleChanges(node, called, source);
  }
  if (!ts.isPropertyAccessExpression(called) || ts.isOptionalChain(node)) return [];
  const name = called.name.text;
  const isJoinedCondition = name === "where" && /^\(?(and|or)\(/.test(node.arguments[0]?.getText(source) ?? "");
  if (REMOVED_METHODS.has(name) && !isJoinedCondition) {
    return replaced(node, source, called.expression.getText(source));
  }
  const swapped = SWAPPED_METHODS.get(name);
  return swapped ? [{ anchor: node, start: called.name.getStart(source), end: called.name.end, text: swapped }] : [];
}

function drizzleChanges(node: ts.CallExpression, called: ts.Identifier, source: ts.SourceFile): Change[] {
  const joins = called.text === "and" || called.text === "or";
  const swap = {
    anchor: node,
    start: called.getStart(source),
    end: called.end,
    text: `__drizzle.${DRIZZLE.get(called.text)}`,
  };
  if (!joins) return [swap];
  if (node.arguments.length < 2) return [];
  // An argument as `undefined` is what drizzle leaves out.
  const dropped = node.arguments.map((one) => ({
    anchor: node,
    start: one.getStart(source),
    end: one.end,
    text: ts.isSpreadElement(one) ? "...[]" : "undefined",
  }));
  return called.text === "and" ? dropped : [swap, ...dropped];
}

function importsFrom(source: ts.SourceFile, module: string, name: string): boolean {
  return source.statements.some(
    (one) =>
      ts.isImportDeclaration(one) &&
      (one.moduleSpecifier as ts.StringLiteral).text === module &&
      one.importClause?.namedBindings !== undefined &&
      ts.isNamedImports(one.importClause.namedBindings) &&
      one.importClause.namedBindings.elements.some((element) => element.name.text === name),
  );
}

function sqlChanges(anchor: ts.Expression, text: ts.Node, source: ts.SourceFile): Change[] {
  if (ts.isTaggedTemplateExpression(anchor) && anchor.tag.getText(source) !== "sql") return [];
  const parts: ts.Node[] = ts.isTemplateExpression(text)
    ? [text.head, ...text.templateSpans.map((span) => span.literal)]
    : [text];
  return parts.flatMap((part) => {
    const start = part.getStart(source);
    const words = source.text.slice(start, part.end);
    return SQL_OPERATORS.flatMap(([pattern, by]) =>
      [...words.matchAll(pattern)].map(({ index, 0: found }) => ({
        anchor,
        start: start + index,
        end: start + index + found.length,
        text: by,
      })),
    );
  });
}

function replaced(anchor: ts.Expression, source: ts.SourceFile, text: string): Change[] {
  return [{ anchor, start: anchor.getStart(source), end: anchor.end, text }];
}
