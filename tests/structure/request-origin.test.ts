import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

/** Files that show a request's origin to its sender, or compare it with the Origin or Referer header. */
const MAY_READ = [
  "app/http/requests/cross-site.ts",
  "app/http/requests/public-origin.ts",
  "app/http/requests/safe-path.ts",
  "app/root.tsx",
  "app/routes/api/docs.tsx",
  "app/routes/api/openapi-json.ts",
  "app/routes/debug/env.tsx",
  "app/routes/site/home.tsx",
];

test("takes the origin of links that leave the site from publicOrigin, not from the request", () => {
  const readers = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..")))
    .filter(([, source]) =>
      /new URL\(request\.url\)\.origin|\{[^}]*\borigin\b[^}]*\} = new URL\(request\.url\)/.test(source),
    )
    .map(([path]) => path);
  expect(readers.sort()).toEqual(MAY_READ);
});
