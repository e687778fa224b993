import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";
import { parseFile } from "./parsed-files.ts";

/** Names of schema fields that hold the name of a person or a thing. */
const NAMES = /^(name|fullName|passkeyName|category|network|title|label)$/;

test("cleans every name where it comes in, with cleanName or requiredName", () => {
  const fields = Object.entries(sourceFiles(join(import.meta.dirname, "..", ".."))).flatMap(([path, source]) =>
    namedFields(path, source),
  );
  const isCleaned = ({ read }: { read: string }) => /\b(cleanName|requiredName)\b/.test(read);
  expect(fields.filter(isCleaned).length).toBeGreaterThan(8);
  // What is trimmed was typed by somebody.
  const typed = fields.filter(({ read }) => /\btrim\(|\brequiredText\(|\\p\{Cc\}/.test(read));
  expect(typed.filter((field) => !isCleaned(field))).toEqual([]);
});

/** Returns the fields and constants of a file that are schemas of a name, and how they read it. */
function namedFields(path: string, source: string): { path: string; read: string }[] {
  const file = parseFile(path, source);
  const found: { path: string; read: string }[] = [];
  const visit = (node: ts.Node): void => {
    const isNamed = ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node);
    const read = isNamed && NAMES.test(node.name.getText()) ? (node.initializer?.getText() ?? "") : "";
    if (/^(z|v)\b|^text\s*\.(transform|default)\(|^required(Name|Text)\(/.test(read)) found.push({ path, read });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
