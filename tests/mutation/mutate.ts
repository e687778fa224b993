import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "#tools/run/build.ts";
import { CommandError, readArguments, wholeNumber } from "#tools/run/command-line.ts";
import { report, survivors } from "./mutation-report.ts";
import { MutationRun } from "./mutation-run.ts";
import { digest, hashOf, readState, writeState } from "./mutation-state.ts";
import { sampleOf } from "./sample.ts";
import { targetFiles } from "./targets.ts";

const USAGE = `Usage: npm run mutate [-- FOLDER|FILE…] [--list] [--report] [--minutes N] [--sample N] [--tests FOLDER]
  --list      lists what survived, with the line and the change
  --report    runs nothing: shows what is known
  --minutes   stops after that long; the next run goes on from there
  --tests     runs only the tests of this folder, so that the others' reach need not be recorded; may be repeated
  --sample    runs and reports each N-th mutant, by its position, always the same ones`;

const COPIED = [
  "docs",
  "app",
  "workers",
  "tests",
  "tools",
  "public",
  "migrations",
  "package.json",
  "tsconfig.json",
  "vite.config.ts",
  "vitest.config.ts",
  "wrangler.toml",
];
/** The mutation files on which the build depends. */
const COMPILER = ["mutants", "operators", "targets", "compile-mutants", "vite.mutation"].map(
  (name) => `tests/mutation/${name}.ts`,
);
const root = join(import.meta.dirname, "../..");
const folder = join(root, ".local-mutation");
/** The run works on a copy, so that the tree can be edited meanwhile. */
const tree = join(folder, "tree");
const stateFile = join(folder, "state.json");

async function main(): Promise<void> {
  const { values, positionals } = readArguments({
    usage: USAGE,
    max: Number.POSITIVE_INFINITY,
    options: {
      list: { type: "boolean" },
      report: { type: "boolean" },
      minutes: { type: "string" },
      sample: { type: "string", default: "1" },
      tests: { type: "string", multiple: true, default: [""] as string[] },
    },
  });
  const files = targetFiles(root).filter(
    (file) => positionals.length === 0 || positionals.some((one) => isWithin(file, one)),
  );
  if (files.length === 0) throw new CommandError(`Nothing to mutate in ${positionals.join(", ")}.`);
  const state = readState(stateFile);
  if (!values.report) {
    copyTree();
    await buildTree();
  }
  // The mutants ran in the copy: the tree may have changed since.
  const from = values.report ? root : tree;
  const sample = sampleOf(from, files, wholeNumber("--sample", values.sample, 1));
  if (!values.report) {
    const tests = globSync(["app/**/*.test.ts", "workers/**/*.test.ts", "tests/attacks/**/*.test.ts"], {
      exclude: ["**/*.nightly.*"],
      cwd: tree,
    }).sort();
    const until = values.minutes ? Date.now() + Number(values.minutes) * 60_000 : Number.POSITIVE_INFINITY;
    const mayRun = (testFile: string) => values.tests.some((given) => given === "" || isWithin(testFile, given));
    const save = () => writeState(stateFile, state);
    const mutation = new MutationRun({ tree, state, tests, mayRun, until, sample, save });
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => void mutation.close().then(() => process.exit(1)));
    try {
      await mutation.cover(files);
      for (const file of files) await mutation.runFile(file);
    } finally {
      await mutation.close();
    }
  }
  console.log(report(from, state, files, sample));
  if (values.list) console.log(survivors(from, state, files, sample));
}

function isWithin(file: string, given: string): boolean {
  const path = given.replace(/^\.\//, "").replace(/\/$/, "");
  return file === path || file.startsWith(`${path}/`);
}

function copyTree(): void {
  mkdirSync(tree, { recursive: true });
  for (const name of COPIED) {
    rmSync(join(tree, name), { recursive: true, force: true });
    cpSync(join(root, name), join(tree, name), { recursive: true });
  }
  if (!existsSync(join(tree, "node_modules"))) symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
}

/** Builds the pages with the mutants in them, if a source or an operator has changed. */
async function buildTree(): Promise<void> {
  const stamp = join(tree, "build", "mutation-stamp");
  const inputs = globSync(["app/**/*", "workers/**/*", "public/**/*", ...COMPILER, "vite.config.ts"], {
    cwd: tree,
  })
    .filter((name) => /\.\w+$/.test(name) && !name.includes(".test."))
    .sort();
  const wanted = digest(inputs.map((name) => `${name} ${hashOf(tree, name)}`).join("\n"));
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.log("building the pages with their mutants …");
  await run(tree, "remix", ["vite:build", "--logLevel", "warn", "--config", "tests/mutation/vite.mutation.ts"]);
  writeFileSync(stamp, wanted);
}

await main();
