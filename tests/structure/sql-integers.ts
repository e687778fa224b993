import ts from "typescript";
import { parseFile } from "./parsed-files.ts";

/**
 * Finds `sql` templates and `sql.raw` texts that may compute a fraction, which an INTEGER column of a STRICT table
 * refuses: a division in which a bound value may take part (D1 binds every JavaScript number as REAL), a literal
 * fraction, an average. What is inside `cast(... as integer)` is fine. Columns and `sql.raw` are no bound values.
 * Returns "path: code".
 */
export function fractionalSql(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([path, source]) => {
    const file = parseFile(path, source);
    const tables = tablesOf(file);
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (computesFraction(node, tables)) found.push(`${path}: ${node.getText()}`);
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  });
}

function computesFraction(node: ts.Node, tables: Set<string>): boolean {
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === "sql") {
    return isFractional(node.template, (value) => isBound(value, tables));
  }
  if (!ts.isCallExpression(node)) return false;
  const [text] = node.arguments;
  const called = node.expression.getText();
  // Drizzle's function of that name, not SQL's.
  if (called === "avg" || called === "avgDistinct") return true;
  return called === "sql.raw" && text !== undefined && isTemplate(text) && isFractional(text, () => false);
}

function isFractional(
  template: ts.TemplateLiteral | ts.StringLiteral,
  isBoundValue: (value: ts.Expression) => boolean,
) {
  const spans = ts.isTemplateExpression(template) ? template.templateSpans : [];
  const head = ts.isTemplateExpression(template) ? template.head.text : template.text;
  const text = [
    head,
    ...spans.map(({ expression, literal }) => (isBoundValue(expression) ? BOUND : "column") + literal.text),
  ];
  const sql = withoutCasts(text.join("").replaceAll(/'[^']*'/g, "''"));
  return (sql.includes("/") && sql.includes(BOUND)) || /(?<!\w)\d*\.\d|\bavg\s*\(/i.test(sql);
}

/** Stands for a bound value. */
const BOUND = "?";

/** Removes every `cast(... as integer)`. */
function withoutCasts(sql: string): string {
  const start = sql.search(/\bcast\(/i);
  if (start < 0) return sql;
  let end = start + "cast(".length;
  for (let depth = 1; depth > 0 && end < sql.length; end++) depth += { "(": 1, ")": -1 }[sql[end] ?? ""] ?? 0;
  const cast = sql.slice(start, end);
  const kept = /\bas integer\s*\)$/i.test(cast) ? "" : withoutCasts(cast.slice("cast(".length));
  return sql.slice(0, start) + kept + withoutCasts(sql.slice(end));
}

function isBound(value: ts.Expression, tables: Set<string>): boolean {
  if (ts.isCallExpression(value) && value.expression.getText() === "sql.raw") return false;
  return !(ts.isPropertyAccessExpression(value) && tables.has(value.expression.getText()));
}

function isTemplate(node: ts.Node): node is ts.TemplateLiteral | ts.StringLiteral {
  return ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isStringLiteral(node);
}

/** Returns the names that stand for tables: imports from the schema, and tables, aliases and subqueries of the file. */
function tablesOf(file: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportSpecifier(node) && /(schema|-tables)(\.server)?\.ts"$/.test(moduleOf(node)))
      names.add(node.name.text);
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && makesTable(node.initializer)) {
      names.add(node.name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}

function moduleOf(specifier: ts.ImportSpecifier): string {
  return specifier.parent.parent.parent.moduleSpecifier.getText();
}

function makesTable(made: ts.Expression | undefined): boolean {
  if (!made || !ts.isCallExpression(made)) return false;
  return /(^|\.)(personalTable|impersonalTable|sqliteTable|alias|aliasedTable|as)$/.test(made.expression.getText());
}
