import { join } from "node:path";
import { experimental_readRawConfig } from "wrangler";
import { ownValue } from "#app/own-value.ts";
import { CommandError } from "#tools/run/command-line.ts";
import { type Choices, choicesFile, ENVIRONMENTS, type Environment, readChoices, writeJson } from "./choices.ts";

/** The part of wrangler.toml that is read here. The rest is passed on as it is. */
type Base = {
  name: string;
  main: string;
  workers_dev?: boolean;
  assets: { directory: string };
  vars: Record<string, string>;
  d1_databases: { binding: string; database_name: string; database_id: string; migrations_dir: string }[];
  r2_buckets: { binding: string; bucket_name: string }[];
  migrations: { tag: string }[];
  ratelimits?: { namespace_id: string }[];
};

/** Wrangler's configuration for one environment, made from wrangler.toml and the operator's choices. */
export type EnvironmentConfig = Base & {
  routes: { pattern: string; custom_domain: true }[];
  preview_urls: boolean;
  analytics_engine_datasets?: { binding: string; dataset: string }[];
};

/** Wrangler resolves the paths in it from its own folder. */
const FOLDER = "build";
/** Analytics Engine's, which docs/monitoring.md queries. */
const DATA_SET = "growline";
/** Namespaces of the rate limits are shared by all workers of an account. */
const STAGING_NAMESPACE = 50_000;

export function readBase(root: string): Base {
  return experimental_readRawConfig({ config: join(root, "wrangler.toml") }).rawConfig as unknown as Base;
}

export function environmentConfig(base: Base, environment: Environment, choices: Choices): EnvironmentConfig {
  const suffixed = (name: string, mark = "-") => (environment === "staging" ? `${name}${mark}staging` : name);
  return {
    ...base,
    name: suffixed(base.name),
    main: `../${base.main}`,
    assets: { ...base.assets, directory: join("..", base.assets.directory) },
    routes: [{ pattern: choices.domain, custom_domain: true }],
    workers_dev: false,
    preview_urls: false,
    vars: {
      ...base.vars,
      ...choices.vars,
      PUBLIC_ORIGIN: `https://${choices.domain}`,
      EMAIL_FROM: choices.sender,
      LOGIN_ERRORS: choices.loginErrors,
      STAFF_SECOND_FACTOR: choices.staffSecondFactor,
      ALERT_EMAIL: choices.alertEmail,
    },
    d1_databases: base.d1_databases.map((database) => ({
      ...database,
      database_name: suffixed(database.database_name),
      database_id: ownValue(choices.databases, database.binding) ?? "",
      migrations_dir: `../${database.migrations_dir}`,
    })),
    r2_buckets: base.r2_buckets.map((bucket) => ({ ...bucket, bucket_name: suffixed(bucket.bucket_name) })),
    ...(base.ratelimits && {
      ratelimits: base.ratelimits.map((limit) => ({
        ...limit,
        namespace_id: String(Number(limit.namespace_id) + (environment === "staging" ? STAGING_NAMESPACE : 0)),
      })),
    }),
    ...(choices.metrics === "on" && {
      analytics_engine_datasets: [{ binding: "METRICS", dataset: suffixed(DATA_SET, "_") }],
    }),
  };
}

/** Returns the environment that the commands with `--remote` work on: production, or what the variable DEPLOYMENT names. */
export function deployedEnvironment(): Environment {
  const name = process.env.DEPLOYMENT || "production";
  const environment = ENVIRONMENTS.find((one) => one === name);
  if (!environment) throw new CommandError(`DEPLOYMENT is ${ENVIRONMENTS.join(" or ")}, not "${name}".`);
  return environment;
}

/** Returns the configuration of that environment. Throws if it wasn't deployed from this checkout. */
export function deployedConfig(root: string): EnvironmentConfig & { compatibility_date?: string } {
  const environment = deployedEnvironment();
  const choices = readChoices(root, environment);
  if (!choices.domain || !choices.databases?.DB) {
    throw new CommandError(
      `${choicesFile(environment)} names no databases: npm run deploy -- ${environment} makes them.`,
    );
  }
  return environmentConfig(readBase(root), environment, choices as Choices);
}

/** Returns the tag of the newest change of Durable Object classes. */
export function objectsTag({ migrations }: Pick<EnvironmentConfig, "migrations">): string {
  return migrations.at(-1)?.tag ?? "none";
}

/** Returns the path of the written file, for wrangler's `-c`. */
export function writeConfig(root: string, environment: Environment, config: EnvironmentConfig): string {
  const file = join(root, FOLDER, `wrangler.${environment}.json`);
  // Without an id, wrangler would make a database by itself, anywhere.
  writeJson(file, { ...config, d1_databases: config.d1_databases.filter(({ database_id }) => database_id !== "") });
  return file;
}
