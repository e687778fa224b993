import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Choices, completeChoices, Refusals } from "./choices.ts";
import { type Deployment, deployEnvironment } from "./deployment.ts";
import { loginFaults, planRelease } from "./preflight.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const CHOSEN = {
  domain: "panel.your-domain.com",
  sender: "no-reply@your-domain.com",
  loginErrors: "uniform",
  staffSecondFactor: "required",
  location: "weur",
  smokeTestEmail: "ops+smoke@your-domain.com",
  alertEmail: "ops@your-domain.com",
};
const TABLE = `
┌─────────────────┬─────────────────┬─────────┬─────┐
│ zone            │ name            │ enabled │ tag │
├─────────────────┼─────────────────┼─────────┼─────┤
│ your-domain.com │ your-domain.com │ yes     │ a   │
│ your-domain.com │ old.your-domain.com │ no  │ b   │
└─────────────────┴─────────────────┴─────────┴─────┘`;
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
  "secret list":
    '[{"name": "SESSION_SECRET"}, {"name": "ENCRYPTION_KEYS"}, {"name": "BACKUP_KEYS"}, {"name": "VAPID_KEYS"}]',
  "versions list":
    '[{"id": "one", "metadata": {"created_on": "2026"}, "annotations": {"workers/message": "0.1.0 abc, objects v1"}}]',
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
    "Makes bucket growline-backups-staging in weur",
    expect.stringMatching(/^Makes secrets SESSION_SECRET, ENCRYPTION_KEYS/),
    "Releases at once, because nothing is deployed yet",
    "Nothing was changed: this was a dry run.",
  ]);
  expect(calls).toEqual(Object.keys(EMPTY_ACCOUNT).concat("deployments status"));
  expect(existsSync(join(root, "deployments", "staging.secrets.json"))).toBe(false);
});

test("releases in steps what has the same Durable Object classes as the deployed version", async () => {
  const { said } = await deploy({ answers: USED_ACCOUNT, dryRun: true });
  expect(said.at(-2)).toBe("Releases in steps, from one");
  const one = { id: "d", created_on: "", versions: [{ version_id: "one", percentage: 100 }] };
  expect(planRelease(one, [], "v1")).toMatchObject({ kind: "at_once", reason: /unknown/ });
  expect(planRelease(null, [], "v1")).toMatchObject({ kind: "at_once" });
  // `wrangler secret put` deploys a version of the same code, without a message of ours.
  const at = { created_on: "2026" };
  const secret = { id: "one", metadata: at, annotations: { "workers/triggered_by": "secret" } };
  const released = { id: "zero", metadata: at, annotations: { "workers/message": "0.1.0 abc, objects v1" } };
  expect(planRelease(one, [secret, released], "v1")).toEqual({ kind: "in_steps", old: "one" });
  expect(planRelease(one, [secret, released], "v2")).toMatchObject({ kind: "at_once", reason: /v1 to v2/ });
});

const REFUSED: [string, Partial<Given>, RegExp][] = [
  ["nobody who is logged in", { answers: { whoami: '{"loggedIn":false}' } }, /^Nobody is logged in/],
  ["a sender's domain that can't send", { answers: { "email sending list": "No sending" } }, /Workers Paid plan/],
  ["a sender's domain that is switched off", { choices: { sender: "a@old.your-domain.com" } }, /isn't set up for send/],
  ["workers_dev", { toml: (text) => text.replace("workers_dev = false", "workers_dev = true") }, /must be false/],
  ["a database id of zeros", { choices: { databases: { DB: "0000-0000" } } }, /^DB has the database id/],
  ["a database that isn't in this account", { choices: { databases: { DB: "id-9" } } }, /no such database/],
  ["a secret that a variable needs", { choices: { vars: { EMAIL_API_URL: "https://a.b" } } }, /EMAIL_API_KEY isn't/],
  ["half of the payments' secrets", { secrets: { STRIPE_SECRET_KEY: "sk" } }, /STRIPE_WEBHOOK_SECRET isn't/],
  ["a secret among the variables", { choices: { vars: { SESSION_SECRET: "a" } } }, /anybody with the repository/],
  ["a name that is no secret", { secrets: { SESION_SECRET: "a" } }, /SESION_SECRET, which is none/],
  ["data without its keys", { answers: { "secret list": "[]" } }, /databases have data, but the worker has no ENC/],
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
    { leadsSomewhere: true, choices: { databases: {} }, answers: { "d1 list": "[]" } },
    /--replace-dns/,
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

test("asks which of several accounts, unless one is chosen", () => {
  const accounts = ["a", "b"].map((id) => ({ id, name: id.toUpperCase() }));
  expect(loginFaults({ loggedIn: true, accounts }, undefined).join()).toContain(
    "CLOUDFLARE_ACCOUNT_ID to one of a (A), b (B)",
  );
  expect(loginFaults({ loggedIn: true, accounts }, "a")).toEqual([]);
});

test("names the option of every missing choice where nobody can be asked", async () => {
  const missing = await completeChoices({}, {}, null).catch((error: Refusals) => error.reasons);
  expect(missing).toHaveLength(7);
  for (const line of missing as string[]) expect(line).toMatch(/^--[a-z-]+ is missing\. /);
});

test("asks a person for what is missing, and again for what can't be deployed", async () => {
  const answers = ["growline.example", "panel.your-domain.com"];
  const asked: string[] = [];
  const choices = await completeChoices({ ...CHOSEN, domain: undefined }, {}, async (question) => {
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
  leadsSomewhere: boolean;
  environment: "staging" | "production";
  dryRun: boolean;
};

/** Deploys with a wrangler that answers by the beginning of its arguments, as the real one prints. */
async function deploy(given: Partial<Given>) {
  const environment = given.environment ?? "production";
  root = mkdtempSync(join(tmpdir(), "growline-preflight-"));
  cpSync(join(ROOT, "migrations"), join(root, "migrations"), { recursive: true });
  const toml = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  writeFileSync(join(root, "wrangler.toml"), given.toml?.(toml) ?? toml);
  mkdirSync(join(root, "deployments"));
  const choices = { ...CHOSEN, databases: {}, vars: {}, ...given.choices };
  writeFileSync(join(root, "deployments", `${environment}.json`), JSON.stringify(choices));
  if (given.secrets) {
    writeFileSync(join(root, "deployments", `${environment}.secrets.json`), JSON.stringify(given.secrets));
  }
  const calls: string[] = [];
  const said: string[] = [];
  const deployment: Deployment = {
    root,
    environment,
    flags: {},
    dryRun: given.dryRun ?? false,
    mayReplaceDns: false,
    checkout: { version: "0.1.0", commit: "abc1234", uncommitted: given.uncommitted ?? [] },
    ask: null,
    say: (line) => said.push(line),
    wranglerWith: () => async (args) => {
      const text = args.join(" ");
      const known = Object.keys(given.answers ?? {}).find((start) => text.startsWith(start));
      calls.push(known ?? args.slice(0, 2).join(" "));
      if (known) return given.answers?.[known] ?? "";
      throw new Error("wrangler failed", {
        cause: { stderr: "This Worker does not exist on your account. [code: 10007]" },
      });
    },
    build: async () => {},
    siteOf: () => ({ smokeTest: async () => {}, keepsVisitorsOnOneVersion: async () => true }),
    leadsSomewhere: async () => given.leadsSomewhere ?? false,
  };
  const refused = await deployEnvironment(deployment).then(
    () => [] as string[],
    (error: Error) => (error instanceof Refusals ? error.reasons : Promise.reject(error)),
  );
  return { said, calls, refused };
}
