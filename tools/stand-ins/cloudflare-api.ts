import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

/**
 * A stand-in for those parts of Cloudflare's REST API that wrangler calls for a deployment. Each response has the fields
 * that wrangler 4 reads from it. Start wrangler with CLOUDFLARE_API_BASE_URL set to its URL.
 */

export const ACCOUNT = "an-account-of-the-stand-in";

type StoredVersion = {
  id: string;
  number: number;
  metadata: { created_on: string; source: string; author_email: string };
  annotations: Record<string, string>;
  resources: { script: { etag: string }; script_runtime: Record<string, unknown>; bindings: unknown[] };
  secrets: Map<string, string>;
};
type Split = { version_id: string; percentage: number };
type StoredDeployment = { id: string; created_on: string; versions: Split[] };
type Script = {
  name: string;
  migrationTag: string | null;
  secrets: Map<string, string>;
  versions: StoredVersion[];
  /** Newest first. */
  deployments: StoredDeployment[];
  settings: Record<string, unknown>;
  domains: string[];
  crons: string[];
  subdomain: { enabled: boolean; previews_enabled: boolean };
};
type StoredDatabase = {
  uuid: string;
  name: string;
  location: string | null;
  database: DatabaseSync;
  imports: Buffer[];
};
type Metadata = {
  migrations?: { new_tag: string };
  annotations?: Record<string, string>;
  bindings: { name: string; type: string; text?: string }[];
  limits?: unknown;
  placement?: unknown;
};

/** Refusal of the API, as wrangler prints it. */
class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export type CloudflareApi = {
  /** For CLOUDFLARE_API_BASE_URL. */
  url: string;
  scripts: Map<string, Script>;
  databases: StoredDatabase[];
  buckets: { name: string; location: string | null }[];
  /** Domains that may send email. */
  sendingDomains: string[];
  /** Method and path of every call, in their order. */
  calls: string[];
  /** The calls that changed something. */
  changes: string[];
  /** Requests of wrangler that this doesn't know. */
  unknown: string[];
  close(): void;
};

export async function startCloudflareApi(): Promise<CloudflareApi> {
  const scripts = new Map<string, Script>();
  const api: CloudflareApi = {
    url: "",
    scripts,
    databases: [],
    buckets: [],
    sendingDomains: [],
    calls: [],
    changes: [],
    unknown: [],
    close: () => server.close(),
  };
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const url = new URL(request.url ?? "/", "http://localhost");
    const method = request.method ?? "GET";
    const send = (status: number, value: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { "Content-Type": "application/json", ...headers });
      response.end(JSON.stringify(value));
    };
    try {
      if (url.pathname.startsWith("/upload/")) {
        // The address at which the API lets wrangler put an import.
        const etag = createHash("md5").update(body).digest("hex");
        api.databases.find(({ uuid }) => url.pathname.endsWith(uuid))?.imports.push(body);
        return send(200, {}, { ETag: `"${etag}"` });
      }
      const result = await answer(api, method, url, request, body);
      const list = Array.isArray(result) ? result.length : 1;
      const result_info = { page: 1, per_page: 50, count: list, total_count: list, total_pages: 1 };
      send(200, { success: true, errors: [], messages: [], result, result_info });
    } catch (error) {
      const { status = 500, code = 10001, message } = error as Refusal;
      send(status, { success: false, errors: [{ code, message }], messages: [], result: null });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return api;
}

type Handler = (call: {
  api: CloudflareApi;
  params: string[];
  query: URLSearchParams;
  json: () => Record<string, unknown>;
  form: () => Promise<Metadata>;
}) => unknown;

const A = `/accounts/${ACCOUNT}`;
const S = `${A}/workers/scripts/([\\w-]+)`;

/** By method and path. */
const HANDLERS: [string, string, Handler][] = [
  ["GET", "/user/tokens/verify", () => ({ id: "token", status: "active" })],
  ["GET", "/user", () => ({ id: "user", email: "operator@your-domain.com" })],
  ["GET", "/accounts", () => [{ id: ACCOUNT, name: "Stand-in" }]],
  ["GET", "/memberships", () => [{ id: "m", account: { id: ACCOUNT, name: "Stand-in" } }]],

  ["GET", `${A}/email/sending/zones`, ({ api }) => api.sendingDomains.map((name) => ({ id: `zone-${name}`, name }))],
  [
    "GET",
    "/zones/zone-([\\w.-]+)/email/sending/subdomains",
    ({ params: [name] }) => [{ name, enabled: true, tag: `tag-${name}` }],
  ],
  ["GET", "/zones", () => [{ id: "zone", name: "your-domain.com" }]],

  ["GET", `${A}/d1/database`, ({ api }) => api.databases.map(shownDatabase)],
  ["POST", `${A}/d1/database`, ({ api, json }) => createDatabase(api, json())],
  ["GET", `${A}/d1/database/([\\w-]+)`, ({ api, params: [id] }) => shownDatabase(databaseOf(api, id))],
  [
    "GET",
    `${A}/d1/database/([\\w-]+)/time_travel/bookmark`,
    ({ api, params: [id] }) => ({ bookmark: `0000-${databaseOf(api, id).name}-${databaseOf(api, id).imports.length}` }),
  ],
  ["POST", `${A}/d1/database/([\\w-]+)/query`, ({ api, params: [id], json }) => query(databaseOf(api, id), json())],
  ["POST", `${A}/d1/database/([\\w-]+)/import`, ({ api, params: [id], json }) => importSql(api, id, json())],

  ["GET", `${A}/r2/buckets`, ({ api }) => ({ buckets: api.buckets.map(({ name }) => ({ name, creation_date: "" })) })],
  [
    "GET",
    `${A}/r2/buckets/([\\w-]+)`,
    ({ api, params: [name] }) => {
      const bucket = api.buckets.find((one) => one.name === name);
      if (!bucket) throw new Refusal(404, 10006, "The specified bucket does not exist.");
      return { name, location: bucket.location };
    },
  ],
  [
    "POST",
    `${A}/r2/buckets`,
    ({ api, json }) => {
      const { name, locationHint = null } = json() as { name: string; locationHint?: string };
      api.buckets.push({ name, location: locationHint });
      return { name };
    },
  ],

  ["GET", `${A}/workers/services/([\\w-]+)`, ({ api, params: [name] }) => service(scriptOf(api, name, 10090))],
  ["PUT", S, async ({ api, params: [name = ""], form }) => deployAtOnce(api, name, await form())],
  ["GET", `${S}/secrets`, ({ api, params: [name] }) => secretsOf(scriptOf(api, name))],
  ["GET", `${S}/versions`, ({ api, params: [name] }) => ({ items: scriptOf(api, name).versions.slice(-10).reverse() })],
  ["POST", `${S}/versions`, async ({ api, params: [name], form }) => addVersion(scriptOf(api, name), await form())],
  [
    "GET",
    `${S}/versions/([\\w-]+)`,
    ({ api, params: [name, id] }) => scriptOf(api, name).versions.find((version) => version.id === id),
  ],
  ["GET", `${S}/deployments`, ({ api, params: [name] }) => ({ deployments: scriptOf(api, name).deployments })],
  [
    "POST",
    `${S}/deployments`,
    ({ api, params: [name], query, json }) => {
      const script = scriptOf(api, name);
      if (!query.has("force")) refuseOldSecrets(script, json().versions as Split[]);
      return addDeployment(script, json());
    },
  ],
  ["GET", `${S}/script-settings`, ({ api, params: [name] }) => scriptOf(api, name).settings],
  [
    "PATCH",
    `${S}/script-settings`,
    ({ api, params: [name], json }) => Object.assign(scriptOf(api, name).settings, json()),
  ],
  ["GET", `${S}/settings`, ({ api, params: [name] }) => ({ bindings: secretsOf(scriptOf(api, name)) })],
  [
    "GET",
    `${A}/workers/workers/([\\w-]+)`,
    ({ api, params: [name] }) => ({ subdomain: scriptOf(api, name).subdomain }),
  ],
  ["POST", `${S}/subdomain`, ({ api, params: [name], json }) => Object.assign(scriptOf(api, name).subdomain, json())],
  ["GET", `${A}/workers/subdomain`, () => ({ subdomain: "stand-in" })],
  ["POST", `${S}/assets-upload-session`, () => ({ jwt: "assets", buckets: [] })],
  [
    "PUT",
    `${S}/schedules`,
    ({ api, params: [name], json }) => {
      scriptOf(api, name).crons = (json() as unknown as { cron: string }[]).map(({ cron }) => cron);
      return { schedules: [] };
    },
  ],
  ["POST", `${S}/domains/changeset`, () => ({ added: [], removed: [], updated: [], conflicting: [] })],
  [
    "PUT",
    `${S}/domains/records`,
    ({ api, params: [name], json }) => {
      scriptOf(api, name).domains = (json().origins as { hostname: string }[]).map(({ hostname }) => hostname);
      return [];
    },
  ],
];

async function answer(api: CloudflareApi, method: string, url: URL, request: IncomingMessage, body: Buffer) {
  for (const [itsMethod, pattern, handle] of HANDLERS) {
    const found = new RegExp(`^${pattern}$`).exec(url.pathname);
    if (itsMethod !== method || !found) continue;
    const isRead = method === "GET" || /\/(query|changeset)$/.test(url.pathname);
    const call = `${method} ${url.pathname.replace(A, "")}`;
    api.calls.push(call);
    if (!isRead) api.changes.push(call);
    return handle({
      api,
      params: found.slice(1),
      query: url.searchParams,
      json: () => JSON.parse(body.toString()) as Record<string, unknown>,
      form: async () => {
        const type = request.headers["content-type"] ?? "";
        const form = await new Response(new Uint8Array(body), { headers: { "Content-Type": type } }).formData();
        const metadata = form.get("metadata");
        return JSON.parse(typeof metadata === "string" ? metadata : ((await metadata?.text()) ?? "{}")) as Metadata;
      },
    });
  }
  api.unknown.push(`${method} ${url.pathname}`);
  throw new Refusal(404, 7003, `The stand-in doesn't know ${method} ${url.pathname}`);
}

function scriptOf(api: CloudflareApi, name = "", code = 10007): Script {
  const script = api.scripts.get(name);
  if (!script) throw new Refusal(404, code, "This Worker does not exist on your account.");
  return script;
}

function databaseOf(api: CloudflareApi, id = ""): StoredDatabase {
  const database = api.databases.find(({ uuid }) => uuid === id);
  if (!database) throw new Refusal(404, 7404, `The database ${id} could not be found`);
  return database;
}

function shownDatabase({ uuid, name }: StoredDatabase) {
  return { uuid, name, version: "production", num_tables: 0, file_size: 0, created_at: "2026-01-01T00:00:00Z" };
}

function createDatabase(api: CloudflareApi, body: Record<string, unknown>) {
  const { name, primary_location_hint = null } = body as { name: string; primary_location_hint?: string };
  const database = {
    uuid: randomUUID(),
    name,
    location: primary_location_hint,
    database: new DatabaseSync(":memory:"),
    imports: [],
  };
  api.databases.push(database);
  return { ...shownDatabase(database), created_in_region: primary_location_hint };
}

function query({ database }: StoredDatabase, { sql }: Record<string, unknown>) {
  try {
    return [{ results: database.prepare(String(sql)).all(), success: true, meta: { duration: 1 } }];
  } catch (error) {
    throw new Refusal(400, 7500, `${(error as Error).message}: SQLITE_ERROR`);
  }
}

/** An import is announced, put at another address, and run when that is said to be done. */
function importSql(api: CloudflareApi, id = "", { action }: Record<string, unknown>) {
  const stored = databaseOf(api, id);
  if (action === "init") return { success: true, filename: "import.sql", upload_url: `${api.url}/upload/${id}` };
  const sql = stored.imports.at(-1)?.toString() ?? "";
  try {
    stored.database.exec(`BEGIN;${sql};COMMIT;`);
  } catch (error) {
    stored.database.exec("ROLLBACK");
    return { success: true, type: "import", status: "error", messages: [], errors: [(error as Error).message] };
  }
  const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
  const result = { num_queries: 1, final_bookmark: "0001", meta };
  return { success: true, type: "import", status: "complete", at_bookmark: "0001", messages: [], result };
}

function service(script: Script) {
  return {
    id: script.name,
    default_environment: {
      environment: "production",
      script: {
        id: script.name,
        tag: `tag-${script.name}`,
        tags: [],
        last_deployed_from: "wrangler",
        migration_tag: script.migrationTag ?? undefined,
      },
    },
  };
}

function secretsOf({ secrets }: Script) {
  return [...secrets.keys()].map((name) => ({ name, type: "secret_text" }));
}

/** Does what `wrangler deploy` needs for a new worker and for changed Durable Object classes: everything at once. */
function deployAtOnce(api: CloudflareApi, name: string, metadata: Metadata) {
  const script = api.scripts.get(name) ?? {
    name,
    migrationTag: null,
    secrets: new Map(),
    versions: [],
    deployments: [],
    settings: {},
    domains: [],
    crons: [],
    subdomain: { enabled: false, previews_enabled: false },
  };
  api.scripts.set(name, script);
  if (metadata.migrations) script.migrationTag = metadata.migrations.new_tag;
  const version = addVersion(script, metadata);
  addDeployment(script, { versions: [{ version_id: version.id, percentage: 100 }] });
  return { id: name, etag: "etag", deployment_id: version.id.replaceAll("-", ""), startup_time_ms: 1 };
}

function addVersion(script: Script, { annotations = {}, bindings, limits, placement }: Metadata) {
  for (const { type, name, text } of bindings) if (type === "secret_text") script.secrets.set(name, text ?? "");
  const version: StoredVersion = {
    id: randomUUID(),
    number: script.versions.length + 1,
    metadata: { created_on: timeAfter(script.versions.length), source: "wrangler", author_email: "a@b.c" },
    annotations,
    resources: { script: { etag: "etag" }, script_runtime: { limits, placement }, bindings },
    secrets: new Map(script.secrets),
  };
  script.versions.push(version);
  return { ...version, startup_time_ms: 1, metadata: { ...version.metadata, has_preview: false } };
}

function addDeployment(script: Script, { versions }: Record<string, unknown>) {
  const created_on = timeAfter(script.deployments.length);
  const deployment = { id: randomUUID(), created_on, versions: versions as Split[] };
  script.deployments.unshift({
    ...deployment,
    ...{ source: "wrangler", strategy: "percentage", author_email: "a@b.c" },
  });
  return deployment;
}

/** Going back to a version is refused if a secret changed since: a version has its own. */
function refuseOldSecrets({ secrets, versions }: Script, splits: Split[]): void {
  const [only, ...others] = splits;
  const target = versions.find(({ id }) => id === only?.version_id);
  if (!target || others.length > 0) return;
  const changed = [...secrets.keys()].filter((name) => secrets.get(name) !== target.secrets.get(name));
  if (changed.length > 0) throw new Refusal(400, 10220, `The following secrets have changed: ${changed.join(", ")}`);
}

/** Times in order, however fast the calls come. */
function timeAfter(count: number): string {
  return new Date(Date.UTC(2026, 0, 1) + count * 60_000).toISOString();
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
