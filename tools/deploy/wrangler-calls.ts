import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "#tools/run/build.ts";
import { CommandError } from "#tools/run/command-line.ts";

/** Calls of wrangler, with their outputs read into values. */

export type Wrangler = (args: string[], env?: Record<string, string>) => Promise<string>;
export type Account = { name: string; id: string };
export type Login = { loggedIn: boolean; accounts: Account[] };
export type Database = { name: string; uuid: string };
export type Split = { version_id: string; percentage: number };
export type DeployedSplit = { id: string; created_on: string; versions: Split[] };
export type Version = {
  id: string;
  metadata: { created_on: string };
  annotations?: Record<string, string>;
};
/** The site's origin, and the ids of the databases by binding. */
export type VersionBindings = { origin: string | null; databases: Record<string, string> };

/** Returns a function that runs the project's wrangler with that configuration. */
export function wranglerFor(root: string, config: string): Wrangler {
  return (args, env) => run(root, "wrangler", [...args, "-c", config], env);
}

export async function readLogin(wrangler: Wrangler): Promise<Login> {
  try {
    return jsonIn(await wrangler(["whoami", "--json"])) as Login;
  } catch (error) {
    // It prints the same JSON and fails if nobody is logged in.
    if (/"loggedIn":\s*false/.test(outputOf(error))) return { loggedIn: false, accounts: [] };
    throw error;
  }
}

export async function listDatabases(wrangler: Wrangler): Promise<Database[]> {
  return jsonIn(await wrangler(["d1", "list", "--json"])) as Database[];
}

export async function listBuckets(wrangler: Wrangler): Promise<string[]> {
  const output = await wrangler(["r2", "bucket", "list"]);
  return [...output.matchAll(/^name:\s+(\S+)$/gm)].map(([, name = ""]) => name);
}

/** Returns the domains that may send: of the table that wrangler prints, those that are enabled. */
export async function listSendingDomains(wrangler: Wrangler): Promise<string[]> {
  const output = await wrangler(["email", "sending", "list"]);
  const rows = output.split("\n").map((line) => line.split("│").map((cell) => cell.trim()));
  return rows.filter(([, , , enabled]) => enabled === "yes").map(([, , name = ""]) => name.toLowerCase());
}

/** Returns null if the worker doesn't exist. */
export async function readDeployed(wrangler: Wrangler): Promise<DeployedSplit | null> {
  return unlessMissing(async () => jsonIn(await wrangler(["deployments", "status", "--json"])) as DeployedSplit);
}

/** Returns the last deployments, newest first. */
export async function listDeployments(wrangler: Wrangler): Promise<DeployedSplit[]> {
  const deployments = jsonIn(await wrangler(["deployments", "list", "--json"])) as DeployedSplit[];
  return deployments.toSorted((a, b) => b.created_on.localeCompare(a.created_on));
}

/** Returns the last ten versions, newest first: those that can still be deployed. */
export async function listVersions(wrangler: Wrangler): Promise<Version[]> {
  const versions = jsonIn(await wrangler(["versions", "list", "--json"])) as Version[];
  return versions.toSorted((a, b) => b.metadata.created_on.localeCompare(a.metadata.created_on));
}

/** Returns what a version was deployed with. */
export async function readBindings(wrangler: Wrangler, version: string): Promise<VersionBindings> {
  const { resources } = jsonIn(await wrangler(["versions", "view", version, "--json"])) as {
    resources: { bindings: { name: string; type: string; text?: string; id?: string }[] };
  };
  const { bindings } = resources;
  const databases = bindings.filter(({ type }) => type === "d1").map(({ name, id = "" }) => [name, id]);
  return {
    origin: bindings.find(({ name }) => name === "PUBLIC_ORIGIN")?.text ?? null,
    databases: Object.fromEntries(databases),
  };
}

export async function listSecrets(wrangler: Wrangler): Promise<string[]> {
  const secrets = await unlessMissing(async () => jsonIn(await wrangler(["secret", "list", "--format", "json"])));
  return ((secrets ?? []) as { name: string }[]).map(({ name }) => name);
}

/** Returns the bookmark to which Time Travel can take the database back. */
export async function readBookmark(wrangler: Wrangler, database: string): Promise<string> {
  const { bookmark } = jsonIn(await wrangler(["d1", "time-travel", "info", database, "--json"])) as {
    bookmark: string;
  };
  return bookmark;
}

/** Runs `deploy` or `versions upload`. Returns the id of the version that it made. */
export async function upload(wrangler: Wrangler, args: string[], secrets: Record<string, string>): Promise<string> {
  // Only this user can read in it.
  const folder = mkdtempSync(join(tmpdir(), "growline-upload-"));
  const file = join(folder, "output.jsonl");
  try {
    const secretsFile = join(folder, "secrets.json");
    const hasSecrets = Object.keys(secrets).length > 0;
    if (hasSecrets) writeFileSync(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
    const given = hasSecrets ? ["--secrets-file", secretsFile] : [];
    await wrangler([...args, ...given], { WRANGLER_OUTPUT_FILE_PATH: file });
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const made = lines
      .map((line) => JSON.parse(line) as { type: string; version_id?: string })
      .find(({ type }) => type === "deploy" || type === "version-upload");
    if (!made?.version_id) throw new CommandError(`wrangler ${args[0]} named no version.`);
    return made.version_id;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function describeSplit(splits: Split[]): string {
  return splits.map(({ version_id, percentage }) => `${version_id} at ${percentage} %`).join(", ");
}

/** Splits the traffic among the versions, in that order. */
export async function splitTraffic(wrangler: Wrangler, splits: Split[], message: string): Promise<void> {
  const specs = splits.map(({ version_id, percentage }) => `${version_id}@${percentage}%`);
  await wrangler(["versions", "deploy", ...specs, "--message", message, "--yes"]);
}

/**
 * Moves everybody to an older version, with the secrets that it had. `versions deploy` is refused if one changed since;
 * `rollback` goes on without a terminal.
 */
export async function takeBack(wrangler: Wrangler, version: string, message: string): Promise<void> {
  await wrangler(["rollback", version, "--message", message, "--yes"]);
}

/** Returns the secrets for whose sake the platform refused to go back, or null if it was for something else. */
export function changedSecretsIn(output: string): string | null {
  // Wrangler's CANNOT_ROLLBACK_WITH_MODIFIED_SECERT_CODE.
  if (!/\b10220\b/.test(output)) return null;
  return /secrets have changed:\s*(.+?)\s*(\[code|$)/m.exec(output)?.[1] ?? "A secret";
}

async function unlessMissing<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    // https://developers.cloudflare.com/workers/: "This Worker does not exist on your account."
    if (/\b10007\b|\b10090\b/.test(outputOf(error))) return null;
    throw error;
  }
}

/** Returns what a failed command printed. */
export function outputOf(error: unknown): string {
  const { stdout = "", stderr = "" } = ((error as Error).cause ?? {}) as { stdout?: string; stderr?: string };
  return `${stdout}\n${stderr}`;
}

/** Reads the JSON after whatever wrangler prints before it. */
export function jsonIn(output: string): unknown {
  const start = output.search(/^[[{]/m);
  return JSON.parse(output.slice(start));
}
