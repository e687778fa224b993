import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

test("re-encrypts every kind of sealed value when keys are rotated", () => {
  const contexts = globSync("{app,workers}/**/*.ts", { cwd: root })
    .filter((path) => !path.includes(".test."))
    .flatMap((path) => [
      ...readFileSync(join(root, path), "utf8").matchAll(/[^\w]seal\(\s*[\w.]*ENCRYPTION_KEYS,\s*(\w+)\(/g),
    ])
    .map(([, context = ""]) => context);
  expect(new Set(contexts).size).toBeGreaterThan(6);
  const rotated = readFileSync(join(root, "tools/data/reseal.ts"), "utf8");
  for (const context of contexts) expect(rotated).toContain(`${context}(`);
});
