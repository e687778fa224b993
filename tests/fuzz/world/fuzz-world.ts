import { fillDemo } from "#tools/demo/fill-demo.ts";
import type { Samples } from "#tools/pages/page-list.ts";
import { authorize, type CallerName, type FuzzCase } from "../cases/fuzz-case.ts";
import type { CaseSource } from "../cases/write-case.ts";
import { type RawRequest, type RawResponse, sendRaw } from "../client/raw-client.ts";
import { sendFrames } from "../client/socket-client.ts";
import type { Canaries } from "../oracles/judge-response.ts";
import { type FuzzedCopy, startFuzzedCopy } from "../product/fuzzed-copy.ts";
import type { JsonSchema } from "../surface/json-schema.ts";
import { formsIn, linksIn, type PageForm } from "../surface/page-forms.ts";
import type { Surface } from "../surface/surface.ts";
import { type FuzzCallers, openCallers } from "./fuzz-callers.ts";
import { plantCanaries } from "./plant-canaries.ts";
import { plantConsole, SELECTIONS } from "./plant-console.ts";

/** A filled copy of the product, and what its pages show of the surface. */
export type FuzzWorld = {
  copy: FuzzedCopy;
  callers: FuzzCallers;
  canaries: Canaries;
  source: CaseSource;
  send(fuzzCase: FuzzCase, timeoutMs: number): Promise<RawResponse>;
  /** Returns the request of a case as it is sent. */
  authorized(fuzzCase: FuzzCase): RawRequest;
};

const MAX_PATHS_PER_ROUTE = 12;
const MAX_VISITS_PER_ROUTE = 3;
const KNOWN_PER_NAME = 20;

export async function openWorld(bundle: string, surface: Surface): Promise<FuzzWorld> {
  const copy = await startFuzzedCopy(bundle);
  try {
    const samples = await fillDemo(copy.demo);
    const callers = await openCallers(copy);
    const canaries = await plantCanaries(copy);
    const selections = await plantConsole(copy, callers.credentials.admin.cookie ?? "");
    const { host, port } = new URL(copy.url);
    const authorized = (fuzzCase: FuzzCase) => authorize(fuzzCase, callers.credentials[fuzzCase.caller], host);
    return {
      copy,
      callers,
      canaries,
      source: await readSource(copy, callers, surface, samples, [...SELECTIONS, ...selections]),
      authorized,
      send(fuzzCase, timeoutMs) {
        const request = authorized(fuzzCase);
        if (!fuzzCase.frames) return sendRaw(Number(port), request, timeoutMs);
        const headers = Object.fromEntries(request.headers.filter(([name]) => name !== "Host"));
        return sendFrames(`ws://${host}${request.target}`, headers, fuzzCase.frames, timeoutMs);
      },
    };
  } catch (error) {
    await copy.remove();
    throw error;
  }
}

/** Visits every page that a person finds by links, and collects forms, addresses and values. */
async function readSource(
  copy: FuzzedCopy,
  callers: FuzzCallers,
  surface: Surface,
  samples: Samples,
  selections: string[],
): Promise<CaseSource> {
  const matchers = surface.routes.map(({ pattern }) => ({ pattern, matches: matcherOf(pattern) }));
  const patternOf = (path: string) => matchers.find(({ matches }) => matches.test(path))?.pattern;
  const paths = new Map<string, Set<string>>();
  const forms = new Map<string, Map<string, PageForm>>();
  const known = new Map<string, Set<string>>();
  const addTo = <T>(map: Map<string, Set<T>>, key: string, value: T, max: number) => {
    const set = map.get(key) ?? new Set();
    map.set(key, set);
    if (set.size < max) set.add(value);
  };
  for (const caller of ["visitor", "customer", "agent", "admin"] as const) {
    await crawl(caller);
  }
  await addUnlinkedPaths();
  for (const [key, value] of Object.entries(samples)) {
    const [pattern = "", parameter = ""] = key.split(" ");
    addTo(paths, pattern, pattern.replace(parameter, encodeURIComponent(value)), MAX_PATHS_PER_ROUTE);
  }
  const { email, password, apiKey } = copy.demo.customer;
  const names: Record<string, string[]> = {
    email: [email, "new.person@mail.example"],
    password: [password, "a wrong password"],
    current: ["a wrong password", password],
    key: [apiKey],
    link: ["https://instagram.com/p/abc", "https://youtube.com/watch?v=abcdefghijk"],
    service: ["1", "2", "3"],
    order: ["1", "2"],
    orders: ["1,2,3"],
    quantity: ["1000", "100"],
    amount: ["5", "12.50"],
    reason: ["Because"],
  };
  for (const [name, values] of Object.entries(names))
    for (const value of values) addTo(known, name, value, KNOWN_PER_NAME);

  const documented = await readDocument(copy);
  return {
    surface,
    origin: copy.url,
    formsOf: (pattern) => [...(forms.get(pattern)?.values() ?? [])],
    documentedSchemas: (pattern) => documented.get(pattern) ?? [],
    pathsOf: (pattern) => [...(paths.get(pattern) ?? [])],
    known: (name) => [...(known.get(name) ?? [])],
  };

  async function crawl(caller: CallerName): Promise<void> {
    const { cookie = "" } = callers.credentials[caller];
    const plain = surface.routes.filter(({ isPage, pattern }) => isPage && !/[:*]/.test(pattern));
    const waiting = [...new Set(plain.map(({ pattern }) => pattern)), ...(caller === "admin" ? selections : [])];
    const seen = new Set(waiting);
    const visits = new Map<string, number>();
    const visit = (link: string, pattern: string) => {
      const count = (visits.get(pattern) ?? 0) + 1;
      if (seen.has(link) || count > MAX_VISITS_PER_ROUTE) return;
      visits.set(pattern, count);
      seen.add(link);
      waiting.push(link);
    };
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const response = await fetch(copy.url + path, { headers: { Cookie: cookie }, redirect: "manual" });
      const html = await response.text();
      const location = response.headers.get("Location");
      if (response.status === 200) noteForms(html, path);
      for (const link of location?.startsWith("/") ? [location] : linksIn(html)) {
        const { pathname, search, searchParams } = new URL(link, copy.url);
        const pattern = patternOf(pathname);
        if (!pattern || pattern === "/*" || /logout|assets/.test(pathname)) continue;
        addTo(paths, pattern, pathname, MAX_PATHS_PER_ROUTE);
        for (const [name, value] of searchParams) addTo(known, name, value, KNOWN_PER_NAME);
        visit(pathname + search, pattern);
      }
    }
  }

  function noteForms(html: string, path: string): void {
    for (const form of formsIn(html, path)) {
      const { pathname } = new URL(form.action, copy.url);
      const pattern = patternOf(pathname);
      if (!pattern) continue;
      addTo(paths, pattern, pathname, MAX_PATHS_PER_ROUTE);
      const shape = [...form.fields, ...form.buttons].map(([name, value]) => (name === "intent" ? value : name)).join();
      forms.set(pattern, (forms.get(pattern) ?? new Map()).set(shape, form));
      for (const [name, value] of [...form.fields, ...form.buttons]) {
        if (value !== "") addTo(known, name, value, KNOWN_PER_NAME);
      }
    }
  }

  /** Adds what no page links to without scripts: chats, uploads, files and services. */
  async function addUnlinkedPaths(): Promise<void> {
    const rows = await copy.query<{ id: string }>(
      "select session_id as id from support_sessions limit 4",
      "DB_SUPPORT",
    );
    const { cookie = "" } = callers.credentials.customer;
    const json = { method: "POST", headers: { Cookie: cookie, "Content-Type": "application/json" } };
    const started = await fetch(`${copy.url}/support/session`, { ...json, body: '{"name":"Customer"}' });
    const { session } = (await started.json()) as { session: { session_id: string } };
    const chats = [session.session_id, ...rows.map(({ id }) => id)];
    const upload = await fetch(`${copy.url}/upload/parts`, { ...json, body: '{"name":"a.csv","size":20}' });
    const { id: uploadId } = (await upload.json()) as { id: string };
    const [owned] = await copy.query<{ id: string }>("select id from uploads limit 1");
    const ids: Record<string, string[]> = {
      "/dashboard/services/:id": ["1", "2"],
      "/support/sessions/:id": chats,
      "/admin/support/:id": chats,
      "/upload/parts/:id": [uploadId],
      "/upload/files/:id": owned ? [owned.id] : [],
      "/auth/v1/passkeys/:id": ["a-passkey"],
    };
    addTo(paths, "/admin/inbox/socket", "/admin/inbox/socket", 1);
    const patterns = [...surface.routes.map(({ pattern }) => pattern), ...surface.sockets];
    for (const pattern of patterns.filter((one) => one.includes(":"))) {
      const [start, values] = Object.entries(ids).find(([known]) => pattern.startsWith(known)) ?? [];
      for (const id of values ?? []) {
        const path = (start ?? "").replace(":id", id) + pattern.slice(start?.length).replace(":file", "0".repeat(32));
        addTo(paths, pattern, path, MAX_PATHS_PER_ROUTE);
      }
    }
  }
}

/** Returns the schemas of the bodies that the OpenAPI document describes, by path. */
async function readDocument(copy: FuzzedCopy): Promise<Map<string, JsonSchema[]>> {
  type Operation = { requestBody?: { content?: Record<string, { schema?: JsonSchema }> } };
  const document = (await (await fetch(`${copy.url}/api/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const resolve = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolve);
    if (typeof node !== "object" || node === null) return node;
    const { $ref } = node as { $ref?: string };
    if ($ref)
      return resolve(
        $ref
          .slice(2)
          .split("/")
          .reduce((at, key) => (at as Record<string, unknown>)?.[key] as never, document as unknown),
      );
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolve(value)]));
  };
  return new Map(
    Object.entries(document.paths).map(([path, operations]) => {
      const contents = Object.values(operations).flatMap(({ requestBody }) =>
        Object.values(requestBody?.content ?? {}),
      );
      return [path, contents.flatMap(({ schema }) => (schema ? [resolve(schema) as JsonSchema] : []))];
    }),
  );
}

function matcherOf(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[.+?()[\]\\]/g, "\\$&")
    .replaceAll(/:\w+/g, "[^/]+")
    .replace("*", ".*");
  return new RegExp(`^${source}$`);
}
