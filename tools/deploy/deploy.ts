import { execFileSync } from "node:child_process";
import { lookup } from "node:dns/promises";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownValue } from "#app/own-value.ts";
import { build } from "#tools/run/build.ts";
import { readArguments } from "#tools/run/command-line.ts";
import { QUESTIONS } from "./choices.ts";
import { type Checkout, deployEnvironment } from "./deployment.ts";
import { environmentNamed, siteOf, withTerminal } from "./operator.ts";
import { wranglerFor } from "./wrangler-calls.ts";

const USAGE = `npm run deploy -- staging|production [--dry-run]: makes what is missing, migrates and releases

--dry-run      says what it would do, and changes nothing
--replace-dns  lets the first deployment replace a DNS record of the domain
${QUESTIONS.map(({ flag, text }) => `--${flag}  ${text}`).join("\n")}`;

const root = join(import.meta.dirname, "..", "..");
const off = { type: "boolean", default: false } as const;
const { values, positionals } = readArguments({
  usage: USAGE,
  options: {
    "dry-run": off,
    "replace-dns": off,
    ...Object.fromEntries(QUESTIONS.map((question) => [question.flag, { type: "string" as const }])),
  },
  min: 1,
  max: 1,
});
const environment = environmentNamed(positionals[0]);
const given: Record<string, unknown> = values;
const flags = Object.fromEntries(QUESTIONS.map(({ flag }) => [flag, ownValue(given, flag) as string | undefined]));

await withTerminal((ask) =>
  deployEnvironment({
    root,
    environment,
    flags,
    dryRun: values["dry-run"] === true,
    mayReplaceDns: values["replace-dns"] === true,
    isCi: Boolean(process.env.CI),
    checkout: readCheckout(),
    ask,
    say: console.log,
    wranglerWith: (config) => wranglerFor(root, config),
    build: buildWithPackageList,
    siteOf: (choices, worker) => siteOf(root, environment, choices, worker),
    leadsSomewhere: (domain) =>
      lookup(domain).then(
        () => true,
        () => false,
      ),
  }),
);

function readCheckout(): Checkout {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  // The deployment itself writes there.
  const changed = git("status", "--porcelain", "--", ".", ":!deployments");
  const paths = changed.split("\n").map((line) => line.trim().replace(/^\S+\s+/, ""));
  return { version, commit: git("rev-parse", "--short=10", "HEAD"), uncommitted: paths.filter(Boolean) };
}

async function buildWithPackageList(): Promise<void> {
  await build(root);
  const packages = execFileSync("npm", ["sbom", "--omit", "dev", "--sbom-format", "cyclonedx"], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  writeFileSync(join(root, "build", "sbom.cdx.json"), packages);
}
