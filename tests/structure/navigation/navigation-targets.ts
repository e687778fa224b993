import { dirname, join } from "node:path";
import ts from "typescript";
import { parseFile } from "../parsed-files.ts";

/** Calls whose first argument is an address that the browser goes to. */
const GOING =
  /^(redirect|redirectDocument|Response\.redirect|navigate|(.+\.)?(navigate|location\.(assign|replace))|window\.open)$/;
/** Attributes of JSX that are such an address, of our own components, too. */
const ATTRIBUTES = /^(to|href|action|formAction)$/;
/** Functions that return a path of this site, `safePath` otherwise its second argument. */
const CHECKED = new Set(["safePath", "ownPath", "pathOf", "useOwnAddress"]);
/** Properties of an address, chosen by the author of the link. */
const CHOSEN_BY_OTHERS = new Set(["pathname", "href", "search", "hash", "url", "referrer", "referer"]);
/** A text that another one can follow without changing where it leads. */
const FIXED_START = /^(\/[\w.#?-]|[?#]|mailto:|https:\/\/[\w.-]+(\/|$)|data:text\/plain[;,]|about:blank$)/;

/**
 * Finds addresses that the browser is sent to, by a link, a form, a redirect or a script, whose start is not fixed in the
 * code and that no check returned. A name counts as fixed if everything is that the tree gives to it.
 * Returns "path: code".
 */
export function freeTargets(files: Record<string, string>): string[] {
  const trees = new Map(Object.entries(files).map(([path, source]) => [path, parseFile(path, source)]));
  const names = new Names(trees);
  const found: string[] = [];
  for (const [path, tree] of trees) {
    each(tree, (node) => {
      const target = targetOf(node);
      if (target && !isFixed(target, names)) found.push(`${path}: ${target.getText().replaceAll(/\s+/g, " ")}`);
    });
  }
  return found;
}

/** Returns the address in this node that the browser is sent to. */
function targetOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isCallExpression(node)) {
    const called = node.expression.getText();
    if (GOING.test(called)) return node.arguments[0];
    const [name, value] = node.arguments;
    return /\.(set|append)$/.test(called) && name && isText(name, "location") ? value : undefined;
  }
  if (ts.isJsxAttribute(node)) {
    return ATTRIBUTES.test(node.name.getText()) ? expressionOf(node) : undefined;
  }
  if (ts.isPropertyAssignment(node))
    return /^["']?location["']?$/i.test(node.name.getText()) ? node.initializer : undefined;
  const isAssigned = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return isAssigned && /\blocation(\.href)?$/.test(node.left.getText()) ? node.right : undefined;
}

function expressionOf({ initializer }: ts.JsxAttribute): ts.Expression | undefined {
  return initializer && ts.isJsxExpression(initializer) ? initializer.expression : initializer;
}

/** `isStart` asks whether another text can follow: "/" alone could become the start of another site's address. */
function isFixed(value: ts.Expression, names: Names, isStart = false): boolean {
  const fixed = (one: ts.Expression) => isFixed(one, names, isStart);
  if (ts.isParenthesizedExpression(value) || ts.isAsExpression(value) || ts.isSatisfiesExpression(value))
    return fixed(value.expression);
  if (ts.isNonNullExpression(value) || ts.isAwaitExpression(value)) return fixed(value.expression);
  if (ts.isStringLiteralLike(value)) return isFixedText(value.text, isStart);
  if (ts.isTemplateExpression(value)) {
    const [first] = value.templateSpans;
    if (value.head.text !== "") return FIXED_START.test(value.head.text);
    return first !== undefined && isFixed(first.expression, names, true);
  }
  if (ts.isConditionalExpression(value)) return fixed(value.whenTrue) && fixed(value.whenFalse);
  if (ts.isBinaryExpression(value)) return isFixedBinary(value, names, isStart);
  // An attribute of this name can hold markup, too.
  if (ts.isJsxElement(value) || ts.isJsxSelfClosingElement(value)) return true;
  if (ts.isPrefixUnaryExpression(value)) return ts.isNumericLiteral(value.operand);
  if (value.kind === ts.SyntaxKind.NullKeyword) return !isStart;
  if (ts.isObjectLiteralExpression(value)) return isFixedLocation(value, names);
  if (ts.isCallExpression(value)) return isFixedCall(value, names, isStart);
  if (ts.isPropertyAccessExpression(value)) return names.isFixedProperty(value.name.text, isStart, readBeside(value));
  if (ts.isElementAccessExpression(value)) return names.isFixedMember(value.expression, isStart);
  if (ts.isIdentifier(value)) return value.text === "undefined" ? !isStart : names.isFixedName(value, isStart);
  return false;
}

function isFixedText(text: string, isStart: boolean): boolean {
  return FIXED_START.test(text) || (!isStart && (text === "/" || text === "" || text === "." || text === ".."));
}

function isFixedBinary({ left, operatorToken, right }: ts.BinaryExpression, names: Names, isStart: boolean): boolean {
  switch (operatorToken.kind) {
    case ts.SyntaxKind.PlusToken:
      return isFixed(left, names, true);
    case ts.SyntaxKind.AmpersandAmpersandToken:
      return isFixed(right, names, isStart);
    case ts.SyntaxKind.BarBarToken:
    case ts.SyntaxKind.QuestionQuestionToken:
      return isFixed(left, names, isStart) && isFixed(right, names, isStart);
    default:
      return false;
  }
}

/** An object for React Router: only its `pathname` can lead elsewhere. */
function isFixedLocation({ properties }: ts.ObjectLiteralExpression, names: Names): boolean {
  return properties.every((property) => {
    if (ts.isSpreadAssignment(property)) return false;
    if (property.name?.getText() !== "pathname") return true;
    return ts.isPropertyAssignment(property) && isFixed(property.initializer, names);
  });
}

function isFixedCall(call: ts.CallExpression, names: Names, isStart: boolean): boolean {
  const called = call.expression.getText();
  if (CHECKED.has(called)) {
    const [, fallback] = call.arguments;
    return called !== "safePath" || (fallback !== undefined && isFixed(fallback, names, isStart));
  }
  if (ts.isPropertyAccessExpression(call.expression) && call.expression.name.text === "replace") {
    return isFixed(call.expression.expression, names, true);
  }
  return ts.isIdentifier(call.expression) && names.isFixedReturn(call.expression, isStart);
}

/** What the tree's names stand for. */
class Names {
  readonly #trees: Map<string, ts.SourceFile>;
  readonly #calls = new Map<string, ts.CallExpression[]>();
  /** What objects of the tree hold under a name. */
  readonly #given = new Map<string, ts.Expression[]>();
  /** The attributes that a component is drawn with, by its name. */
  readonly #drawn = new Map<string, ts.JsxAttributes[]>();
  /** A name that is being asked for counts as fixed, so that a circle ends. */
  readonly #known = [new Map<ts.Node | string, boolean>(), new Map<ts.Node | string, boolean>()] as const;

  constructor(trees: Map<string, ts.SourceFile>) {
    this.#trees = trees;
    for (const tree of trees.values()) {
      each(tree, (node) => {
        if (ts.isCallExpression(node) && ts.isIdentifier(node.expression))
          push(this.#calls, node.expression.text, node);
        else if (ts.isPropertyAssignment(node) && canHold(node))
          push(this.#given, node.name.getText(), node.initializer);
        else if (ts.isShorthandPropertyAssignment(node) && canHold(node)) push(this.#given, node.name.text, node.name);
        else if (ts.isJsxOpeningLikeElement(node)) push(this.#drawn, node.tagName.getText(), node.attributes);
      });
    }
  }

  /** `beside`: other properties that are read of the same object. An object that has none of them is another one. */
  isFixedProperty(name: string, isStart: boolean, beside: string[]): boolean {
    if (CHOSEN_BY_OTHERS.has(name)) return false;
    const given = (this.#given.get(name) ?? []).filter((value) => holdsOneOf(value.parent.parent, beside));
    const key = [name, ...beside.sort()].join(" ");
    return this.#once(key, isStart, () => given.length > 0 && given.every((it) => isFixed(it, this, isStart)));
  }

  isFixedName(name: ts.Identifier, isStart: boolean): boolean {
    const declared = this.#declarationOf(name);
    return declared !== undefined && this.#once(declared, isStart, () => this.#isFixedDeclaration(declared, isStart));
  }

  /** Any member of an object or a list in the code. */
  isFixedMember(value: ts.Expression, isStart: boolean): boolean {
    const declared = ts.isIdentifier(value) ? this.#declarationOf(value) : undefined;
    const held = declared && ts.isVariableDeclaration(declared) ? declared.initializer : undefined;
    const plain = held && (ts.isAsExpression(held) || ts.isSatisfiesExpression(held)) ? held.expression : held;
    if (!plain || !ts.isObjectLiteralExpression(plain)) return false;
    return plain.properties.every((it) => ts.isPropertyAssignment(it) && isFixed(it.initializer, this, isStart));
  }

  isFixedReturn(name: ts.Identifier, isStart: boolean): boolean {
    const declared = this.#declarationOf(name);
    const made = declared && functionOf(declared);
    if (!made) return false;
    return this.#once(made, isStart, () => {
      const { body } = made;
      if (!body) return false;
      if (!ts.isBlock(body)) return isFixed(body, this, isStart);
      const returned: ts.Expression[] = [];
      each(body, (node) => {
        if (ts.isReturnStatement(node) && node.expression && enclosing(node) === made) returned.push(node.expression);
      });
      return returned.length > 0 && returned.every((value) => isFixed(value, this, isStart));
    });
  }

  #isFixedDeclaration(declared: ts.Declaration, isStart: boolean): boolean {
    if (ts.isVariableDeclaration(declared)) {
      return declared.initializer !== undefined && isFixed(declared.initializer, this, isStart);
    }
    if (ts.isBindingElement(declared)) {
      if (!ts.isObjectBindingPattern(declared.parent)) return false;
      const isFallback = declared.initializer === undefined || isFixed(declared.initializer, this, isStart);
      const property = propertyOf(declared);
      const drawn = this.#drawn.get(componentOf(declared) ?? "");
      const beside = declared.parent.elements.filter((it) => it !== declared).map(propertyOf);
      if (!drawn) return isFallback && this.isFixedProperty(property, isStart, beside);
      return isFallback && drawn.every((attributes) => this.#isFixedAttribute(attributes, property, isStart));
    }
    if (!ts.isParameter(declared)) return false;
    const made = declared.parent;
    const at = made.parameters.indexOf(declared);
    const calls = (this.#calls.get(nameOf(made) ?? "") ?? []).filter((call) => isReachable(made, call));
    const given = calls.map((call) => call.arguments[at] ?? declared.initializer);
    return given.length > 0 && given.every((value) => value === undefined || isFixed(value, this, isStart));
  }

  #isFixedAttribute({ properties }: ts.JsxAttributes, name: string, isStart: boolean): boolean {
    const given = properties.find((it) => ts.isJsxAttribute(it) && it.name.getText() === name);
    // What is spread holds the attribute as an object of this component's other attributes.
    const beside = properties.flatMap((it) => (ts.isJsxAttribute(it) ? [it.name.getText()] : []));
    if (!given) return !properties.some(ts.isJsxSpreadAttribute) || this.isFixedProperty(name, isStart, beside);
    const value = expressionOf(given as ts.JsxAttribute);
    return value !== undefined && isFixed(value, this, isStart);
  }

  #declarationOf(name: ts.Identifier): ts.Declaration | undefined {
    for (let at: ts.Node | undefined = name.parent; at; at = at.parent) {
      const found = declarationsIn(at).find((it) => it.name?.getText() === name.text && !isWithin(name, it));
      if (found) return ts.isImportSpecifier(found) ? this.#imported(found) : found;
    }
    return undefined;
  }

  #imported(specifier: ts.ImportSpecifier): ts.Declaration | undefined {
    const source = specifier.parent.parent.parent.moduleSpecifier;
    if (!ts.isStringLiteral(source)) return undefined;
    const from = specifier.getSourceFile().fileName;
    const path = source.text.startsWith("#") ? source.text.slice(1) : join(dirname(from), source.text);
    const tree = this.#trees.get(path);
    const name = (specifier.propertyName ?? specifier.name).text;
    return tree && declarationsIn(tree).find((it) => it.name?.getText() === name);
  }

  #once(key: ts.Node | string, isStart: boolean, answer: () => boolean): boolean {
    const known = this.#known[isStart ? 1 : 0];
    const before = known.get(key);
    if (before !== undefined) return before;
    known.set(key, true);
    const found = answer();
    known.set(key, found);
    return found;
  }
}

type Named = ts.NamedDeclaration;

/** Returns what this node declares itself, not in a node inside it that has its own names. */
function declarationsIn(node: ts.Node): Named[] {
  if (ts.isSourceFile(node) || ts.isBlock(node)) return node.statements.flatMap(declarationsOf);
  if (ts.isFunctionLike(node))
    return node.parameters.flatMap((it) => (ts.isIdentifier(it.name) ? [it] : bound(it.name)));
  if (ts.isForOfStatement(node) && ts.isVariableDeclarationList(node.initializer)) {
    return node.initializer.declarations.flatMap((it) => (ts.isIdentifier(it.name) ? [it] : bound(it.name)));
  }
  return [];
}

function declarationsOf(statement: ts.Statement): Named[] {
  if (ts.isFunctionDeclaration(statement)) return [statement];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap((it) => (ts.isIdentifier(it.name) ? [it] : bound(it.name)));
  }
  if (!ts.isImportDeclaration(statement)) return [];
  const named = statement.importClause?.namedBindings;
  return named && ts.isNamedImports(named) ? [...named.elements] : [];
}

function bound(pattern: ts.BindingPattern): Named[] {
  return pattern.elements.flatMap((it) =>
    ts.isOmittedExpression(it) ? [] : ts.isIdentifier(it.name) ? [it] : bound(it.name),
  );
}

function functionOf(declared: ts.Declaration): ts.FunctionLikeDeclaration | undefined {
  if (ts.isFunctionDeclaration(declared)) return declared;
  const made = ts.isVariableDeclaration(declared) ? declared.initializer : undefined;
  return made && (ts.isArrowFunction(made) || ts.isFunctionExpression(made)) ? made : undefined;
}

function nameOf(made: ts.SignatureDeclaration): string | undefined {
  if (made.name) return made.name.getText();
  return ts.isVariableDeclaration(made.parent) ? made.parent.name.getText() : undefined;
}

function propertyOf(element: ts.BindingElement): string {
  return (element.propertyName ?? element.name).getText();
}

/** Returns the other properties that the function reads of this object. An item of a list is taken for a named link. */
function readBeside({ expression, name }: ts.PropertyAccessExpression): string[] {
  if (ts.isElementAccessExpression(expression)) return ["label"];
  const names = new Set<string>();
  each(enclosing(expression) ?? expression.getSourceFile(), (node) => {
    const isSame = ts.isPropertyAccessExpression(node) && node.expression.getText() === expression.getText();
    if (isSame && node.name.text !== name.text) names.add(node.name.text);
  });
  return [...names];
}

function holdsOneOf(object: ts.Node, names: string[]): boolean {
  if (names.length === 0 || !ts.isObjectLiteralExpression(object)) return true;
  return object.properties.some((it) => names.includes(it.name?.getText() ?? ""));
}

/**
 * A function is no address, and neither is a parameter of one, the schema of a field or an email's recipient. An object
 * with `from` or `now`, too, is a span or a change.
 */
function canHold(property: ts.PropertyAssignment | ts.ShorthandPropertyAssignment): boolean {
  const value = ts.isPropertyAssignment(property) ? property.initializer : property.name;
  const holder = property.parent.parent;
  const isQuery = ts.isNewExpression(holder) && holder.expression.getText() === "URLSearchParams";
  const isSpan = property.parent.properties.some((it) => /^(from|now)$/.test(it.name?.getText() ?? ""));
  return !isQuery && !isSpan && !ts.isArrowFunction(value) && !/^[vz]\.|email|recipient/i.test(value.getText());
}

/** Returns the component whose attribute this is. */
function componentOf(declared: ts.BindingElement): string | undefined {
  const parameter = declared.parent.parent;
  return ts.isParameter(parameter) ? nameOf(parameter.parent) : undefined;
}

/** A function that is not exported is called in its own file only. */
function isReachable(made: ts.SignatureDeclaration, call: ts.CallExpression): boolean {
  const isExported =
    ts.isFunctionDeclaration(made) && made.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  return isExported || made.getSourceFile() === call.getSourceFile();
}

function enclosing(node: ts.Node): ts.Node | undefined {
  let at: ts.Node | undefined = node.parent;
  while (at && !ts.isFunctionLike(at)) at = at.parent;
  return at;
}

/** `const path = f(path)` means another `path`. */
function isWithin(node: ts.Node, outer: ts.Node): boolean {
  return node.pos >= outer.pos && node.end <= outer.end && !ts.isFunctionDeclaration(outer);
}

function isText(node: ts.Expression, text: string): boolean {
  return ts.isStringLiteral(node) && node.text.toLowerCase() === text;
}

function each(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => each(child, visit));
}

function push<T>(all: Map<string, T[]>, name: string, value: T): void {
  const values = all.get(name);
  if (values) values.push(value);
  else all.set(name, [value]);
}
