import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { OPERATOR_CHOICES } from "#tests/stand-ins/operator-choices.ts";
import { type Choices, completeChoices, Refusals } from "./choices.ts";
import { type Deployment, deployEnvironment } from "./deployment.ts";
import { loginFaults, planRelease } from "./preflight.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const TABLE = `
┌─────────────────┬─────────────────┬─────────┬─────┐
│ zone            │ name            │ enabled │ tag │
├─────────────────┼─────────────────┼─────────┼─────┤
│ your-domain.com │ your-domain.com │ yes     │ a   │
│ your-domain.com │ old.your-domain.com │ no  │ b   │
└─────────────────┴─────────────────┴─────────┴─────┘`;
/** Secrets that the first deployment makes. */
const MADE = ["SESSION_SECRET", "ENCRYPTION_KEYS", "BACKUP_KEYS", "VAPID_KEYS"];
const EMPTY_ACCOUNT: Record<string, string> = {
  whoami: '{"loggedIn": true, "accounts": [{"id": "a", "name": "A"}]}',
  "email sending list": TABLE,
  "d1 list": "[]",
  "r2 bucket list": "Listing buckets...",
};
const USED_ACCOUNT: Record<string, string> = {
  ...EMPTY_ACCOUNT,
  "d1 list": JSON.stringify([
    { name: "growline", uuid: "id-1" },
    { name: "growline-support", uuid: "id-2" },
  ]),
  "r2 bucket list": "name:           growline-uploads\ncreation_date:  2026\nname:           growline-backups",
  "deployments status": '{"id": "d", "created_on": "2026", "versions": [{"version_id": "one", "percentage": 100}]}',
  "secret list": onWorker(...MADE),
  "versions list":
    '[{"id": "one", "metadata": {"created_on": "2026"}, "annotations": {"workers/message": "0.1.0 abc, objects v1"}}]',
  "versions view": served("https://panel.your-domain.com", "id-1", "id-2"),
  "d1 execute": '[{"results": [{"name": "0000_baseline.sql"}]}]',
};

let root = "";
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("says what it would make and changes nothing on a dry run", async () => {
  const { said, calls } = await deploy({ answers: EMPTY_ACCOUNT, environment: "staging", dryRun: true });
  expect(said).toEqual([
    "Worker growline-staging at https://panel.your-domain.com, mail from no-reply@your-domain.com",
    "Makes database growline-staging in weur",
    "Makes database growline-support-staging in weur",
    "Makes bucket growline-uploads-staging in weur",
    "Makes bucket growline-backups-staging in eeur",
    expect.stringMatching(/^Makes secrets SESSION_SECRET, ENCRYPTION_KEYS/),
    "Releases at once, because nothing is deployed yet",
    "Nothing was changed: this was a dry run.",
  ]);
  expect(calls).toEqual(Object.keys(EMPTY_ACCOUNT).concat("deployments status"));
  expect(existsSync(join(root, "deployments", "staging.secrets.json"))).toBe(false);
});

test("releases in steps what has the Durable Object classes, databases and domain of the deployed version", async () => {
  const { said } = await deploy({ answers: USED_ACCOUNT, dryRun: true });
  expect(said.at(-2)).toBe("Releases in steps, from one");
  const one = { id: "d", created_on: "", versions: [{ version_id: "one", percentage: 100 }] };
  const bindings = { origin: "https://panel.your-domain.com", databases: { DB: "id-1", DB_SUPPORT: "id-2" } };
  const v1 = { tag: "v1", ...bindings };
  expect(planRelease(one, [], bindings, v1)).toMatchObject({ kind: "at_once", reason: /unknown/ });
  expect(planRelease(null, [], null, v1)).toMatchObject({ kind: "at_once" });
  // `wrangler secret put` deploys a version of the same code, without a message of ours.
  const at = { created_on: "2026" };
  const secret = { id: "one", metadata: at, annotations: { "workers/triggered_by": "secret" } };
  const released = { id: "zero", metadata: at, annotations: { "workers/message": "0.1.0 abc, objects v1" } };
  const versions = [secret, released];
  expect(planRelease(one, versions, bindings, v1)).toEqual({ kind: "in_steps", old: "one" });
  expect(planRelease(one, versions, bindings, { ...v1, tag: "v2" })).toMatchObject({
    kind: "at_once",
    reason: /v1 to v2/,
  });
});

test("releases at once onto other databases: an object of each version would work on its own", async () => {
  const choices = { databases: { DB: "id-3", DB_SUPPORT: "id-4" } };
  const databases = JSON.parse(USED_ACCOUNT["d1 list"] ?? "");
  databases.push({ name: "growline-2", uuid: "id-3" }, { name: "growline-support-2", uuid: "id-4" });
  const answers = { ...USED_ACCOUNT, "d1 list": JSON.stringify(databases) };
  const { said, refused } = await deploy({ answers, choices, dryRun: true });
  expect(refused).toEqual([]);
  expect(said.at(-2)).toMatch(/^Releases at once, because it moves DB and DB_SUPPORT to other databases/);
});

test("releases at once onto another domain, where no version answers before", async () => {
  const answers = { ...USED_ACCOUNT, "versions view": served("https://old.your-domain.com", "id-1", "id-2") };
  const { said } = await deploy({ answers, dryRun: true });
  expect(said.at(-2)).toMatch(/^Releases at once, because it moves from https:\/\/old\.your-domain\.com to https:/);
});

const REFUSED: [string, Partial<Given>, RegExp][] = [
  ["nobody who is logged in", { answers: { whoami: '{"loggedIn":false}' } }, /^Nobody is logged in/],
  ["a sender's domain that can't send", { answers: { "email sending list": "No sending" } }, /Workers Paid plan/],
  ["a sender's domain that is switched off", { choices: { sender: "a@old.your-domain.com" } }, /isn't set up for send/],
  ["an alert's address that is none", { choices: { alertEmail: "ops@your-domain.com, me" } }, /^An address .* "me"/],
  ["workers_dev", { toml: (text) => text.replace("workers_dev = false", "workers_dev = true") }, /must be false/],
  ["a database id of zeros", { choices: { databases: { DB: "0000-0000" } } }, /^DB has the database id/],
  [
    "a database that isn't in this account, which can't be asked for its migrations",
    { choices: { databases: { DB: "id-9" } }, answers: { "d1 list": "[]", "d1 execute": "" } },
    /no such database/,
  ],
  ["a secret that a variable needs", { choices: { vars: { EMAIL_API_URL: "https://a.b" } } }, /EMAIL_API_KEY isn't/],
  ["half of the payments' secrets", { secrets: { STRIPE_SECRET_KEY: "sk" } }, /STRIPE_WEBHOOK_SECRET isn't/],
  ["a secret without its value", { secrets: { EMAIL_WEBHOOK_SECRET: "" } }, /EMAIL_WEBHOOK_SECRET in .* has no value/],
  ["a secret among the variables", { choices: { vars: { SESSION_SECRET: "a" } } }, /anybody with the repository/],
  ["a variable that the worker can't read", { choices: { vars: { CONVERSATIONS_KEPT_DAYS: "30" } } }, /180 to 3650/],
  ["a name that is no secret", { secrets: { SESION_SECRET: "a" } }, /SESION_SECRET, which is none/],
  ["data without its keys", { answers: { "secret list": "[]" } }, /databases have data, but the worker has no ENC/],
  [
    "used databases without the key of their backups",
    { answers: { "secret list": onWorker("SESSION_SECRET", "ENCRYPTION_KEYS", "VAPID_KEYS") } },
    /databases have data, but the worker has no BACKUP_KEYS/,
  ],
  [
    "CI, where a secret that it made would be lost",
    { isCi: true, answers: { "secret list": onWorker("SESSION_SECRET", "ENCRYPTION_KEYS", "BACKUP_KEYS") } },
    /^The worker has no VAPID_KEYS, and CI would lose what it made: deploy once from your own machine/,
  ],
  [
    "an alert webhook among the secrets that nothing could sign",
    { secrets: { ALERT_WEBHOOK_URL: "https://hooks.your-domain.com/token" } },
    /^ALERT_WEBHOOK_URL is set, but the secret ALERT_WEBHOOK_SECRET isn't/,
  ],
  [
    "an alert webhook on the worker that nothing could sign",
    { answers: { "secret list": onWorker(...MADE, "ALERT_WEBHOOK_URL") } },
    /^ALERT_WEBHOOK_URL is set, but the secret ALERT_WEBHOOK_SECRET isn't/,
  ],
  [
    "a name that is both a variable and a secret, which the platform refuses halfway",
    {
      choices: { vars: { ALERT_WEBHOOK_URL: "https://hooks.your-domain.com/" } },
      answers: { "secret list": onWorker(...MADE, "ALERT_WEBHOOK_URL", "ALERT_WEBHOOK_SECRET") },
    },
    /^ALERT_WEBHOOK_URL is a variable and a secret\. Keep one/,
  ],
  [
    "an alert webhook that the worker can't read, among the secrets",
    { secrets: { ALERT_WEBHOOK_URL: "http://localhost", ALERT_WEBHOOK_SECRET: "whsec_a" } },
    /^ALERT_WEBHOOK_URL in deployments\/production\.secrets\.json must be an https URL of a public host\.$/,
  ],
  ["uncommitted files", { uncommitted: ["app/product.ts", "a"] }, /^app\/product.ts and 1 more isn't committed/],
  ["newer migrations", { answers: { "d1 execute": '[{"results": [{"name": "0009_x.sql"}]}]' } }, /by 0009_x.sql/],
  [
    "a release that stopped halfway",
    {
      answers: {
        "deployments status":
          '{"versions": [{"version_id": "two", "percentage": 10}, {"version_id": "one", "percentage": 90}]}',
      },
    },
    /stopped halfway \(two at 10 %, one at 90 %\).*npm run rollback -- production/,
  ],
  [
    "a domain that leads elsewhere",
    { leadsSomewhere: true, choices: { domain: "your-domain.com" } },
    /^your-domain.com already leads somewhere.*--replace-dns/,
  ],
  [
    "a first deployment over somebody's address",
    {
      leadsSomewhere: true,
      answers: { "deployments status": "", "secret list": "" },
      secrets: { ENCRYPTION_KEYS: "1:a", BACKUP_KEYS: "1:a" },
    },
    /--replace-dns/,
  ],
  [
    "the other environment's databases",
    { choices: { databases: { DB: "id-1" } }, staging: { databases: { DB: "id-1", DB_SUPPORT: "id-3" } } },
    /^DB is id-1 in deployments\/production.json, which is staging's database\. Remove the line/,
  ],
  [
    "a database with the other environment's name",
    {
      choices: { databases: { DB: "id-3" } },
      answers: {
        "d1 list": '[{"name": "growline-staging", "uuid": "id-3"}, {"name": "growline-support", "uuid": "id-2"}]',
      },
    },
    /^DB is growline-staging \(id-3\) in deployments\/production.json, which is staging's database/,
  ],
  [
    "the other environment's domain",
    { staging: { domain: "panel.your-domain.com" } },
    /^panel.your-domain.com is staging's domain/,
  ],
  [
    "objects that a newer commit has changed",
    {
      answers: {
        "versions list":
          '[{"id": "one", "metadata": {"created_on": "2026"}, "annotations": {"workers/message": "0.2.0 abc, objects v2"}}]',
      },
    },
    /^The deployed Durable Object classes are v2, which this commit doesn't have/,
  ],
];

for (const [what, given, reason] of REFUSED) {
  test(`refuses ${what} before anything is changed`, async () => {
    const { answers, ...others } = given;
    const all = { answers: { ...USED_ACCOUNT, ...answers }, ...others };
    const { refused, calls } = await deploy(all);
    expect(refused.join("\n")).toMatch(reason);
    for (const line of refused) expect(line.split("\n")).toHaveLength(1);
    expect(calls.filter((call) => !(call in USED_ACCOUNT))).toEqual([]);
    expect(existsSync(join(root, "deployments", "production.releases.jsonl"))).toBe(false);
  });
}

test("takes an alert webhook as a variable or as a secret, with what signs it", async () => {
  const url = "https://hooks.your-domain.com/token";
  const secrets = { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: "whsec_YWFhYWFhYWFhYWFhYWFh" };
  const asSecret = await deploy({ answers: USED_ACCOUNT, secrets, dryRun: true });
  expect(asSecret.refused).toEqual([]);
  expect(asSecret.said).toContain("Sends secrets ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET");
  const { ALERT_WEBHOOK_URL: _, ...signing } = secrets;
  const choices = { vars: { ALERT_WEBHOOK_URL: url } };
  const asVariable = await deploy({ answers: USED_ACCOUNT, secrets: signing, choices, dryRun: true });
  expect(asVariable.refused).toEqual([]);
});

test("refuses a second deployment from the same checkout while one is under way", async () => {
  let second: unknown = null;
  const build = async (deployment: Deployment) => {
    const again = deployEnvironment({ ...deployment, build: async () => {} });
    second = await again.catch((error: Error) => error);
    throw new Error("the build failed");
  };
  await expect(deploy({ answers: USED_ACCOUNT, build })).rejects.toThrow("the build failed");
  expect(second).toMatchObject({ reasons: [expect.stringMatching(/^Another deployment from this checkout/)] });
});

test("reads the smoke test's account before anything is changed", async () => {
  const deployed = deploy({ answers: USED_ACCOUNT, smokeAccount: "\n" });
  await expect(deployed).rejects.toThrow(/deployments\/production\.smoke\.json is empty\./);
  expect(existsSync(join(root, "deployments", "production.releases.jsonl"))).toBe(false);
});

test("asks which of several accounts, unless one is chosen", () => {
  const accounts = ["a", "b"].map((id) => ({ id, name: id.toUpperCase() }));
  expect(loginFaults({ loggedIn: true, accounts }, undefined).join()).toContain(
    "CLOUDFLARE_ACCOUNT_ID to one of a (A), b (B)",
  );
  expect(loginFaults({ loggedIn: true, accounts }, "a")).toEqual([]);
  expect(loginFaults({ loggedIn: true, accounts: [] }, "c")).toEqual([]);
  expect(loginFaults({ loggedIn: true, accounts }, "c").join()).toMatch(/is c, which isn't open to you\..* a \(A\)/);
});

test("names the option of every missing choice where nobody can be asked", async () => {
  const missing = await completeChoices({}, {}, null).catch((error: Refusals) => error.reasons);
  expect(missing).toHaveLength(7);
  for (const line of missing as string[]) expect(line).toMatch(/^--[a-z-]+ is missing\. /);
});

test("asks nobody about metrics, which are off unless they are turned on", async () => {
  expect(await completeChoices(OPERATOR_CHOICES, {}, null)).not.toHaveProperty("metrics");
  expect(await completeChoices(OPERATOR_CHOICES, { metrics: "on" }, null)).toHaveProperty("metrics", "on");
  expect(await completeChoices({ ...OPERATOR_CHOICES, metrics: "on" }, {}, null)).toHaveProperty("metrics", "on");
  const refused = await completeChoices(OPERATOR_CHOICES, { metrics: "yes" }, null).catch((error: Error) => error);
  expect(refused).toMatchObject({ reasons: ['Metrics must be "on" or "off", not "yes".'] });
  const { said } = await deploy({ answers: EMPTY_ACCOUNT, choices: { metrics: "on" }, dryRun: true });
  expect(said).toContain("Counts go to Analytics Engine, which must be turned on in the dashboard first");
});

test("asks a person for what is missing, and again for what can't be deployed", async () => {
  const answers = ["growline.example", "panel.your-domain.com"];
  const asked: string[] = [];
  const choices = await completeChoices({ ...OPERATOR_CHOICES, domain: undefined }, {}, async (question) => {
    asked.push(question);
    return answers.shift() ?? "";
  });
  expect(asked).toEqual([
    expect.stringMatching(/^Domain of the site/),
    expect.stringMatching(/^"growline.example" is a placeholder.*\nDomain of the site/),
  ]);
  expect(choices.domain).toBe("panel.your-domain.com");
});

type Given = {
  answers: Record<string, string>;
  choices: Partial<Choices>;
  secrets: Record<string, string>;
  toml: (text: string) => string;
  uncommitted: string[];
  /** Choices of staging. */
  staging: Partial<Choices>;
  smokeAccount: string;
  leadsSomewhere: boolean;
  isCi: boolean;
  environment: "staging" | "production";
  dryRun: boolean;
  build: (deployment: Deployment) => Promise<void>;
};

/** Deploys with a wrangler that answers by the beginning of its arguments, as the real one prints. */
async function deploy(given: Partial<Given>) {
  const environment = given.environment ?? "production";
  root = mkdtempSync(join(tmpdir(), "growline-preflight-"));
  cpSync(join(ROOT, "migrations"), join(root, "migrations"), { recursive: true });
  const toml = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  writeFileSync(join(root, "wrangler.toml"), given.toml?.(toml) ?? toml);
  mkdirSync(join(root, "deployments"));
  const choices = { ...OPERATOR_CHOICES, databases: {}, vars: {}, ...given.choices };
  writeFileSync(join(root, "deployments", `${environment}.json`), JSON.stringify(choices));
  if (given.secrets) {
    writeFileSync(join(root, "deployments", `${environment}.secrets.json`), JSON.stringify(given.secrets));
  }
  if (given.staging) writeFileSync(join(root, "deployments", "staging.json"), JSON.stringify(given.staging));
  if (given.smokeAccount !== undefined) {
    writeFileSync(join(root, "deployments", `${environment}.smoke.json`), given.smokeAccount);
  }
  const calls: string[] = [];
  const said: string[] = [];
  const deployment: Deployment = {
    root,
    environment,
    flags: {},
    dryRun: given.dryRun ?? false,
    isCi: given.isCi ?? false,
    mayReplaceDns: false,
    checkout: { version: "0.1.0", commit: "abc1234", uncommitted: given.uncommitted ?? [] },
    ask: null,
    say: (line) => said.push(line),
    wranglerWith: () => async (args) => {
      const text = args.join(" ");
      const known = Object.keys(given.answers ?? {}).find((start) => text.startsWith(start));
      calls.push(known ?? args.slice(0, 2).join(" "));
      if (known && given.answers?.[known] !== "") return given.answers?.[known] ?? "";
      throw new Error("wrangler failed", {
        cause: { stderr: "This Worker does not exist on your account. [code: 10007]" },
      });
    },
    build: async () => given.build?.(deployment),
    siteOf: () => ({ smokeTest: async () => {}, keepsVisitorsOnOneVersion: async () => true }),
    leadsSomewhere: async () => given.leadsSomewhere ?? false,
  };
  const refused = await deployEnvironment(deployment).then(
    () => [] as string[],
    (error: Error) => (error instanceof Refusals ? error.reasons : Promise.reject(error)),
  );
  return { said, calls, refused };
}

/** Returns what `versions view` prints of a version with these bindings. */
function served(origin: string, main: string, support: string): string {
  const bindings = [
    { name: "PUBLIC_ORIGIN", type: "plain_text", text: origin },
    { name: "DB", type: "d1", id: main },
    { name: "DB_SUPPORT", type: "d1", id: support },
  ];
  return JSON.stringify({ id: "one", resources: { bindings } });
}

/** Returns what `secret list` prints of a worker with these secrets. */
function onWorker(...names: string[]): string {
  return JSON.stringify(names.map((name) => ({ name })));
}
