import { join } from "node:path";
import { CommandError, readArguments, UsageError } from "#tools/run/command-line.ts";
import { type Choices, choicesFile, readChoices } from "./choices.ts";
import { environmentConfig, readBase, writeConfig } from "./environment-config.ts";
import { environmentNamed, siteOf, withTerminal } from "./operator.ts";
import { rollBack } from "./rollback.ts";
import { wranglerFor } from "./wrangler-calls.ts";

const USAGE = `npm run rollback -- staging|production [VERSION] [--yes] [--old-secrets]: goes back to the version before, or to that one

It says what that undoes and what it doesn't, and asks before the visitors move. --yes doesn't ask. If a secret
changed since, the older version has its old value: --old-secrets says that you mean it.`;

const root = join(import.meta.dirname, "..", "..");
const off = { type: "boolean", default: false } as const;
const options = { yes: off, "old-secrets": off };
const { values, positionals } = readArguments({ usage: USAGE, options, min: 1, max: 2 });
const environment = environmentNamed(positionals[0]);
const choices = readChoices(root, environment) as Choices;
if (!choices.domain) throw new CommandError(`${choicesFile(environment)} is missing: nothing was deployed from here.`);
const config = environmentConfig(readBase(root), environment, choices);

await withTerminal((ask) =>
  rollBack({
    root,
    environment,
    wrangler: wranglerFor(root, writeConfig(root, environment, config)),
    to: positionals[1] ?? null,
    withOldSecrets: values["old-secrets"] === true,
    databases: config.d1_databases.map(({ database_name }) => database_name),
    site: siteOf(root, environment, choices, config.name),
    say: console.log,
    async confirm(question) {
      if (values.yes) return true;
      if (!ask) throw new UsageError("Without a terminal, --yes says that you mean it.");
      return /^y(es)?$/i.test((await ask(`${question} (y/N) `)).trim());
    },
  }),
);
