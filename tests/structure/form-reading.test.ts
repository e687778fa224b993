import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

test("reads forms in app/http/requests/counted-form.ts only, which counts what is in them first", () => {
  const readers = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..")))
    .filter(([, source]) =>
      /\.formData\(|\bparseWithZod\b|@conform-to\/|safeParse\(Object\.fromEntries\(form/.test(source),
    )
    .map(([path]) => path);
  expect(readers).toEqual(["app/http/requests/counted-form.ts"]);
});
