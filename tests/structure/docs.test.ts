import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
/** Numbered across folders, so that "record 12" names one. */
const RECORDS = globSync("docs/decisions/*/*.md", { cwd: root }).sort((a, b) => numberOf(a) - numberOf(b));
const DOCS = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
/** A little over half a printed page, which leaves room for one table. */
const RECORD_MAX_LINES = 40;
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

test("links every document from the README, and only to what exists", () => {
  const readme = links("README.md");
  for (const path of [...DOCS.slice(1), "docs/decisions"]) expect(readme, path).toContain(path);
  for (const doc of DOCS) {
    for (const link of links(doc)) expect(existsSync(join(root, dirname(doc), link)), `${doc}: ${link}`).toBe(true);
  }
});

test("links only to headings that exist", () => {
  for (const doc of DOCS) {
    for (const [, path = "", heading = ""] of text(doc).matchAll(/\]\(((?:[\w./-]+\.md)?)#([\w-]+)\)/g)) {
      const target = path === "" ? doc : join(dirname(doc), path);
      expect(headings(target), `${doc}: ${path}#${heading}`).toContain(heading);
    }
  }
});

test("names only commands that exist, and every command in the README", () => {
  for (const doc of DOCS) {
    for (const [, name = ""] of text(doc).matchAll(/npm run ([\w:-]+)/g)) {
      expect(Object.keys(scripts), `${doc}: npm run ${name}`).toContain(name);
    }
  }
  const readme = text("README.md");
  for (const name of Object.keys(scripts)) expect(readme, name).toMatch(new RegExp(`\\b${name}\\b`));
});

test("says of every table, of a database or an object, how long its rows are kept", () => {
  const lives = text("docs/personal-data.md").split("## How long rows are kept")[1] ?? "";
  const named = new Set(
    lives
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .flatMap((line) => [...line.matchAll(/`(\w+)`/g)].map(([, name]) => name)),
  );
  const sources = globSync(["migrations/*/*.sql", "{app,workers}/**/*.ts"], { cwd: root });
  const tables = sources
    .filter((path) => !path.endsWith(".test.ts"))
    .flatMap((path) => [...text(path).matchAll(/^[^*\n]*CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?`?(\w+)/gm)])
    .map(([, name]) => name);
  expect(tables).toContain("orders");
  expect(tables).toContain("agent_rooms");
  expect(tables.filter((table) => !named.has(table))).toEqual([]);
});

test("names only files that exist", () => {
  for (const doc of [...DOCS, ...RECORDS]) {
    for (const [, path = ""] of text(doc).matchAll(
      /`((?:app|workers|tests|tools|bench|migrations|docs)\/[\w./-]+)`/g,
    )) {
      expect(existsSync(join(root, path)), `${doc}: ${path}`).toBe(true);
    }
  }
});

test("numbers decision records without gaps, with four headings on half a page each", () => {
  expect(RECORDS.map(numberOf)).toEqual(RECORDS.map((_, index) => index + 1));
  for (const name of RECORDS) {
    const record = text(name);
    expect(record, name).toMatch(new RegExp(`^# ${numberOf(name)}\\. `));
    const headings = [...record.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings, name).toEqual(["Status", "Context", "Decision", "Consequences"]);
    expect(record.split("\n").length, name).toBeLessThanOrEqual(RECORD_MAX_LINES);
  }
});

function numberOf(record: string): number {
  return Number(basename(record).slice(0, 4));
}

function text(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Returns a page's headings as GitHub names them in links. */
function headings(path: string): string[] {
  return [...text(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

/** Returns the links to our own files, without fragments. */
function links(path: string): string[] {
  return [...text(path).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^\w+:/.test(target));
}
