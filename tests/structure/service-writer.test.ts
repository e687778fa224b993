import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";
import { parseFile } from "./parsed-files.ts";

const WRITER = "app/orders/services/change-services.server.ts";
const WRITES = new Set(["insert", "update", "delete"]);
/** Statements in SQL, where `?` stands for a value that the source puts in. */
const SQL_WRITE = /\b(?:insert(?: or \w+)? into|replace into|update(?: or \w+)?|delete from)\s+["'`[]?services\b/i;

test("writes services in one file", () => {
  const writing = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..")))
    .filter(([path, source]) => serviceWrites(path, source).length > 0)
    .map(([path]) => path);
  expect(writing).toEqual([WRITER]);
});

test.each([
  ["a table", `import { services } from "#app/db/schema.server.ts"; db.update(services).set({});`],
  ["a table under another name", `import { services as sold } from "#app/db/schema.server.ts"; db.delete(sold);`],
  ["a table of the schema", `import * as schema from "#app/db/schema.server.ts"; db.insert(schema.services);`],
  ["SQL", "db.run(sql`update services set rate = 1`);"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a source, not a text
  ["SQL about the table", 'import { services } from "./tables.ts"; db.run(sql`delete from ${services} where id = 1`);'],
  ["quoted SQL", `database.prepare('INSERT OR IGNORE INTO "services" (id) values (1)');`],
])("finds writes by %s", (_, source) => {
  expect(serviceWrites("app/sample.ts", source)).toHaveLength(1);
});

test("takes reads and other tables for none", () => {
  const reads = 'import { services, serviceTimes } from "#app/db/schema.server.ts"; db.select().from(services); ';
  const others = "db.update(serviceTimes); db.run(sql`delete from service_days`); set.delete(services.id);";
  expect(serviceWrites("app/sample.ts", reads + others)).toEqual([]);
});

/** Returns the code of each place that writes the table, by Drizzle or in SQL. */
function serviceWrites(path: string, source: string): string[] {
  if (!source.includes("services")) return [];
  const file = parseFile(path, source);
  const names = tableNames(file);
  const isTable = (node: ts.Node | undefined) =>
    node !== undefined &&
    ((ts.isIdentifier(node) && names.has(node.text)) ||
      (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.name.text === "services"));
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      if (WRITES.has(node.expression.name.text) && isTable(node.arguments[0])) found.push(node.getText());
    }
    const text = ts.isStringLiteralLike(node) ? node.text : ts.isTemplateExpression(node) ? sqlOf(node, isTable) : "";
    if (SQL_WRITE.test(text)) found.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Returns the names that a file gives to what another one calls `services`. */
function tableNames(file: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  for (const statement of file.statements) {
    const bindings = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    for (const { name, propertyName } of bindings.elements) {
      if ((propertyName ?? name).text === "services") names.add(name.text);
    }
  }
  return names;
}

/** Returns the text of a template, with the table's name where the table is put in. */
function sqlOf(node: ts.TemplateExpression, isTable: (node: ts.Node) => boolean): string {
  const spans = node.templateSpans.map(
    ({ expression, literal }) => `${isTable(expression) ? "services" : "?"}${literal.text}`,
  );
  return node.head.text + spans.join("");
}
