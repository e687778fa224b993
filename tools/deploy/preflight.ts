import { ownValue } from "#app/own-value.ts";
import { type MigratedDatabase, readDatabases } from "#tools/run/migrations.ts";
import { databaseIdFault, domainOfAddress } from "./choice-faults.ts";
import { type Choices, choicesFile, ENVIRONMENTS, type Environment, Refusals, readChoices } from "./choices.ts";
import { readApplied, unknownMigrationFault } from "./deploy-migrations.ts";
import { planSecrets, readSecrets, type SecretsPlan, secretsFile } from "./deployed-secrets.ts";
import { type EnvironmentConfig, objectsTag } from "./environment-config.ts";
import { variableFaults } from "./variable-faults.ts";
import {
  type Database,
  type DeployedSplit,
  describeSplit,
  type Login,
  listBuckets,
  listDatabases,
  listSecrets,
  listSendingDomains,
  listVersions,
  readBindings,
  readDeployed,
  readLogin,
  type Version,
  type VersionBindings,
  type Wrangler,
} from "./wrangler-calls.ts";

/** Plan of a deployment, made before anything is changed. */
export type Plan = {
  /** Origin of the deployed version, or null if there is none. */
  servedOrigin: string | null;
  /** Ids by binding of the databases that exist. */
  found: Record<string, string>;
  missingDatabases: { binding: string; database_name: string }[];
  missingBuckets: { binding: string; bucket_name: string }[];
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
  isCi: boolean;
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
  const buckets = await listBuckets(wrangler);
  const missingBuckets = config.r2_buckets.filter(({ bucket_name }) => !buckets.includes(bucket_name));
  const deployed = await readDeployed(wrangler);
  const onWorker = deployed ? await listSecrets(wrangler) : [];
  const versions = deployed ? await listVersions(wrangler) : [];
  const servedBy = deployed?.versions[0]?.version_id;
  const applied = await readLedgers(wrangler, readDatabases(root), config, databases.found);
  const secrets = planSecrets(onWorker, readSecrets(root, environment), config.vars, {
    inUse: applied.some(({ names }) => names.length > 0),
    isCi: preflight.isCi,
    path: secretsFile(environment),
  });
  const faults = [
    ...(sending ? sendingFaults(choices.sender, sending) : []),
    ...databases.faults,
    ...splitFaults(deployed, environment),
    ...objectsFaults(objectsTagOf(servedBy, versions), config),
    ...applied.flatMap(({ binding, migrations, names }) => unknownMigrationFault(binding, migrations, names) ?? []),
    ...secrets.faults,
  ];
  if (faults.length > 0) throw new Refusals(faults);
  const served = servedBy ? await readBindings(wrangler, servedBy) : null;
  const origin = config.vars.PUBLIC_ORIGIN ?? null;
  return {
    servedOrigin: served?.origin ?? null,
    found: databases.found,
    missingDatabases: databases.missing,
    missingBuckets,
    secrets,
    release: planRelease(deployed, versions, served, { tag: objectsTag(config), origin, databases: databases.found }),
  };
}

export function loginFaults({ loggedIn, accounts }: Login, account = process.env.CLOUDFLARE_ACCOUNT_ID): string[] {
  if (!loggedIn) return ["Nobody is logged in at Cloudflare: npx wrangler login, or set CLOUDFLARE_API_TOKEN."];
  const names = accounts.map(({ name, id }) => `${id} (${name})`).join(", ");
  // A token may be unable to list the accounts that it works on.
  if (account && accounts.length > 0 && !accounts.some(({ id }) => id === account)) {
    return [`CLOUDFLARE_ACCOUNT_ID is ${account}, which isn't open to you. Set it to one of ${names}.`];
  }
  if (account || accounts.length < 2) return [];
  return [`Several accounts are open to you. Set CLOUDFLARE_ACCOUNT_ID to one of ${names}.`];
}

function localFaults({ root, workersDev, environment, choices, config, uncommitted }: Preflight): string[] {
  const file = choicesFile(environment);
  const faults = Object.entries(choices.databases).flatMap(([binding, id]) => databaseIdFault(binding, id, file) ?? []);
  faults.push(...sharedFaults(choices, environment, readChoices(root, otherThan(environment))));
  faults.push(...variableFaults(config.vars));
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

function otherThan(environment: Environment): Environment {
  return ENVIRONMENTS.find((one) => one !== environment) as Environment;
}

/** A copied file of choices would release one environment onto the data, or at the address, of the other. */
function sharedFaults({ domain, databases }: Choices, environment: Environment, theirs: Partial<Choices>): string[] {
  const ids = Object.values(theirs.databases ?? {});
  const faults = Object.entries(databases)
    .filter(([, id]) => ids.includes(id))
    .map(([binding, id]) => othersDatabase(binding, id, environment));
  if (theirs.domain === domain) faults.push(`${domain} is ${otherThan(environment)}'s domain: choose another.`);
  return faults;
}

function othersDatabase(binding: string, which: string, environment: Environment): string {
  return `${binding} is ${which} in ${choicesFile(environment)}, which is ${otherThan(environment)}'s database. Remove the line: the deployment makes one.`;
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
    const kept = ownValue(choices.databases, binding);
    const database = all.find(({ name, uuid }) => (kept ? uuid === kept : name === database_name));
    if (kept && database && isOthers(database.name, database_name, environment)) {
      faults.push(othersDatabase(binding, `${database.name} (${kept})`, environment));
    } else if (database) found[binding] = database.uuid;
    else if (kept)
      faults.push(`${binding} is ${kept} in ${choicesFile(environment)}, but this account has no such database.`);
    else missing.push({ binding, database_name });
  }
  return { found, missing, faults };
}

function isOthers(name: string, own: string, environment: Environment): boolean {
  return environment === "staging" ? `${name}-staging` === own : name === `${own}-staging`;
}

async function readLedgers(
  wrangler: Wrangler,
  databases: MigratedDatabase[],
  config: EnvironmentConfig,
  found: Plan["found"],
) {
  const ledgers: (MigratedDatabase & { names: string[] })[] = [];
  for (const { binding, database_name } of config.d1_databases) {
    const database = databases.find((one) => one.binding === binding);
    if (!database || !Object.hasOwn(found, binding)) continue;
    // By name: the configuration may not have the id yet.
    ledgers.push({ ...database, names: await readApplied(wrangler, database_name) });
  }
  return ledgers;
}

function splitFaults(deployed: DeployedSplit | null, environment: Environment): string[] {
  if (!deployed || deployed.versions.length < 2) return [];
  return [
    `The last release stopped halfway (${describeSplit(deployed.versions)}). Undo it first: npm run rollback -- ${environment}`,
  ];
}

/** Returns a fault if newer Durable Object classes are deployed: the platform can't take such a change back. */
function objectsFaults(deployedTag: string | null, { migrations }: EnvironmentConfig): string[] {
  if (deployedTag === null || deployedTag === "none" || migrations.some(({ tag }) => tag === deployedTag)) return [];
  return [
    `The deployed Durable Object classes are ${deployedTag}, which this commit doesn't have. Deploy a commit that has it.`,
  ];
}

/**
 * Decides how to release. At once: what can't be uploaded as a version (changed Durable Object classes apply to all objects),
 * what must not run beside the version before (on other databases, an order or a chat would be in either), and what can't be
 * tested before everybody gets it (a domain only leads to the worker once its triggers are deployed, which comes last).
 */
export function planRelease(
  deployed: DeployedSplit | null,
  versions: Version[],
  served: VersionBindings | null,
  next: VersionBindings & { tag: string },
): ReleasePlan {
  const old = deployed?.versions[0]?.version_id;
  if (!old || !served) return { kind: "at_once", reason: "nothing is deployed yet" };
  const oldTag = objectsTagOf(old, versions);
  if (oldTag !== next.tag) {
    const from = oldTag === null ? "a version of unknown Durable Object classes" : `Durable Object classes ${oldTag}`;
    return { kind: "at_once", reason: `it changes ${from} to ${next.tag}, which applies to all objects at once` };
  }
  const moved = otherDatabases(served, next);
  if (moved.length > 0) {
    const reason = `it moves ${moved.join(" and ")} to other databases, and no two versions may work on different ones`;
    return { kind: "at_once", reason };
  }
  if (served.origin !== next.origin) {
    const reason = `it moves from ${served.origin ?? "an unknown domain"} to ${next.origin}, where no version answers before`;
    return { kind: "at_once", reason };
  }
  return { kind: "in_steps", old };
}

/** Returns the bindings that are other databases in one of the two, or unknown. */
export function otherDatabases(one: VersionBindings, other: VersionBindings): string[] {
  const bindings = new Set([...Object.keys(one.databases), ...Object.keys(other.databases)]);
  return [...bindings].filter((binding) => ownValue(one.databases, binding) !== ownValue(other.databases, binding));
}

/** The message of a version, by which a later deployment knows its Durable Object classes. */
export function versionMessage(version: string, commit: string, tag: string): string {
  return `${version} ${commit}, objects ${tag}`;
}

/**
 * Returns the tag of a version's Durable Object classes, or null if it is unknown. `versions`: newest first.
 */
export function objectsTagOf(id: string | undefined, versions: Version[]): string | null {
  const message = releaseOf(id, versions)?.annotations?.["workers/message"] ?? "";
  return /, objects (\S+)$/.exec(message)?.[1] ?? null;
}

/** Returns the version that brought the code of a version: `wrangler secret put` makes one of the code before it. */
export function releaseOf(id: string | undefined, versions: Version[]): Version | undefined {
  const index = versions.findIndex((version) => version.id === id);
  if (index < 0) return undefined;
  return versions.slice(index).find(({ annotations }) => annotations?.["workers/triggered_by"] !== "secret");
}
