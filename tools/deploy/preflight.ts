import { type MigratedDatabase, readDatabases } from "#tools/run/migrations.ts";
import { databaseIdFault, domainOfAddress } from "./choice-faults.ts";
import { type Choices, choicesFile, type Environment, Refusals } from "./choices.ts";
import { readApplied, unknownMigrationFault } from "./deploy-migrations.ts";
import { planSecrets, readSecrets, type SecretsPlan, secretsFile } from "./deployed-secrets.ts";
import { type EnvironmentConfig, objectsTag } from "./environment-config.ts";
import {
  type Database,
  type DeployedSplit,
  type Login,
  listBuckets,
  listDatabases,
  listSecrets,
  listSendingDomains,
  listVersions,
  readDeployed,
  readLogin,
  type Version,
  type Wrangler,
} from "./wrangler-calls.ts";

/** Plan of a deployment, made before anything is changed. */
export type Plan = {
  /** Ids by binding of the databases that exist. */
  found: Record<string, string>;
  missingDatabases: { binding: string; database_name: string }[];
  missingBuckets: string[];
  secrets: SecretsPlan;
  release: ReleasePlan;
};

/** How the worker is released. `old` serves everything at the moment. */
export type ReleasePlan = { kind: "at_once"; reason: string } | { kind: "in_steps"; old: string };

export type Preflight = {
  root: string;
  environment: Environment;
  wrangler: Wrangler;
  choices: Choices;
  config: EnvironmentConfig;
  /** workers_dev of wrangler.toml. */
  workersDev: unknown;
  /** Changed or new files that are not committed. */
  uncommitted: string[];
};

/** Returns what the deployment will do. Throws `Refusals`, one line for each reason not to deploy. */
export async function planDeployment(preflight: Preflight): Promise<Plan> {
  const { wrangler, choices, environment, config, root } = preflight;
  const local = [...loginFaults(await readLogin(wrangler)), ...localFaults(preflight)];
  if (local.length > 0) throw new Refusals(local);

  const sending = choices.vars.EMAIL_API_URL ? null : await listSendingDomains(wrangler);
  const databases = findDatabases(config, choices, await listDatabases(wrangler), environment);
  const missingBuckets = without(
    config.r2_buckets.map(({ bucket_name }) => bucket_name),
    await listBuckets(wrangler),
  );
  const deployed = await readDeployed(wrangler);
  const onWorker = deployed ? await listSecrets(wrangler) : [];
  const versions = deployed ? await listVersions(wrangler) : [];
  const applied = await readLedgers(wrangler, readDatabases(root), config, databases.missing);
  const secrets = planSecrets(onWorker, Object.keys(readSecrets(root, environment)), config.vars, {
    inUse: applied.some(({ names }) => names.length > 0),
    file: secretsFile(environment),
  });
  const faults = [
    ...(sending ? sendingFaults(choices.sender, sending) : []),
    ...databases.faults,
    ...splitFaults(deployed, environment),
    ...applied.flatMap(({ binding, migrations, names }) => unknownMigrationFault(binding, migrations, names) ?? []),
    ...secrets.faults,
  ];
  if (faults.length > 0) throw new Refusals(faults);
  return {
    found: databases.found,
    missingDatabases: databases.missing,
    missingBuckets,
    secrets,
    release: planRelease(deployed, versions, objectsTag(config)),
  };
}

export function loginFaults({ loggedIn, accounts }: Login, account = process.env.CLOUDFLARE_ACCOUNT_ID): string[] {
  if (!loggedIn) return ["Nobody is logged in at Cloudflare: npx wrangler login, or set CLOUDFLARE_API_TOKEN."];
  if (account || accounts.length < 2) return [];
  const names = accounts.map(({ name, id }) => `${id} (${name})`).join(", ");
  return [`Several accounts are open to you. Set CLOUDFLARE_ACCOUNT_ID to one of ${names}.`];
}

function localFaults({ workersDev, environment, choices, uncommitted }: Preflight): string[] {
  const file = choicesFile(environment);
  const faults = Object.entries(choices.databases).flatMap(([binding, id]) => databaseIdFault(binding, id, file) ?? []);
  if (workersDev !== false) {
    faults.push(
      "workers_dev in wrangler.toml must be false: at workers.dev, cookies and limits are not the site's own.",
    );
  }
  if (environment === "production" && uncommitted.length > 0) {
    const [first, ...more] = uncommitted;
    const others = more.length > 0 ? ` and ${more.length} more` : "";
    faults.push(`${first}${others} isn't committed. Production gets what a commit names.`);
  }
  return faults;
}

export function sendingFaults(sender: string, domains: string[]): string[] {
  const domain = domainOfAddress(sender);
  if (domain !== null && domains.includes(domain)) return [];
  return [
    `${domain} isn't set up for sending: npx wrangler email sending enable ${domain}, on the Workers Paid plan. Or set EMAIL_API_URL (docs/email.md).`,
  ];
}

/** Finds the databases by their kept ids, or by name if a kept choice was lost. */
function findDatabases(config: EnvironmentConfig, choices: Choices, all: Database[], environment: Environment) {
  const found: Record<string, string> = {};
  const missing: Plan["missingDatabases"] = [];
  const faults: string[] = [];
  for (const { binding, database_name } of config.d1_databases) {
    const kept = choices.databases[binding];
    const database = all.find(({ name, uuid }) => (kept ? uuid === kept : name === database_name));
    if (database) found[binding] = database.uuid;
    else if (kept)
      faults.push(`${binding} is ${kept} in ${choicesFile(environment)}, but this account has no such database.`);
    else missing.push({ binding, database_name });
  }
  return { found, missing, faults };
}

async function readLedgers(
  wrangler: Wrangler,
  databases: MigratedDatabase[],
  config: EnvironmentConfig,
  missing: Plan["missingDatabases"],
) {
  const ledgers: (MigratedDatabase & { names: string[] })[] = [];
  for (const { binding, database_name } of config.d1_databases) {
    const database = databases.find((one) => one.binding === binding);
    if (!database || missing.some((one) => one.binding === binding)) continue;
    // By name: the configuration may not have the id yet.
    ledgers.push({ ...database, names: await readApplied(wrangler, database_name) });
  }
  return ledgers;
}

function splitFaults(deployed: DeployedSplit | null, environment: Environment): string[] {
  if (!deployed || deployed.versions.length < 2) return [];
  const splits = deployed.versions.map(({ version_id, percentage }) => `${version_id} at ${percentage} %`).join(", ");
  return [`The last release stopped halfway (${splits}). Undo it first: npm run rollback -- ${environment}`];
}

/** Versions with a changed Durable Object class can't be uploaded: such a change applies to all objects at once. */
export function planRelease(deployed: DeployedSplit | null, versions: Version[], tag: string): ReleasePlan {
  const old = deployed?.versions[0]?.version_id;
  if (!old) return { kind: "at_once", reason: "nothing is deployed yet" };
  const oldTag = objectsTagOf(old, versions);
  if (oldTag === tag) return { kind: "in_steps", old };
  const from = oldTag === null ? "a version of unknown Durable Object classes" : `Durable Object classes ${oldTag}`;
  return { kind: "at_once", reason: `it changes ${from} to ${tag}, which applies to all objects at once` };
}

/** The message of a version, by which a later deployment knows its Durable Object classes. */
export function versionMessage(version: string, commit: string, tag: string): string {
  return `${version} ${commit}, objects ${tag}`;
}

/**
 * Returns the tag of a version's Durable Object classes, or null if it is unknown. `wrangler secret put` makes a version
 * of the code before it. `versions`: newest first.
 */
export function objectsTagOf(id: string | undefined, versions: Version[]): string | null {
  const own = versions.slice(versions.findIndex((version) => version.id === id));
  const made = own.find(({ annotations }) => annotations?.["workers/triggered_by"] !== "secret");
  const isListed = versions.some((version) => version.id === id);
  return (isListed && /, objects (\S+)$/.exec(made?.annotations?.["workers/message"] ?? "")?.[1]) || null;
}

function without(names: string[], others: string[]): string[] {
  return names.filter((name) => !others.includes(name));
}
