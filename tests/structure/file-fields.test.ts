import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";
import { parseFile } from "./parsed-files.ts";

/**
 * A browser tells nothing of a file that is chosen again in a field that still has it: after a cancel or an error, nothing
 * would happen. Playwright reports such a choice all the same.
 */
const SOURCES = Object.entries(sourceFiles(join(import.meta.dirname, "..", ".."))).filter(
  ([path, source]) => path.endsWith(".tsx") && source.includes("file"),
);

test("empties each file field once a script has taken its files", () => {
  const fields = SOURCES.map(([path, source]) => ({ path, file: parseFile(path, source) })).filter(({ file }) =>
    some(file, isScriptedFileField),
  );
  expect(fields.length).toBeGreaterThan(2);
  expect(fields.filter(({ file }) => !some(file, empties)).map(({ path }) => path)).toEqual([]);
});

/** `<input type="file" onChange=…>` */
function isScriptedFileField(node: ts.Node): boolean {
  if (!ts.isJsxSelfClosingElement(node) && !ts.isJsxOpeningElement(node)) return false;
  const given = new Map(
    node.attributes.properties.flatMap((one) =>
      ts.isJsxAttribute(one) ? [[one.name.getText(), one.initializer?.getText()] as const] : [],
    ),
  );
  return given.get("type") === '"file"' && given.has("onChange");
}

/** `….value = ""` */
function empties(node: ts.Node): boolean {
  return (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
    ts.isPropertyAccessExpression(node.left) &&
    node.left.name.text === "value" &&
    ts.isStringLiteral(node.right) &&
    node.right.text === ""
  );
}

function some(node: ts.Node, is: (node: ts.Node) => boolean): boolean {
  return is(node) || (ts.forEachChild(node, (child) => some(child, is)) ?? false);
}
