import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

// Bytes are limited where a body is read. What a parser makes of them is counted in the files below, before it is made.
// Not seen here: a text that is split in another file than the one that read its body.

const files = Object.entries(sourceFiles(join(import.meta.dirname, "..", ".."))).filter(
  ([path]) => !/\.test\.tsx?$/.test(path) && /^(app|workers)\//.test(path),
);

function filesWith(pattern: RegExp): string[] {
  return files
    .filter(([, source]) => pattern.test(source))
    .map(([path]) => path)
    .toSorted();
}

test("parses forms, tables and emails in one place each", () => {
  expect(filesWith(/\.formData\(\)/)).toEqual(["app/http/requests/counted-form.ts"]);
  expect(filesWith(/from "csv-parse\b/)).toEqual(["app/orders/mass/mass-lines.server.ts"]);
  expect(filesWith(/import PostalMime\b/)).toEqual(["workers/support/email-answers.ts"]);
});

test("neither splits nor parses a body where it is read, unless it counts", () => {
  const readers = files.filter(([, source]) => /\b(readAtMost|cappedFetch)\(/.test(source));
  expect(readers.length).toBeGreaterThan(8);
  const parsing = readers.flatMap(([path, source]) =>
    [...source.matchAll(/JSON\.parse\((?!env\.)|\.matchAll\(|\.split\([^,()]+\)/g)].map(
      ([found]) => `${path} ${found}`,
    ),
  );
  expect(parsing.toSorted()).toEqual([]);
});
