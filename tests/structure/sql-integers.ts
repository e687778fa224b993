import ts from "typescript";

/**
 * Finds `sql` templates that divide, and in which a value from outside may take part: D1 binds every JavaScript number
 * as REAL, so the quotient is a fraction, which an INTEGER column of a STRICT table refuses. Columns and `sql.raw` are
 * no bound values; a bound one is written `cast(${value} as integer)`. Returns "path: template".
 */
export function boundDivisions(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([path, source]) => {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === "sql" && isBoundDivision(node.template)) {
        found.push(`${path}: ${node.template.getText()}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true));
    return found;
  });
}

function isBoundDivision(template: ts.TemplateLiteral): boolean {
  if (!ts.isTemplateExpression(template)) return false;
  const texts = [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)];
  if (!texts.some((text) => text.replaceAll(/'[^']*'/g, "").includes("/"))) return false;
  return template.templateSpans.some(({ expression, literal }, index) => {
    const isCast = /cast\($/i.test(texts[index] ?? "") && /^ as integer\)/i.test(literal.text);
    const isRaw = ts.isCallExpression(expression) && expression.expression.getText() === "sql.raw";
    return !isCast && !isRaw && !ts.isPropertyAccessExpression(expression);
  });
}
