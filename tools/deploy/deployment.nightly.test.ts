import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { run } from "#tools/run/build.ts";
import { readDatabases } from "#tools/run/migrations.ts";
import { ACCOUNT, type CloudflareApi, startCloudflareApi } from "#tools/stand-ins/cloudflare-api.ts";
import { printRead } from "#tools/stand-ins/wrangler-reads.ts";
import { migrateNew } from "./deploy-migrations.ts";
import { deployEnvironment } from "./deployment.ts";
import { environmentConfig, readBase, writeConfig } from "./environment-config.ts";
import { type ReleasePlan, versionMessage } from "./preflight.ts";
import { release, type Site } from "./release.ts";
import { readRecords } from "./release-records.ts";
import { rollBack } from "./rollback.ts";
import { jsonIn, type Wrangler } from "./wrangler-calls.ts";

/**
 * Deploys a small worker with the real wrangler to a stand-in of Cloudflare's API: the tests follow one another. A kind of
 * call that only reads is printed by a stand-in once that printed the same as wrangler.
 */

const ROOT = join(import.meta.dirname, "..", "..");
const SLOW_MS = 240_000;
const FLAGS = {
  domain: "panel.your-domain.com",
  sender: "no-reply@your-domain.com",
  "login-errors": "uniform",
  "staff-second-factor": "required",
  location: "weur",
  "smoke-test-email": "ops+smoke@your-domain.com",
  "alert-email": "ops@your-domain.com",
  metrics: "on",
};

let api: CloudflareApi;
let root: string;
let said: string[] = [];
/** Versions that the smoke test was run on; null for whatever answers. */
let asked: (string | null)[] = [];
let site: Site;
/** Kinds of reading calls for which the stand-in printed the same as wrangler. */
const comparedReads = new Set<string>();
/** Nothing that could differ. */
const EMPTY = ["[]", "{}"];

beforeAll(async () => {
  api = await startCloudflareApi();
  root = mkdtempSync(join(tmpdir(), "growline-deployment-"));
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  cpSync(join(ROOT, "wrangler.toml"), join(root, "wrangler.toml"));
  cpSync(join(ROOT, "migrations"), join(root, "migrations"), { recursive: true });
  writeFileSync(join(root, "package.json"), '{"type": "module"}');
  mkdirSync(join(root, "workers"));
  mkdirSync(join(root, "build", "client"), { recursive: true });
  writeFileSync(join(root, "build", "client", "robots.txt"), "");
  writeFileSync(join(root, "workers", "app.ts"), workerSource());
});

beforeEach(() => {
  site = {
    smokeTest: async (version) => void asked.push(version),
    keepsVisitorsOnOneVersion: async () => true,
  };
});

afterAll(() => {
  api.close();
  rmSync(root, { recursive: true, force: true });
});

test("makes databases, bucket and secrets, migrates and deploys, from nothing", { timeout: SLOW_MS }, async () => {
  api.sendingDomains = ["your-domain.com"];
  await deploy();
  expect(api.unknown).toEqual([]);
  expect(api.databases.map(({ name, location }) => [name, location])).toEqual([
    ["growline", "weur"],
    ["growline-support", "weur"],
  ]);
  expect(api.buckets.map(({ name, location }) => [name, location])).toEqual([
    ["growline-uploads", "weur"],
    ["growline-backups", "eeur"],
  ]);
  const [main] = api.databases;
  expect(main?.database.prepare("select name from d1_migrations").all()).toEqual([{ name: "0000_baseline.sql" }]);
  const script = api.scripts.get("growline");
  expect([...(script?.secrets.keys() ?? [])]).toEqual([
    "SESSION_SECRET",
    "ENCRYPTION_KEYS",
    "BACKUP_KEYS",
    "VAPID_KEYS",
  ]);
  expect(script).toMatchObject({ migrationTag: "v1", domains: ["panel.your-domain.com"] });
  expect(script?.subdomain).toEqual({ enabled: false, previews_enabled: false });
  expect(script?.crons).toContain("* * * * *");
  expect(script?.versions[0]?.resources.script_runtime.limits).toEqual({ cpu_ms: 30_000 });
  expect(script?.versions[0]?.resources.bindings).toContainEqual({
    name: "METRICS",
    type: "analytics_engine",
    dataset: "growline",
  });
  expect(said.join("\n")).toContain("at once, because nothing is deployed yet");
  const kept = JSON.parse(readFileSync(join(root, "deployments", "production.json"), "utf8"));
  expect(kept.databases).toEqual({ DB: main?.uuid, DB_SUPPORT: api.databases[1]?.uuid });
  const secrets = join(root, "deployments", "production.secrets.json");
  expect(statSync(secrets).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(secrets, "utf8")).ENCRYPTION_KEYS).toBe(script?.secrets.get("ENCRYPTION_KEYS"));
  expect(asked).toEqual([script?.versions[0]?.id]);

  // The stand-in counts the imports in its bookmarks: these are from before the first.
  const [record] = readRecords(root, "production");
  expect(record?.bookmarks).toEqual({ growline: "0000-growline-0", "growline-support": "0000-growline-support-0" });
  const at = (call: string) => api.calls.lastIndexOf(call);
  const ids = api.databases.map(({ uuid }) => uuid);
  const bookmarks = ids.map((id) => at(`GET /d1/database/${id}/time_travel/bookmark`));
  const imports = ids.map((id) => api.calls.indexOf(`POST /d1/database/${id}/import`));
  expect([...bookmarks, ...imports]).not.toContain(-1);
  expect(Math.max(...bookmarks)).toBeLessThan(Math.min(...imports));
  expect(Math.max(...imports)).toBeLessThan(at("PUT /workers/scripts/growline"));
});

test("releases the next version in steps, with the smoke test on it at each", { timeout: SLOW_MS }, async () => {
  const changed = api.changes.length;
  await deploy();
  const script = scriptOf("growline");
  const [first, second] = script.versions.map(({ id }) => id);
  expect(splits(script)).toEqual([
    [[first, 100]],
    [
      [second, 0],
      [first, 100],
    ],
    [
      [second, 10],
      [first, 90],
    ],
    [
      [second, 50],
      [first, 50],
    ],
    [[second, 100]],
  ]);
  expect(asked).toEqual([second, second, second, second]);
  expect(said.join("\n")).toContain(`in steps, from ${first}`);
  const changes = api.changes.slice(changed);
  expect(changes.filter((change) => /d1|r2/.test(change))).toEqual([]);
  expect(changes.at(-1)).toContain("domains/records");
});

test("goes back at once when the smoke test fails on a step, and says at which", { timeout: SLOW_MS }, async () => {
  const script = scriptOf("growline");
  const old = script.versions.at(-1)?.id ?? "";
  site.smokeTest = async (version) => {
    asked.push(version);
    // A secret that the release brought: the old version doesn't have it.
    script.secrets.set("EMAIL_API_KEY", "new");
    if (asked.length === 2) throw new Error("chat: the message wasn't acknowledged");
  };
  asked = [];
  await expect(releaseNow({ kind: "in_steps", old })).rejects.toThrow(
    `At 10 %: chat: the message wasn't acknowledged. Everything is back on ${old}.`,
  );
  expect(splits(script).at(-1)).toEqual([[old, 100]]);
  script.secrets.delete("EMAIL_API_KEY");
});

test("rolls back to the version before, with what that doesn't undo", { timeout: SLOW_MS }, async () => {
  const script = scriptOf("growline");
  const [before] = splits(script)[0]?.[0] ?? [];
  await rollBackTo(String(before));
  expect(splits(script).at(-1)).toEqual([[before, 100]]);
  expect(asked).toEqual([before]);
  const text = said.join("\n");
  expect(text).toContain("Not undone: what is in D1");
  expect(text).toMatch(/npx wrangler d1 time-travel restore growline --(bookmark|timestamp)=/);
  expect(text).toContain("Every order, payment and message since then is lost");
});

test("moves to new databases by the steps of docs/backup.md after the old ones are lost", {
  timeout: SLOW_MS,
}, async () => {
  const script = scriptOf("growline");
  const [before] = splits(script).at(-1)?.[0] ?? [];
  api.databases.length = 0;
  await expect(deploy()).rejects.toThrow(/^DB is \S+ in deployments\/production\.json, but this account has no such/);

  const old = wranglerWith(join(root, "build", "wrangler.production.json"));
  for (const name of ["growline-2", "growline-support-2"]) await old(["d1", "create", name, "--location", "weur"]);
  const [main, support] = api.databases;
  const file = join(root, "deployments", "production.json");
  const choices = JSON.parse(readFileSync(file, "utf8"));
  choices.databases = { DB: main?.uuid, DB_SUPPORT: support?.uuid };
  writeFileSync(file, JSON.stringify(choices));

  // The steps of `npm run restore -- --from remote latest --remote` before it fills the databases.
  const config = writeConfig(root, "production", environmentConfig(readBase(root), "production", choices));
  said = [];
  for (const database of readDatabases(root)) {
    await migrateNew(wranglerWith(config), database, (line) => said.push(line));
  }
  expect(said).toEqual(["DB: applied 0000_baseline.sql", "DB_SUPPORT: applied 0000_baseline.sql"]);
  main?.database.exec("insert into users (id, email, created_at) values ('ada', 'ada@test.example', 1)");

  await deploy();
  const version = script.versions.at(-1);
  expect(said.join("\n")).toContain("Releases at once, because it moves DB and DB_SUPPORT to other databases");
  expect(said.join("\n")).not.toContain("applied");
  expect(version?.resources.bindings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: "DB", id: main?.uuid }),
      expect.objectContaining({ name: "DB_SUPPORT", id: support?.uuid }),
    ]),
  );
  expect(splits(script).at(-1)).toEqual([[version?.id, 100]]);
  expect(asked).toEqual([version?.id]);
  expect(script.domains).toEqual(["panel.your-domain.com"]);
  expect(main?.database.prepare("select id from users").all()).toEqual([{ id: "ada" }]);
  await expect(rollBackTo(String(before))).rejects.toThrow(/works on another DB and DB_SUPPORT/);
  expect(api.unknown).toEqual([]);
});

test("applies changed Durable Object classes at once, over which there is no way back", {
  timeout: SLOW_MS,
}, async () => {
  const file = join(root, "build", "wrangler.production.json");
  const config = JSON.parse(readFileSync(file, "utf8"));
  config.migrations.push({ tag: "v2", new_sqlite_classes: ["Added"] });
  writeFileSync(file, JSON.stringify(config));
  writeFileSync(join(root, "workers", "app.ts"), `${workerSource()}export class Added {}\n`);
  const script = scriptOf("growline");
  site.smokeTest = () => Promise.reject(new Error("chat: the socket was refused"));
  await expect(releaseNow({ kind: "at_once", reason: "it changes classes" }, "v2")).rejects.toThrow(
    /^\S+ serves everybody and can't be taken back by itself: chat: the socket was refused$/,
  );
  const version = script.versions.at(-1)?.id;
  expect(script.migrationTag).toBe("v2");
  expect(splits(script).at(-1)).toEqual([[version, 100]]);
  await expect(rollBackTo(null)).rejects.toThrow(/has Durable Object classes v1, the objects have v2/);
  expect(api.unknown).toEqual([]);
});

function scriptOf(name: string) {
  const script = api.scripts.get(name);
  if (!script) throw new Error(`${name} isn't deployed`);
  return script;
}

/** Returns the deployments, oldest first, as versions and their percentages. */
function splits({ deployments }: ReturnType<typeof scriptOf>) {
  return deployments
    .toReversed()
    .map(({ versions }) => versions.map(({ version_id, percentage }) => [version_id, percentage]));
}

function releaseNow(plan: ReleasePlan, tag = "v1"): Promise<string> {
  said = [];
  return release({
    environment: "production",
    wrangler: wranglerWith(join(root, "build", "wrangler.production.json")),
    site,
    plan,
    message: versionMessage("0.1.1", "def5678", tag),
    commit: "def5678",
    secrets: {},
    say: (line) => said.push(line),
  });
}

function rollBackTo(to: string | null): Promise<void> {
  said = [];
  asked = [];
  return rollBack({
    root,
    environment: "production",
    wrangler: wranglerWith(join(root, "build", "wrangler.production.json")),
    to,
    withOldSecrets: false,
    databases: ["growline", "growline-support"],
    site,
    say: (line) => said.push(line),
    confirm: async () => true,
  });
}

function deploy(): Promise<void> {
  said = [];
  asked = [];
  return deployEnvironment({
    root,
    environment: "production",
    flags: FLAGS,
    dryRun: false,
    isCi: false,
    mayReplaceDns: false,
    checkout: { version: "0.1.0", commit: "abc1234", uncommitted: [] },
    ask: null,
    say: (line) => said.push(line),
    wranglerWith,
    build: async () => {},
    siteOf: () => site,
    leadsSomewhere: async () => false,
  });
}

function wranglerWith(config: string): Wrangler {
  const cloudflare = {
    CLOUDFLARE_API_BASE_URL: api.url,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
  };
  return async (args, env) => {
    const kind = args.slice(0, 2).join(" ");
    const printed = await printRead(api.url, config, args);
    if (printed !== null && comparedReads.has(kind)) return printed;
    const output = await run(root, "wrangler", [...args, "-c", config], { ...cloudflare, ...env });
    if (printed !== null && !EMPTY.includes(printed)) {
      expect(jsonIn(printed), `what the stand-in prints for wrangler ${kind}`).toEqual(jsonIn(output));
      comparedReads.add(kind);
    }
    return output;
  };
}

/** Exports every class that wrangler.toml names. */
function workerSource(): string {
  const classes = [...readFileSync(join(ROOT, "wrangler.toml"), "utf8").matchAll(/class_name = "(\w+)"/g)];
  const exported = classes.map(([, name]) => `export class ${name} {}`).join("\n");
  return `${exported}\nexport default { fetch: () => new Response("ok") };\n`;
}
