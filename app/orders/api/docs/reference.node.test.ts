import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RESPONSE_SCHEMAS } from "#app/orders/api/api-schema.server.ts";
import { API_CHANGELOG } from "./api-changelog.ts";
import { LANGUAGES, sample } from "./code-samples.ts";
import { openApiDocument } from "./openapi.server.ts";
import { referenceOf } from "./reference.server.ts";
import { RESPONSE_EXAMPLES, type ResponseName } from "./response-examples.server.ts";

const document = openApiDocument("https://growline.example");
const reference = referenceOf(document);

test("gives each response an example that matches its schema", () => {
  for (const [name, example] of Object.entries(RESPONSE_EXAMPLES)) {
    expect(RESPONSE_SCHEMAS[name as ResponseName].safeParse(example).success, name).toBe(true);
  }
});

test("lists every route and every panel action", () => {
  const shown = reference.operations.map(({ method, path, id }) => `${method} ${path} ${id}`);
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of Object.keys(methods)) {
      expect(
        shown.some((line) => line.startsWith(`${method.toUpperCase()} ${path} `)),
        `${method} ${path}`,
      ).toBe(true);
    }
  }
  expect(shown.filter((line) => line.includes("/api/v2")).map((line) => line.split(" panel-")[1])).toEqual(
    Object.keys(document["x-actions"]),
  );
  expect(new Set(reference.operations.map(({ id }) => id)).size).toBe(reference.operations.length);
});

test("shows the fields, an example response and the errors of every operation", () => {
  for (const operation of reference.operations) {
    expect(operation.responses.length, operation.id).toBeGreaterThan(0);
    expect(
      operation.responses.every(({ example }) => example !== null),
      operation.id,
    ).toBe(true);
    expect(operation.errors.length, operation.id).toBeGreaterThan(0);
    if (operation.body) {
      const known = operation.fields.map(({ name }) => name);
      expect(known, operation.id).toEqual(expect.arrayContaining(Object.keys(operation.body)));
    }
  }
});

test("explains every error code in the API's source", () => {
  const known = new Map(reference.errors.map((error) => [error.code, error]));
  const root = join(import.meta.dirname, "..", "..", "..");
  const sources = ["orders/api", "routes/api"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".ts") && !name.includes(".test."))
      .map((name) => readFileSync(join(root, folder, name), "utf8")),
  );
  const codes = sources.flatMap((source) => [...source.matchAll(/code: "([a-z_]+)"/g)].map(([, code = ""]) => code));
  expect(codes.length).toBeGreaterThan(10);
  for (const code of codes) expect(known.get(code)?.advice, code).toBeTruthy();
  for (const operation of reference.operations) {
    for (const { code } of operation.errors) if (code !== null) expect(known.has(code), code).toBe(true);
  }
});

test("takes its version from the newest changelog entry, and lists dates newest first", () => {
  expect(reference.version).toBe(API_CHANGELOG[0].version);
  const days = API_CHANGELOG.map(({ date }) => date);
  expect([...days].sort().reverse()).toEqual(days);
});

test("puts the key and the values into samples, quoted for their language", () => {
  const request = {
    method: "POST" as const,
    url: "https://growline.example/api/v2",
    key: "gl_live_abc123…",
    form: true,
    query: {},
    headers: {},
    body: { action: "add", comments: `it's "good"\\` },
  };
  for (const language of LANGUAGES) expect(sample(language, request), language).toContain("gl_live_abc123…");
  expect(sample("curl", request)).toContain(`'comments=it'\\''s "good"\\'`);
  expect(sample("php", request)).toContain(`'it\\'s "good"\\\\'`);
  expect(sample("python", request)).toContain('"it\'s \\"good\\"\\\\"');
  expect(sample("javascript", { ...request, form: false })).toContain("JSON.stringify(");
});
