import { join } from "node:path";
import { ownValue } from "#app/own-value.ts";
import { CommandError } from "#tools/run/command-line.ts";
import { tryLock } from "#tools/run/file-lock.ts";
import { readDatabases } from "#tools/run/migrations.ts";
import { readJsonFile } from "#tools/run/state-files.ts";
import { BACKUP_LOCATIONS } from "./choice-faults.ts";
import {
  type Ask,
  type Choices,
  choicesFile,
  completeChoices,
  type Environment,
  Refusals,
  readChoices,
  smokeAccountFile,
  writeChoices,
} from "./choices.ts";
import { deployMigrations } from "./deploy-migrations.ts";
import { generateSecrets, readSecrets, secretsFile } from "./deployed-secrets.ts";
import { type EnvironmentConfig, environmentConfig, objectsTag, readBase, writeConfig } from "./environment-config.ts";
import { type Plan, planDeployment, versionMessage } from "./preflight.ts";
import { release, type Site } from "./release.ts";
import { addRecord } from "./release-records.ts";
import { listDatabases, readBookmark, type Wrangler } from "./wrangler-calls.ts";

export type Checkout = { version: string; commit: string; uncommitted: string[] };

export type Deployment = {
  root: string;
  environment: Environment;
  /** By the name of the option, without its dashes. */
  flags: Record<string, string | undefined>;
  dryRun: boolean;
  /** Nothing that it writes is kept, such as a secret that it made. */
  isCi: boolean;
  checkout: Checkout;
  /** Null without a terminal. */
  ask: Ask | null;
  say: (line: string) => void;
  /** Returns wrangler with that configuration file. */
  wranglerWith: (config: string) => Wrangler;
  build: () => Promise<void>;
  siteOf: (choices: Choices, worker: string) => Site;
  /** Without a terminal, wrangler replaces a DNS record that is in the way of a custom domain. */
  mayReplaceDns: boolean;
  leadsSomewhere: (domain: string) => Promise<boolean>;
};

/** Makes what is missing, migrates and releases. Throws `Refusals` before anything is changed, or what failed. */
export async function deployEnvironment(deployment: Deployment): Promise<void> {
  if (deployment.dryRun) return deployAlone(deployment);
  // Two first deployments would each make secrets, and one would keep the other's. Both would use one build.
  const unlock = tryLock(join(deployment.root, ".deploy.lock"));
  if (!unlock) throw new Refusals(["Another deployment from this checkout is under way. Wait until it has ended."]);
  try {
    await deployAlone(deployment);
  } finally {
    unlock();
  }
}

async function deployAlone(deployment: Deployment): Promise<void> {
  const { root, environment, say, checkout } = deployment;
  const stored = readChoices(root, environment);
  const choices = await completeChoices(stored, deployment.flags, deployment.ask);
  const base = readBase(root);
  const planned = environmentConfig(base, environment, choices);
  const wrangler = deployment.wranglerWith(writeConfig(root, environment, planned));
  const { uncommitted } = checkout;
  const preflight = {
    root,
    environment,
    wrangler,
    choices,
    config: planned,
    workersDev: base.workers_dev,
    isCi: deployment.isCi,
    uncommitted,
  };
  // Damaged, it would stop the release halfway.
  readJsonFile(join(root, smokeAccountFile(environment)), "Remove it: the smoke test then needs another address.");
  const plan = await planDeployment(preflight);
  const isNewDomain = plan.servedOrigin !== `https://${choices.domain}`;
  if (isNewDomain && !deployment.mayReplaceDns && (await deployment.leadsSomewhere(choices.domain))) {
    throw new Refusals([
      `${choices.domain} already leads somewhere, and the deployment would replace its DNS record. If you mean it: --replace-dns`,
    ]);
  }
  for (const line of describePlan(plan, planned, choices)) say(line);
  if (deployment.dryRun) return say("Nothing was changed: this was a dry run.");

  // Kept before anything is made, so that an interrupted deployment asks nothing twice.
  const kept = { ...choices, databases: { ...choices.databases, ...plan.found } };
  writeChoices(root, environment, kept);
  const ready = await makeResources(deployment, wrangler, plan, kept);
  const secrets = makeSecrets(deployment, plan);

  say("Building");
  await deployment.build();
  const config = environmentConfig(base, environment, ready);
  // The build removed the folder if a source had changed.
  writeConfig(root, environment, config);
  const record = { at: new Date().toISOString(), commit: checkout.commit, bookmarks: {} as Record<string, string> };
  for (const { database_name } of config.d1_databases) {
    record.bookmarks[database_name] = await readBookmark(wrangler, database_name);
  }
  addRecord(root, environment, record);
  for (const database of readDatabases(root)) await deployMigrations(wrangler, database, say);

  const message = versionMessage(checkout.version, checkout.commit, objectsTag(config));
  const site = deployment.siteOf(ready, config.name);
  const { commit } = checkout;
  const version = await release({ environment, wrangler, site, plan: plan.release, message, commit, secrets, say });
  addRecord(root, environment, { ...record, version });
  say(`Released ${version} at https://${ready.domain}`);
}

/** Returns what the deployment is about to do, a line for each thing. */
export function describePlan(plan: Plan, config: EnvironmentConfig, choices: Choices): string[] {
  const lines = [`Worker ${config.name} at https://${choices.domain}, mail from ${choices.sender}`];
  for (const { database_name } of plan.missingDatabases)
    lines.push(`Makes database ${database_name} in ${choices.location}`);
  for (const bucket of plan.missingBuckets)
    lines.push(`Makes bucket ${bucket.bucket_name} in ${locationOf(bucket, choices)}`);
  if (plan.secrets.generated.length > 0) lines.push(`Makes secrets ${plan.secrets.generated.join(", ")}`);
  if (plan.secrets.fromFile.length > 0) lines.push(`Sends secrets ${plan.secrets.fromFile.join(", ")}`);
  if (config.analytics_engine_datasets)
    lines.push("Counts go to Analytics Engine, which must be turned on in the dashboard first");
  lines.push(
    plan.release.kind === "in_steps"
      ? `Releases in steps, from ${plan.release.old}`
      : `Releases at once, because ${plan.release.reason}`,
  );
  return lines;
}

/** Makes databases and buckets. Returns the choices with the new ids, which are kept at once. */
async function makeResources(
  { root, environment, say }: Deployment,
  wrangler: Wrangler,
  plan: Plan,
  choices: Choices,
): Promise<Choices> {
  const made = { ...choices, databases: { ...choices.databases } };
  for (const { database_name } of plan.missingDatabases) {
    await wrangler(["d1", "create", database_name, "--location", choices.location]);
    say(`Made database ${database_name}`);
  }
  if (plan.missingDatabases.length > 0) {
    const all = await listDatabases(wrangler);
    for (const { binding, database_name } of plan.missingDatabases) {
      const database = all.find(({ name }) => name === database_name);
      if (!database)
        throw new CommandError(`wrangler doesn't list the database ${database_name} that it made. Run it again.`);
      made.databases[binding] = database.uuid;
    }
    writeChoices(root, environment, made);
    say(`Wrote their ids to ${choicesFile(environment)}: commit it`);
  }
  for (const bucket of plan.missingBuckets) {
    const name = bucket.bucket_name;
    await wrangler(["r2", "bucket", "create", name, "--location", locationOf(bucket, choices)]);
    say(`Made bucket ${name}`);
  }
  return made;
}

/** Backups are elsewhere than what they are of. */
function locationOf({ binding }: { binding: string }, { location }: Choices): string {
  return (binding === "BACKUPS" && ownValue(BACKUP_LOCATIONS, location)) || location;
}

/** Makes the missing secrets. Returns those that the worker doesn't have. */
function makeSecrets({ root, environment, say }: Deployment, { secrets }: Plan): Record<string, string> {
  const { generated, fromFile } = secrets;
  const all = generated.length > 0 ? generateSecrets(root, environment, generated) : readSecrets(root, environment);
  if (generated.length > 0) {
    say(`Wrote secrets to ${secretsFile(environment)}: move them to a password manager, then delete the file.`);
    say("Without ENCRYPTION_KEYS stored tokens can't be read, and without BACKUP_KEYS no backup.");
  }
  return Object.fromEntries([...generated, ...fromFile].map((name) => [name, ownValue(all, name) ?? ""]));
}
