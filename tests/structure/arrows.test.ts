import { join } from "node:path";
import { expect, test } from "vitest";
import { brokenArrows, fileCircles, folderCircles, sourceFiles } from "./arrows.ts";

test("imports only in the direction of the layers", () => {
  const files = sourceFiles(join(import.meta.dirname, "..", ".."));
  expect(Object.keys(files).length).toBeGreaterThan(20);
  expect(brokenArrows(files)).toEqual([]);
});

test("reports an import against the direction, in every notation", () => {
  const broken: [string, string][] = [
    ["app/orders/a.ts", 'import { x } from "#app/accounts/b.ts";'],
    ["app/orders/a.ts", 'import { x } from "../support/b.ts";'],
    ["app/orders/a.ts", 'export { x } from "../routes/b.tsx";'],
    ["app/orders/a.ts", 'const x = await import("#app/routes/b.tsx");'],
    ["app/http/a.ts", 'import type { Db } from "#app/db/db.server.ts";'],
    ["app/orders/rules/a.ts", 'import { x } from "../placing/b.ts";'],
    ["app/orders/wallet/a.ts", 'import { x } from "../invented/b.ts";'],
    ["app/orders/wallet/a.ts", 'import { x } from "../b.ts";'],
    ["app/support/thread/a.tsx", 'import { x } from "#app/support/console/list/b.tsx";'],
    ["app/components/ui/a.tsx", 'import { x } from "../navigation/b.tsx";'],
    ["app/email/a.ts", 'import { x } from "#app/accounts/forms/b.ts";'],
    ["app/components/a.tsx", 'import { x } from "../orders/money.ts";'],
    ["app/db/a.ts", 'import { x } from "#app/http/log.ts";'],
    ["app/routes/a.tsx", 'import { x } from "#workers/app.ts";'],
    ["app/routes/a.tsx", 'import { users } from "#app/db/schema.server.ts";'],
    ["workers/a.ts", 'import { x } from "#app/components/ui/button.tsx";'],
  ];
  for (const [path, source] of broken) expect(brokenArrows({ [path]: source }), source).toHaveLength(1);
});

test("reports no import that the layers allow", () => {
  const allowed: [string, string][] = [
    ["app/orders/a.ts", 'import { x } from "./b.ts"; import { y } from "#app/db/db.server.ts";'],
    [
      "app/routes/a.tsx",
      'import { x } from "#app/orders/rules/money-text.ts"; import { y } from "#app/components/ui/button.tsx";',
    ],
    ["app/delete-account.server.ts", 'import { x } from "#app/orders/b.ts"; import { y } from "#app/support/c.ts";'],
    ["workers/app.ts", 'import { x } from "#app/support/b.ts"; import { y } from "../build/server/index.js";'],
  ];
  for (const [path, source] of allowed) expect(brokenArrows({ [path]: source }), source).toEqual([]);
});

test("has no circle between folders at any depth", () => {
  expect(folderCircles(sourceFiles(join(import.meta.dirname, "..", "..")))).toEqual([]);
});

test("reports a circle between nested folders, and between a folder's own files and its subfolders", () => {
  const nested = {
    "app/orders/staff/a/one.ts": 'import { x } from "../b/two.ts";',
    "app/orders/staff/b/two.ts": 'import type { X } from "#app/orders/staff/c/three.ts";',
    "app/orders/staff/c/three.ts": 'import { x } from "../a/one.ts";',
  };
  expect(folderCircles(nested)).toEqual(["app/orders/staff: a, b, c"]);
  const parent = {
    "app/support/console/one.ts": 'import { x } from "./list/two.ts";',
    "app/support/console/list/two.ts": 'import { x } from "../one.ts";',
  };
  expect(folderCircles(parent)).toEqual(["app/support/console: ., list"]);
  expect(folderCircles({ ...parent, "app/support/console/one.ts": "" })).toEqual([]);
});

test("has no circle between files", () => {
  expect(fileCircles(sourceFiles(join(import.meta.dirname, "..", "..")))).toEqual([]);
});

test("reports a circle between files, also around a third one and by a type or a later import", () => {
  const pair = {
    "app/orders/one.ts": 'const x = await import("./two.ts"); import { y } from "./three.ts";',
    "app/orders/two.ts": 'import type { X } from "#app/orders/one.ts";',
    "app/orders/three.ts": "",
    "app/orders/user.ts": 'import { x } from "./one.ts";',
  };
  expect(fileCircles(pair)).toEqual(["app/orders/one.ts", "app/orders/two.ts"]);
  const around = { ...pair, "app/orders/two.ts": 'import { x } from "./three.ts";' };
  expect(fileCircles(around)).toEqual([]);
  expect(fileCircles({ ...around, "app/orders/three.ts": 'import { x } from "./one.ts";' })).toHaveLength(3);
});
