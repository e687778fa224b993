import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { unstable_readConfig } from "wrangler";
import { OPERATOR_CHOICES } from "#tests/stand-ins/operator-choices.ts";
import type { Choices } from "./choices.ts";
import { deployedConfig, environmentConfig, readBase, writeConfig } from "./environment-config.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const CHOICES: Choices = {
  ...OPERATOR_CHOICES,
  databases: { DB: "id-1", DB_SUPPORT: "id-2" },
  vars: { EMAIL_API_URL: "https://mail.your-domain.com" },
};
const folder = mkdtempSync(join(tmpdir(), "growline-config-"));

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test("puts the choices over wrangler.toml, which stays the same for everybody", () => {
  const base = readBase(ROOT);
  const config = environmentConfig(base, "production", CHOICES);
  expect(config).toMatchObject({
    name: "growline",
    routes: [{ pattern: "panel.your-domain.com", custom_domain: true }],
    workers_dev: false,
    preview_urls: false,
    migrations: base.migrations,
  });
  expect(config.vars).toMatchObject({
    PUBLIC_ORIGIN: "https://panel.your-domain.com",
    EMAIL_FROM: "no-reply@your-domain.com",
    LOGIN_ERRORS: "uniform",
    STAFF_SECOND_FACTOR: "required",
    ALERT_EMAIL: "ops@your-domain.com",
    EMAIL_API_URL: "https://mail.your-domain.com",
    ENVIRONMENT: "production",
  });
});

test("binds Analytics Engine only if metrics are on, to a data set of the environment", () => {
  const base = readBase(ROOT);
  const sets = (environment: "staging" | "production", metrics?: string) =>
    environmentConfig(base, environment, { ...CHOICES, metrics }).analytics_engine_datasets;
  expect(sets("production")).toBeUndefined();
  expect(sets("production", "off")).toBeUndefined();
  expect(sets("production", "on")).toEqual([{ binding: "METRICS", dataset: "growline" }]);
  expect(sets("staging", "on")).toEqual([{ binding: "METRICS", dataset: "growline_staging" }]);
});

test("shares no name between staging and production", () => {
  const names = (environment: "staging" | "production") => {
    const { name, d1_databases, r2_buckets, ratelimits, analytics_engine_datasets } = environmentConfig(
      readBase(ROOT),
      environment,
      { ...CHOICES, metrics: "on" },
    );
    return [
      name,
      ...d1_databases.map(({ database_name }) => database_name),
      ...r2_buckets.map(({ bucket_name }) => bucket_name),
      ...(ratelimits ?? []).map(({ namespace_id }) => namespace_id),
      ...(analytics_engine_datasets ?? []).map(({ dataset }) => dataset),
    ];
  };
  const [staging, production] = [names("staging"), names("production")];
  expect(staging).toHaveLength(production.length);
  expect(production.filter((name) => name === "growline")).toHaveLength(3);
  expect(staging.filter((name) => production.includes(name))).toEqual([]);
});

test("writes a file whose paths wrangler finds", () => {
  mkdirSync(folder, { recursive: true });
  const file = writeConfig(folder, "staging", environmentConfig(readBase(ROOT), "staging", CHOICES));
  const config = JSON.parse(readFileSync(file, "utf8"));
  expect(resolve(file, "..", config.main)).toBe(join(folder, "workers", "app.ts"));
  expect(resolve(file, "..", config.assets.directory)).toBe(join(folder, "build", "client"));
  expect(resolve(file, "..", config.d1_databases[0].migrations_dir)).toBe(join(folder, "migrations", "main"));
  expect(unstable_readConfig({ config: file }).triggers.crons).toHaveLength(2);
});

test("finds the deployed databases for the commands with --remote", () => {
  mkdirSync(join(folder, "deployments"), { recursive: true });
  writeFileSync(join(folder, "wrangler.toml"), readFileSync(join(ROOT, "wrangler.toml")));
  expect(() => deployedConfig(folder)).toThrow("npm run deploy -- production makes them");
  writeFileSync(join(folder, "deployments", "staging.json"), JSON.stringify(CHOICES));
  vi.stubEnv("DEPLOYMENT", "staging");
  expect(deployedConfig(folder).d1_databases[0]).toMatchObject({
    database_id: "id-1",
    database_name: "growline-staging",
  });
  vi.stubEnv("DEPLOYMENT", "stagin");
  expect(() => deployedConfig(folder)).toThrow('DEPLOYMENT is staging or production, not "stagin".');
});
