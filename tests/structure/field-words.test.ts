import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import type { FieldWords } from "#app/words/field-words.ts";
import { sourceFiles } from "./arrows.ts";
import { parseFile } from "./parsed-files.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SOURCES = Object.entries(sourceFiles(ROOT)).filter(([path]) => path.startsWith("app/"));
const WORDS = Object.fromEntries(
  Object.values(import.meta.glob<Record<string, FieldWords>>("/app/words/*-words.ts", { eager: true }))
    .flatMap((exports) => Object.entries(exports))
    .filter(([name]) => /^[A-Z_]+_WORDS$/.test(name)),
);

/** Columns that say something else than their field: what the row is, or which of two rates. */
const OTHERWISE = [
  "app/console/catalog/services/table/service-columns.tsx: name",
  "app/console/catalog/services/table/service-columns.tsx: enabled",
  "app/console/customers/tiers/tier-columns.tsx: name",
  "app/console/customers/tiers/tier-columns.tsx: rate",
  "app/console/customers/tiers/tier-columns.tsx: enabled",
];

test("writes no label of a field by hand where its form, list or filter has the words of its fields", () => {
  const named = SOURCES.flatMap(([path, source]) => labels(path, source));
  expect(named.filter(({ label }) => label.includes("_WORDS")).length).toBeGreaterThan(30);
  const written = named.filter(
    ({ path, field, label, words }) =>
      words.some((one) => Object.hasOwn(one, field)) && isLiteral(label) && !OTHERWISE.includes(`${path}: ${field}`),
  );
  expect(written.map(({ path, field, label }) => `${path}: ${field} ${label}`)).toEqual([]);
});

test("starts every label with a capital letter, as it stands in a form", () => {
  for (const [name, words] of Object.entries(WORDS)) {
    for (const value of Object.values(words)) {
      expect(typeof value === "string" ? value : value.label, name).toMatch(/^\p{Lu}/u);
    }
  }
});

/** Returns each field that a file names with its label: JSX with `name` and `label`, and columns with `name` and `header`. */
function labels(path: string, source: string): { path: string; field: string; label: string; words: FieldWords[] }[] {
  if (!/\.tsx$/.test(path) || !source.includes("_WORDS")) return [];
  const words = Object.entries(WORDS).flatMap(([name, one]) => (source.includes(name) ? [one] : []));
  const found: { path: string; field: string; label: string; words: FieldWords[] }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJsxAttributes(node)) add(attribute(node, "name"), attribute(node, "label"));
    if (ts.isObjectLiteralExpression(node)) add(property(node, "name"), property(node, "header"));
    ts.forEachChild(node, visit);
  };
  const add = (field: string | undefined, label: string | undefined) => {
    if (field && label && isLiteral(field)) found.push({ path, field: field.slice(1, -1), label, words });
  };
  visit(parseFile(path, source));
  return found;
}

function attribute(attributes: ts.JsxAttributes, name: string): string | undefined {
  const found = attributes.properties.find((one) => ts.isJsxAttribute(one) && one.name.getText() === name);
  return found && ts.isJsxAttribute(found) ? found.initializer?.getText() : undefined;
}

function property(object: ts.ObjectLiteralExpression, name: string): string | undefined {
  const found = object.properties.find((one) => ts.isPropertyAssignment(one) && one.name.getText() === name);
  return found && ts.isPropertyAssignment(found) ? found.initializer.getText() : undefined;
}

function isLiteral(text: string): boolean {
  return /^["'`]/.test(text);
}
