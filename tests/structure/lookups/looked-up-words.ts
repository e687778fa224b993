import ts from "typescript";
import { parseFile } from "../parsed-files.ts";

/**
 * Finds where a word that may come from outside looks up a plain object, which also has what every object inherits:
 * "constructor" finds a function. Returns "path: code" of each place that reads
 *
 * - by a computed name from a value that is declared as a record of any name, here or in another file by the same name,
 * - by a computed name from an object literal at the place itself,
 * - by a name that is cast to one of the record's, in an expression without `Object.hasOwn`,
 * - or that asks `name in record`.
 *
 * It reads declarations, not types: it can't see a record whose type is inferred, nor a property that is a list elsewhere,
 * and takes two values of one name in a file for one. A name that is only written is no lookup.
 */
export function plainLookups(files: Record<string, string>): string[] {
  const parsed = Object.entries(files).map(([path, source]) => [path, parseFile(path, source)] as const);
  const sources = parsed.map(([, file]) => file);
  const openTypes = new Set<string>();
  // An alias may be of an alias that stands in a later file.
  for (let known = -1; known < openTypes.size; ) {
    known = openTypes.size;
    for (const file of sources) for (const statement of file.statements) noteOpenType(statement, openTypes);
  }
  const isOpen = (type: ts.TypeNode | undefined) => type !== undefined && isOpenType(type, openTypes);
  const [properties, lists, exported] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const [path, file] of parsed) {
    each(file, (node) => {
      if (ts.isPropertySignature(node) || ts.isPropertyDeclaration(node)) {
        if (isOpen(node.type)) properties.add(areaOf(path) + node.name.getText());
        if (node.type && ts.isArrayTypeNode(node.type)) lists.add(areaOf(path) + node.name.getText());
      }
      if (ts.isVariableDeclaration(node) && isOpen(node.type) && isExported(node)) exported.add(node.name.getText());
    });
  }
  const propertiesIn = (area: string) =>
    new Set(
      [...properties]
        .filter((name) => name.startsWith(area) && !lists.has(name))
        .map((name) => name.slice(area.length)),
    );
  const areas = new Map([...new Set(parsed.map(([path]) => areaOf(path)))].map((area) => [area, propertiesIn(area)]));
  return parsed.flatMap(([path, file]) => {
    const properties = areas.get(areaOf(path)) ?? new Set();
    const names = openNames(file, { isOpen, properties, exported });
    const found: string[] = [];
    each(file, (node) => {
      if (isPlainLookup(node, names, properties)) found.push(`${path}: ${node.getText()}`);
    });
    return found;
  });
}

/** Returns the first folder of a path, with its slash. A property's name says little about one of another. */
function areaOf(path: string): string {
  return path.slice(0, path.indexOf("/") + 1);
}

function each(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => each(child, visit));
}

function noteOpenType(node: ts.Node, openTypes: Set<string>): void {
  if (ts.isTypeAliasDeclaration(node) && isOpenType(node.type, openTypes)) openTypes.add(node.name.text);
  if (ts.isInterfaceDeclaration(node) && node.members.some(ts.isIndexSignatureDeclaration))
    openTypes.add(node.name.text);
}

const WRAPPERS = new Set(["Partial", "Readonly", "NonNullable", "Required"]);

/** Returns whether a type lets any text name a value. */
function isOpenType(type: ts.TypeNode, openTypes: Set<string>): boolean {
  if (ts.isParenthesizedTypeNode(type)) return isOpenType(type.type, openTypes);
  if (ts.isUnionTypeNode(type)) return type.types.some((one) => isOpenType(one, openTypes));
  if (ts.isTypeLiteralNode(type)) return type.members.some(isNamedByText);
  if (!ts.isTypeReferenceNode(type)) return false;
  const name = type.typeName.getText();
  const [first] = type.typeArguments ?? [];
  if (name === "Record") return first !== undefined && isAnyText(first);
  if (WRAPPERS.has(name)) return first !== undefined && isOpenType(first, openTypes);
  return openTypes.has(name);
}

function isNamedByText(member: ts.TypeElement): boolean {
  return ts.isIndexSignatureDeclaration(member) && member.parameters.some(({ type }) => type && isAnyText(type));
}

function isAnyText(type: ts.TypeNode): boolean {
  return type.kind === ts.SyntaxKind.StringKeyword || ts.isTemplateLiteralTypeNode(type);
}

function isExported(declaration: ts.VariableDeclaration): boolean {
  const statement = declaration.parent.parent;
  const modifiers = ts.isVariableStatement(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

type Known = {
  isOpen: (type: ts.TypeNode | undefined) => boolean;
  properties: ReadonlySet<string>;
  exported: ReadonlySet<string>;
};

/** Returns the names of a file that stand for records of any name. */
function openNames(file: ts.SourceFile, { isOpen, properties, exported }: Known): Set<string> {
  const names = new Set<string>();
  const closed = new Set<string>();
  each(file, (node) => {
    if ((ts.isVariableDeclaration(node) || ts.isParameter(node)) && ts.isIdentifier(node.name)) {
      if (isOpen(node.type)) names.add(node.name.text);
      else if (node.type || node.parent.kind === ts.SyntaxKind.VariableDeclarationList) closed.add(node.name.text);
    }
    if (ts.isImportSpecifier(node) && exported.has((node.propertyName ?? node.name).text)) names.add(node.name.text);
    if (ts.isBindingElement(node) && ts.isIdentifier(node.name) && ts.isObjectBindingPattern(node.parent)) {
      const property = (node.propertyName ?? node.name).getText();
      if (properties.has(property) && !closed.has(node.name.text)) names.add(node.name.text);
    }
  });
  return names;
}

function isPlainLookup(node: ts.Node, names: ReadonlySet<string>, properties: ReadonlySet<string>): boolean {
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword) {
    return !ts.isStringLiteralLike(node.left) && !node.left.getText().startsWith("Symbol.");
  }
  if (!ts.isElementAccessExpression(node) || isOnlyWritten(node) || !isComputedName(node.argumentExpression))
    return false;
  const of = ts.isParenthesizedExpression(node.expression) ? node.expression.expression : node.expression;
  if (ts.isAsExpression(node.argumentExpression)) return !isAskedBefore(node);
  if (ts.isObjectLiteralExpression(of)) return true;
  if (ts.isIdentifier(of)) return names.has(of.text);
  return ts.isPropertyAccessExpression(of) && properties.has(of.name.text);
}

function isOnlyWritten(node: ts.ElementAccessExpression): boolean {
  const { parent } = node;
  return (
    ts.isBinaryExpression(parent) && parent.left === node && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken
  );
}

/** Returns whether a key is neither written out, here or in a constant, nor computed as a number. */
function isComputedName(key: ts.Expression): boolean {
  if (ts.isStringLiteralLike(key) || ts.isNumericLiteral(key)) return false;
  if (/^(Math\.\w+\(|[A-Z][A-Z_]+$)/.test(key.getText())) return false;
  return !(ts.isPrefixUnaryExpression(key) || ts.isPostfixUnaryExpression(key) || ts.isBinaryExpression(key));
}

function isAskedBefore(node: ts.Node): boolean {
  for (let at = node.parent; at && !ts.isStatement(at); at = at.parent) {
    if (ts.isConditionalExpression(at) && at.condition.getText().includes("Object.hasOwn(")) return true;
  }
  return false;
}
