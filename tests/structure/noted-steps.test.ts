import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./arrows.ts";

const sources = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..")));
const UPDATE = /update\(orders\)[\s\S]*?\.where\(|update orders set[\s\S]*?where/g;
const updates = sources.flatMap(([path, source]) =>
  (source.match(UPDATE) ?? []).map((update) => ({ path, update: update.replaceAll(/\s+/g, " ") })),
);

test("notes a step wherever an order gets another status, is held, or is held no more", () => {
  expect(updates.length).toBeGreaterThan(10);
  const forgotten = updates.filter(
    ({ update }) =>
      /\bstatus\b\s*[:=]|\bheldFor\b|\bheld_for\b|"held"|progress\b/.test(update) && !/history|heldBy\(/.test(update),
  );
  expect(forgotten).toEqual([]);
});

test("leaves out only the calls that are repeated, which the provider's log has", () => {
  const others = updates.filter(
    ({ update }) => /\bfulfillment\b|set\(queue\)/.test(update) && !/history|heldBy\(/.test(update),
  );
  expect(others.map(({ path }) => path)).toEqual([
    "app/orders/fulfillment/submission-claims.server.ts",
    "app/orders/fulfillment/submission-outcomes.server.ts",
    "app/orders/fulfillment/submission-outcomes.server.ts",
  ]);
  for (const { update } of others) expect(update).toMatch(/"queued"|set\(queue\)/);
});

test("holds orders in one way", () => {
  const holding = sources
    .filter(([, source]) => /(?<!update\(refills\)\s*)\.set\(\{[^}]*fulfillment: "held"/.test(source))
    .map(([path]) => path);
  expect(holding).toEqual([]);
  const restore = sources.find(([path]) => path === "app/backup/restore/settle-restored.server.ts")?.[1];
  expect(restore).toContain("HISTORY_RESTORED");
});
