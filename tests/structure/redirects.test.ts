import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

/** Code in the browser whose addresses are paths of our own site, in a variable. */
const OWN_PATHS = [
  "app/accounts/session/shared-refresh.ts",
  "app/native/network/watch-network.ts",
  "app/orders/api/docs/code-samples.ts",
  "app/orders/api/docs/try-it.tsx",
  "app/orders/catalog/use-catalog.ts",
  "app/support/client/room-http.ts",
];

test("follows no redirect of another server, which would take our keys and bodies elsewhere", () => {
  const files = Object.entries(sourceFiles(join(import.meta.dirname, "..", ".."))).filter(
    ([path]) => /^(app|workers)\//.test(path) && !/\.test\.tsx?$/.test(path) && !OWN_PATHS.includes(path),
  );
  const calls = files.flatMap(([path, source]) =>
    [...source.matchAll(/(?<![.\w]|async )fetch\(/g)].map(({ index }) => ({ path, call: callAt(source, index) })),
  );
  const outgoing = calls.filter(({ call }) => !/^fetch\(\s*(["`]\/|[A-Z_]+_PATH\b)/.test(call));
  expect(outgoing.length).toBeGreaterThan(4);
  const following = outgoing.filter(({ call }) => !/\bredirect: "(manual|error)"/.test(call));
  expect(following.map(({ path }) => path)).toEqual([]);
});

test("gives libraries no fetch but the one that follows no redirect", () => {
  const files = Object.entries(sourceFiles(join(import.meta.dirname, "..", ".."))).filter(
    ([path, source]) => /^(app|workers)\//.test(path) && /customFetch|createFetchHttpClient|new Stripe\(/.test(source),
  );
  for (const [path, source] of files) expect(source, path).toMatch(/cappedFetch\(/);
  expect(files.length).toBeGreaterThan(1);
});

/** Returns the call that starts at `from`, to its closing parenthesis. */
function callAt(source: string, from: number): string {
  let depth = 0;
  for (let at = source.indexOf("(", from); at < source.length; at++) {
    if (source[at] === "(") depth++;
    if (source[at] === ")" && --depth === 0) return source.slice(from, at + 1);
  }
  return source.slice(from);
}
