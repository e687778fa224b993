import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

test("reads and parses forms in app/http/requests/read-form.ts only, which holds their limits", () => {
  const readers = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..")))
    .filter(([, source]) =>
      /\.formData\(|\bparseWithZod\b|@conform-to\/|safeParse\(Object\.fromEntries\(form/.test(source),
    )
    .map(([path]) => path);
  // The order API reads the forms of programs, below a limit of its own and without nested fields.
  expect(readers.sort()).toEqual(["app/http/requests/api-request.ts", "app/http/requests/read-form.ts"]);
});
