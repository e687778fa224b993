import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const DOCS = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

test("every document is linked from the README, and every link leads to something", () => {
  const readme = links("README.md");
  for (const path of [...DOCS.slice(1), "docs/decisions"]) expect(readme, path).toContain(path);
  for (const doc of DOCS) {
    for (const link of links(doc)) expect(existsSync(join(root, dirname(doc), link)), `${doc}: ${link}`).toBe(true);
  }
});

test("every command that the documents name exists, and every command is in the README", () => {
  for (const doc of DOCS) {
    for (const [, name = ""] of text(doc).matchAll(/npm run ([\w:-]+)/g)) {
      expect(Object.keys(scripts), `${doc}: npm run ${name}`).toContain(name);
    }
  }
  const readme = text("README.md");
  for (const name of Object.keys(scripts)) expect(readme, name).toMatch(new RegExp(`\\b${name}\\b`));
});

function text(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** To files of ours, without what comes after "#". */
function links(path: string): string[] {
  return [...text(path).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^\w+:/.test(target));
}
