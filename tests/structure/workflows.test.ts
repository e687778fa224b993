import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const FOLDER = ".github/workflows";
const workflows = globSync(`${FOLDER}/*.yml`, { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), "utf8"),
}));

test("pins every action of a workflow by its commit, and names the version", () => {
  const used = workflows.flatMap(({ text }) => [...text.matchAll(/uses: (\S+)(.*)/g)]);
  expect(used.length).toBeGreaterThan(3);
  for (const [, action = "", rest] of used) {
    if (action.startsWith("./")) expect(existsSync(join(root, action)), action).toBe(true);
    else expect(`${action}${rest}`).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});

test("lets a workflow read the repository only, for a limited time, without keeping its token", () => {
  for (const { path, text } of workflows) {
    expect(text, path).toMatch(/^permissions:\n {2}contents: read\n/m);
    expect(text.match(/permissions:/g), path).toHaveLength(1);
    const count = (pattern: RegExp) => (text.match(pattern) ?? []).length;
    expect(count(/timeout-minutes: /g), path).toBe(count(/runs-on: /g));
    expect(count(/persist-credentials: false/g), path).toBe(count(/actions\/checkout@/g));
  }
});

test("runs commands that exist", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
  for (const { path, text } of workflows) {
    for (const [, name = ""] of text.matchAll(/npm run ([\w:-]+)/g)) expect(scripts, path).toHaveProperty([name]);
  }
});

test("deploys nothing, and lets no night pass, without all tests", () => {
  const of = (name: string) => workflows.find(({ path }) => path.endsWith(`/${name}.yml`))?.text ?? "";
  expect(of("deploy")).toMatch(/^ {2}deploy:\n {4}needs: test\n/m);
  expect(of("deploy")).toMatch(/^ {2}test:\n {4}uses: \.\/\.github\/workflows\/test-all\.yml\n/m);
  expect(of("test-all")).toMatch(/^ {2}schedule:\n {4}- cron: "/m);
  expect(of("test-all")).toMatch(/^ {2}workflow_call:\n/m);
  expect(of("test-all")).toMatch(/^ {6}- run: npm run test:all\n/m);
  expect(of("test")).toMatch(/^ {6}- run: npm test\n/m);
});
