import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { DATABASE_WAIT_MS } from "#app/db/bounded-database.server.ts";
import { startLocalCopy } from "#tests/product/local-copy.ts";
import { cookiesOf } from "#tests/response-cookies.ts";
import { build, run } from "#tools/run/build.ts";
import type { DatabaseFault } from "./stalling-worker.ts";

export type StallPlan = {
  faults: DatabaseFault[];
  /** Time before each fault and after the last. */
  pauseMs: number;
  /** Clients of each kind. */
  clients: number;
  /** Time limit for what is open at the end. */
  settleMs: number;
};
export type StallFigures = {
  done: number;
  unavailable: number;
  /** Longest time until a response. */
  longestMs: number;
  /** After the end of each fault: time until a page and the API answered with 200. */
  recoveredMs: number[];
  /** Each wrong thing that was found. */
  wrong: string[];
};

const root = join(import.meta.dirname, "../..");
/** Sooner than Retry-After asks for: a hasty client must do no harm, either. */
const HASTY_MS = 1500;
const BETWEEN_MS = 150;
/** A key's gate and the request wait for a database each. */
const LONGEST_MS = 2 * DATABASE_WAIT_MS * 1.2 + 2000;
/** A dispatcher may be in the middle of its work. */
const RECOVERED_MS = 5000;
const POLL_MS = 200;

/** Lets clients of every kind work with a copy whose databases stand still and fail, and compares what is stored. */
export async function runDatabaseFaults(plan: StallPlan): Promise<StallFigures> {
  const bundle = await buildStalling();
  const copy = await startLocalCopy({
    WORKER_BUNDLE: bundle,
    API_REQUESTS_PER_MINUTE: "1000000",
    DATABASE_WAIT_MS: String(DATABASE_WAIT_MS),
    REQUEST_LOG_SHARE: "0",
  });
  try {
    return await withCopy(copy.url, copy.demo, copy.stateDir, plan);
  } finally {
    await copy.remove();
  }
}

async function buildStalling(): Promise<string> {
  await build(root);
  const folder = join(root, "build", "stalling");
  mkdirSync(folder, { recursive: true });
  const { durable_objects } = unstable_readConfig({ config: join(root, "wrangler.toml") });
  const objects = durable_objects.bindings as { class_name: string }[];
  const lines = [
    'import * as product from "#workers/app.ts";',
    'import { stallingHandler, stallingObject } from "#tests/faults/stalling-worker.ts";',
    "export default stallingHandler(product.default);",
    ...objects.map(({ class_name: name }) => `export const ${name} = stallingObject(product.${name});`),
  ];
  writeFileSync(join(folder, "entry.ts"), `${lines.join("\n")}\n`);
  await run(root, "wrangler", ["deploy", "build/stalling/entry.ts", "--dry-run", "--outdir", "build/stalling/out"]);
  return join(folder, "out", "entry.js");
}

type Demo = Awaited<ReturnType<typeof startLocalCopy>>["demo"];
/** Sends a request again until it is answered otherwise than with 503. `make` builds the same request each time. */
type Send = (path: string, make: () => RequestInit) => Promise<Response>;

async function withCopy(url: string, demo: Demo, stateDir: string, plan: StallPlan): Promise<StallFigures> {
  const figures: StallFigures = { done: 0, unavailable: 0, longestMs: 0, recoveredMs: [], wrong: [] };
  let isOver = false;
  const send: Send = async (path, make) => {
    for (;;) {
      const started = Date.now();
      const response = await fetch(`${url}${path}`, { redirect: "manual", ...make() });
      figures.longestMs = Math.max(figures.longestMs, Date.now() - started);
      if (response.status !== 503) return response;
      if (!response.headers.has("Retry-After")) figures.wrong.push(`${path}: 503 without Retry-After`);
      await response.body?.cancel();
      figures.unavailable++;
      await pause(HASTY_MS);
    }
  };
  const query = async <T>(sql: string, binding = "DB"): Promise<T[]> => {
    const response = await fetch(`${url}/faults/query`, { method: "POST", body: JSON.stringify({ binding, sql }) });
    return (await response.json()) as T[];
  };
  const cookie = await logIn(url, demo.customer);
  const placed: { kind: string; link: string; id: number }[] = [];
  const signedUp: string[] = [];
  const said: { sessionId: string; texts: string[] }[] = [];

  const repeat = async (kind: string, client: number, work: (n: number) => Promise<void>) => {
    for (let n = 0; !isOver; n++) {
      try {
        await work(n);
        figures.done++;
      } catch (error) {
        figures.wrong.push(`${kind} ${client}.${n}: ${error}`);
      }
      await pause(BETWEEN_MS);
    }
  };
  const json = (headers: Record<string, string>, body: object) => ({
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const key = { Authorization: `Bearer ${demo.customer.apiKey}` };
  const place = async (kind: string, link: string, path: string, make: () => RequestInit) => {
    const response = await send(path, make);
    const text = await response.text();
    const { id, order } = JSON.parse(text) as { id?: number; order?: number };
    const placedId = id ?? order;
    if (placedId === undefined) throw new Error(`${response.status} ${text.slice(0, 200)}`);
    placed.push({ kind, link, id: placedId });
  };
  const linkOf = (name: string) => `https://instagram.com/p/${name}`;
  const order = (link: string) => ({ service: 1, link, quantity: 100 });

  const kinds: Record<string, (client: number) => Promise<void>> = {
    "v1 with a key": (client) =>
      repeat("v1 with a key", client, (n) => {
        const name = `keyed${client}x${n}`;
        return place("v1 with a key", linkOf(name), "/api/v1/create_order", () =>
          json({ ...key, "Idempotency-Key": name }, order(linkOf(name))),
        );
      }),
    "v1 without a key": (client) =>
      repeat("v1 without a key", client, (n) => {
        const link = linkOf(`plain${client}x${n}`);
        return place("v1 without a key", link, "/api/v1/create_order", () => json(key, order(link)));
      }),
    "v2 with request_id": (client) =>
      repeat("v2 with request_id", client, (n) => {
        const name = `named${client}x${n}`;
        return place("v2 with request_id", linkOf(name), "/api/v2", () =>
          json(key, { action: "add", request_id: name, ...order(linkOf(name)) }),
        );
      }),
    // Two clients after another share a link: equal orders of which each counts.
    "v2 without request_id": (client) =>
      repeat("v2 without request_id", client, (n) => {
        const link = linkOf(`same${client >> 1}x${n}`);
        return place("v2 without request_id", link, "/api/v2", () => json(key, { action: "add", ...order(link) }));
      }),
    form: (client) =>
      repeat("form", client, async (n) => {
        const name = `form${client}x${n}`;
        const fields = {
          intent: "order",
          ...order(linkOf(name)),
          // A service for likes, because the form questions a post's link for followers.
          service: "3",
          quantity: "100",
          shownPrice: "99000000 per 1000",
        };
        const body = new URLSearchParams({ ...fields, idempotencyKey: `web-${name}` });
        const headers = { Cookie: cookie, Origin: url };
        const response = await send("/dashboard", () => ({ method: "POST", headers, body }));
        const text = await response.text();
        if (response.status !== 200) throw new Error(`${response.status} ${noticeIn(text)}`);
        placed.push({ kind: "form", link: linkOf(name), id: 0 });
      }),
    "sign-up": (client) =>
      repeat("sign-up", client, async (n) => {
        const email = `stalled${client}x${n}@faults.example`;
        const form = { email, password: "a long password", fullName: "Somebody", redirectTo: "/" };
        const response = await send("/auth/signup", () => ({
          method: "POST",
          headers: { Origin: url },
          body: new URLSearchParams(form),
        }));
        const text = await response.text();
        // A repetition is told that the account exists.
        if (response.status >= 500) throw new Error(`${response.status} ${text.slice(0, 200)}`);
        if (response.status !== 429) signedUp.push(email);
        await pause(10 * BETWEEN_MS);
      }),
    chat: async (client) => {
      const start = json({ Origin: url }, { name: `Visitor ${client}` });
      const response = await send("/support/session", () => start);
      const visitor = cookiesOf(response);
      const { session } = (await response.json()) as { session: { session_id: string } };
      const texts: string[] = [];
      said.push({ sessionId: session.session_id, texts });
      await repeat("chat", client, async (n) => {
        const body = `message ${client}.${n}`;
        const message = { clientId: crypto.randomUUID(), body };
        const path = `/support/sessions/${session.session_id}/messages`;
        const sent = await send(path, () => json({ Origin: url, Cookie: visitor }, message));
        if (!sent.ok) throw new Error(`${sent.status} ${await sent.text()}`);
        texts.push(body);
        await pause(10 * BETWEEN_MS);
      });
    },
  };
  const clients = Object.values(kinds).flatMap((kind) => Array.from({ length: plan.clients }, (_, at) => kind(at)));
  for (const fault of plan.faults) {
    await pause(plan.pauseMs);
    await fetch(`${url}/faults/begin`, { method: "POST", body: JSON.stringify(fault) });
    await pause(fault.ms);
    figures.recoveredMs.push(await timeUntilWorking(url, cookie, key));
  }
  await pause(plan.pauseMs);
  isOver = true;
  await Promise.all(clients);

  await until(plan.settleMs, async () => {
    const [{ open } = { open: 1 }] = await query<{ open: number }>(
      "select count(*) as open from orders where link like '%x%' and fulfillment in ('queued', 'submitting')",
    );
    const [{ stored } = { stored: 0 }] = await query<{ stored: number }>(
      "select count(*) as stored from support_messages where message like 'message %'",
      "DB_SUPPORT",
    );
    return open === 0 && stored >= said.reduce((sum, { texts }) => sum + texts.length, 0);
  });
  const rows = await query<{ id: number; link: string; fulfillment: string }>(
    "select id, link, fulfillment from orders",
  );
  const mine = new Map(rows.map((row) => [row.id, row]));
  for (const [link, calls] of Map.groupBy(placed, (one) => one.link)) {
    const stored = rows.filter((row) => sameLink(row.link, link)).length;
    const [{ kind } = { kind: "" }] = calls;
    if (stored !== calls.length) figures.wrong.push(`${kind}: ${calls.length} placed and ${stored} stored of ${link}`);
    const ids = new Set(calls.map(({ id }) => id).filter((id) => id > 0));
    if (kind !== "form" && ids.size !== calls.length) figures.wrong.push(`${kind}: one order for two calls of ${link}`);
    for (const id of ids) if (!mine.has(id)) figures.wrong.push(`${kind}: order ${id} is lost`);
  }
  for (const email of signedUp) {
    const [{ stored } = { stored: 0 }] = await query<{ stored: number }>(
      `select count(*) as stored from users where email = '${email}'`,
    );
    if (stored !== 1) figures.wrong.push(`sign-up: ${stored} accounts of ${email}`);
  }
  for (const { sessionId, texts } of said) {
    const stored = await query<{ message: string }>(
      `select message from support_messages where session_id = '${sessionId}' and message like 'message %' order by seq`,
      "DB_SUPPORT",
    );
    if (JSON.stringify(stored.map(({ message }) => message)) !== JSON.stringify(texts)) {
      figures.wrong.push(
        `chat: ${texts.length} sent and ${stored.length} stored, or in another order, in ${sessionId}`,
      );
    }
  }
  if (figures.longestMs > LONGEST_MS) figures.wrong.push(`a response took ${figures.longestMs} ms`);
  for (const ms of figures.recoveredMs) {
    if (ms > RECOVERED_MS) figures.wrong.push(`the worker answered ${ms} ms after a fault`);
  }
  figures.wrong.push(...submittedTwice(stateDir), ...(await ledgerFaults(url)));
  return figures;
}

/** Returns what a page says above its form. */
function noticeIn(html: string): string {
  const notice = /role="alert"[^>]*>([\s\S]*?)<\/div>/.exec(html) ?? /<main[^>]*>([\s\S]*?)<\/main>/.exec(html);
  return (notice?.[1] ?? html).replaceAll(/<[^>]*>/g, " ").slice(0, 200);
}

/** A stored link may have another form than the one that was sent. */
function sameLink(stored: string, sent: string): boolean {
  const nameIn = (link: string) => /\/p\/([^/?]+)/.exec(link)?.[1];
  return nameIn(stored) === nameIn(sent);
}

/** The provider notes each order that it takes. Equal orders are sent with equal links, so those don't count. */
function submittedTwice(stateDir: string): string[] {
  const lines = readFileSync(join(stateDir, "sandbox-orders.jsonl"), "utf8").split("\n");
  const names = lines.flatMap((line) => /\/p\/((?:keyed|plain|named|form)\d+x\d+)/.exec(line)?.[1] ?? []);
  const placedThere = Map.groupBy(names, (name) => name);
  return [...placedThere].filter(([, { length }]) => length > 1).map(([name]) => `provider: ${name} was sent twice`);
}

async function ledgerFaults(url: string): Promise<string[]> {
  const faults = (await (await fetch(`${url}/faults/ledger`)).json()) as unknown[];
  return faults.map((fault) => `ledger: ${JSON.stringify(fault)}`);
}

async function timeUntilWorking(url: string, cookie: string, key: Record<string, string>): Promise<number> {
  const started = Date.now();
  for (;;) {
    const [page, api] = await Promise.all([
      fetch(`${url}/dashboard/orders`, { headers: { Cookie: cookie } }),
      fetch(`${url}/api/balance`, { headers: key }),
    ]);
    await Promise.all([page.text(), api.text()]);
    if (page.ok && api.ok) return Date.now() - started;
  }
}

async function logIn(url: string, { email, password }: { email: string; password: string }): Promise<string> {
  const response = await fetch(`${url}/auth/login`, {
    method: "POST",
    headers: { Origin: url },
    body: new URLSearchParams({ email, password, redirectTo: "/dashboard" }),
    redirect: "manual",
  });
  if (response.status >= 400) throw new Error(`no log-in: ${response.status}`);
  return cookiesOf(response);
}

async function until(withinMs: number, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + withinMs;
  // What is missing after the time limit is reported.
  while (!(await isSo()) && Date.now() < end) await pause(POLL_MS);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
