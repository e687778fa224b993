import { randomBytes, randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { readArguments, STATE_DIR_OPTION, UsageError } from "#tools/run/command-line.ts";
import { readJsonFile, requireState, resolveStateDir } from "#tools/run/state-files.ts";
import { OUTGOING_HELD } from "#workers/monitoring/probe-responses.ts";
import { mailboxFault } from "./choice-faults.ts";
import { ENVIRONMENTS, readChoices, smokeAccountFile, writeJson } from "./choices.ts";
import { type SiteClient, siteClient } from "./site-client.ts";

/**
 * `npm run smoke -- URL ADDRESS`: does on a running site what customers do, as a customer of its own: signs in, orders with
 * a test key, talks to support, gets an email. No money moves. The first run signs up; the later ones use its account, key
 * and conversation again.
 */

const NAME = "Smoke test";
const EMAIL_WAIT_MS = 90_000;
const ACK_WAIT_MS = 15_000;
const POLL_MS = 1000;
/** Clocks of this machine and the site differ. */
const SKEW_MS = 5000;
/** A link fits some services and not others. */
const MAX_SERVICES = 5;
const LINKS = [
  "https://www.instagram.com/instagram/",
  "https://www.instagram.com/p/C0abcdefghi/",
  "https://www.youtube.com/watch?v=jNQXAC9IVRw",
  "https://www.tiktok.com/@tiktok",
  "https://t.me/telegram",
];
/** Status of the answer to a wrong email or password. */
const REFUSED = 400;
const EMAILS_GIVEN_UP = ["failed", "expired", "suppressed", "bounced", "complained"];

type Account = { email: string; password: string; apiKey?: string };
type SignedIn = { token: string; at: number };
type SentEmail = { status: string; createdAt: string };
type Readiness = { checks?: Record<string, { ok: boolean; detail: string }>; outgoing?: string };
type Service = { service: number; type: string; min: string; name: string };

export type SmokeTest = {
  url: string;
  /** The worker's name, for the header that chooses a version. */
  worker: string;
  /** Where the account's password and key are kept. */
  accountFile: string;
  /** Gets the account's emails. */
  email: string;
  say: (line: string) => void;
};

const USAGE = `npm run smoke -- URL [ADDRESS]: does on a running site what customers do

ADDRESS gets the emails of the account that the first run makes. A local copy needs none, nor does a site that was deployed
from here, whose account this uses.`;

if (import.meta.main) await smokeTestOf(fromCommandLine())(null);

function fromCommandLine(): SmokeTest {
  const { values, positionals } = readArguments({ usage: USAGE, options: STATE_DIR_OPTION, min: 1, max: 2 });
  const [url = "", address] = positionals;
  const root = join(import.meta.dirname, "..", "..");
  return smokeTestAt(root, url, { address, stateDir: resolveStateDir(values["state-dir"] ?? "") });
}

/** Returns the smoke test of the site at that URL: of a deployment, with the account that its releases use. */
export function smokeTestAt(root: string, url: string, options: { address?: string; stateDir: string }): SmokeTest {
  if (!URL.canParse(url)) throw new UsageError(`"${url}" is no URL.`);
  const { host, hostname } = new URL(url);
  const test = { url, worker: "growline", say: console.log };
  const fileName = `${host.replace(":", "-")}.smoke.json`;
  if (["localhost", "127.0.0.1"].includes(hostname)) {
    requireState(options.stateDir);
    // The inbox of a local copy takes every address.
    const email = options.address ?? "smoke@growline.example";
    return { ...test, email, accountFile: join(options.stateDir, fileName) };
  }
  const environment = ENVIRONMENTS.find((one) => readChoices(root, one).domain === hostname);
  const email = options.address ?? (environment && readChoices(root, environment).smokeTestEmail) ?? "";
  const fault = mailboxFault(email);
  if (fault) throw new UsageError(fault);
  return {
    ...test,
    email,
    accountFile: join(root, environment ? smokeAccountFile(environment) : join("deployments", fileName)),
  };
}

/**
 * Returns the smoke test of that site, to be called with the version that must answer, or null for any. Only its first call
 * waits for an email: later ones sign in from a device that the account knows, which sends none.
 */
export function smokeTestOf(test: SmokeTest): (version: string | null) => Promise<void> {
  const cookies = new Map<string, string>();
  let hasSeenEmail = false;
  return async (version) => {
    const site = siteClient(test.url, test.worker, version, cookies);
    const check = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
      try {
        const result = await run();
        test.say(`  ${what}: ok${typeof result === "string" ? `, ${result}` : ""}`);
        return result;
      } catch (error) {
        throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
      }
    };
    let isHeld = false;
    await check("ready", async () => {
      isHeld = await askWhetherReady(site);
    });
    const signedIn = await check("sign-in", () => signIn(site, test));
    await check("order", () => orderWithTestKey(site, test));
    await check("chat", () => talkToSupport(site));
    if (isHeld) test.say("  email: skipped, because this restored copy sends none before it is released");
    else if (!hasSeenEmail) {
      await check("email", () => waitForEmail(site, test.email, signedIn.at));
      hasSeenEmail = true;
    }
    // Its sessions would be listed in the account for weeks.
    await site.postJson("/auth/v1/logout", {}, { Authorization: `Bearer ${signedIn.token}` });
  };
}

/** Throws the names of the site's own checks that fail. Returns whether it is a restored copy that sends nothing yet. */
async function askWhetherReady(site: SiteClient): Promise<boolean> {
  const response = await site.fetch("/readyz");
  const { checks = {}, outgoing } = (await response.json()) as Readiness;
  if (response.ok) return outgoing === OUTGOING_HELD;
  const failing = Object.entries(checks).filter(([, { ok }]) => !ok);
  throw new Error(failing.map(([name, { detail }]) => `${name}: ${detail}`).join(", ") || `HTTP ${response.status}`);
}

/** Signs in, or up if there is no account yet, and opens a page that only its owner sees. */
async function signIn(site: SiteClient, test: SmokeTest): Promise<SignedIn> {
  const kept = readAccount(test);
  const account = kept ?? { email: test.email, password: randomBytes(18).toString("base64url") };
  const { email, password } = account;
  let response = kept
    ? await site.postJson("/auth/v1/token?grant_type=password", { email, password })
    : await signUp(site, test, account);
  // The sign-up never arrived, or the site has lost its data.
  if (kept && response.status === REFUSED) {
    const again = await signUp(site, test, account);
    if (again.ok) response = again;
  }
  const body = (await response.json()) as { access_token?: string; msg?: string };
  if (!response.ok || !body.access_token) {
    throw new Error(`${email} couldn't sign ${kept ? "in" : "up"}: ${body.msg ?? `HTTP ${response.status}`}`);
  }
  const date = response.headers.get("Date");
  const page = await site.fetch("/dashboard");
  if (page.status !== 200 || !(await page.text()).includes(NAME)) throw new Error(`/dashboard: HTTP ${page.status}`);
  return { token: body.access_token, at: date ? Date.parse(date) : Date.now() };
}

/** Keeps the account before it exists: nobody else knows its password if the answer is lost, or this process killed. */
async function signUp(site: SiteClient, { accountFile }: SmokeTest, account: Account): Promise<Response> {
  const before = readAccountFile(accountFile);
  const { email, password } = account;
  // Without a key: it was made in an account that isn't there anymore.
  writeJson(accountFile, { email, password });
  const response = await site.postJson("/auth/v1/signup", { email, password, data: { full_name: NAME } });
  if (!response.ok && before) writeJson(accountFile, before);
  else if (!response.ok) rmSync(accountFile);
  return response;
}

function readAccount({ accountFile, email }: SmokeTest): Account | null {
  const account = readAccountFile(accountFile);
  return account?.email === email ? account : null;
}

function readAccountFile(accountFile: string): Account | null {
  return readJsonFile(accountFile, "Remove it: the smoke test then needs another address.") as Account | null;
}

/** Places an order that is never charged and never sent to a provider. */
async function orderWithTestKey(site: SiteClient, test: SmokeTest): Promise<string> {
  const key = await testKey(site, test);
  const headers = { Authorization: `Bearer ${key}` };
  const balance = await (await site.fetch("/api/balance", { headers })).text();
  const listed = await site.fetch("/api/services", { headers });
  if (!listed.ok) throw new Error(`/api/services: HTTP ${listed.status}`);
  const services = ((await listed.json()) as Service[]).filter(({ type }) => type === "Default").slice(0, MAX_SERVICES);
  if (services.length === 0) return "nothing is on sale yet, so nothing was ordered";
  let refused = "";
  for (const { service, min } of services) {
    for (const link of LINKS) {
      const order = { service, link, quantity: Number(min) };
      const response = await site.postJson("/api/v1/create_order", order, {
        ...headers,
        "Idempotency-Key": randomUUID(),
      });
      if (response.status === 201) {
        const after = await (await site.fetch("/api/balance", { headers })).text();
        if (after !== balance) throw new Error(`a test order changed the balance from ${balance} to ${after}`);
        return `service ${service}`;
      }
      refused = `${response.status} ${await response.text()}`;
      if (response.status !== 422) throw new Error(`/api/v1/create_order: ${refused}`);
    }
  }
  throw new Error(`no link that the smoke test knows fits a service: ${refused}`);
}

/** Returns the kept test key, or makes one on the API page, which shows it once. */
async function testKey(site: SiteClient, test: SmokeTest): Promise<string> {
  const account = readAccount(test);
  if (account?.apiKey) return account.apiKey;
  const page = await site.postForm("/dashboard/api", {
    intent: "create-key",
    name: NAME,
    may: "test",
    expires: "never",
  });
  const apiKey = /gl_test_[0-9a-f]+/.exec(await page.text())?.[0];
  if (!account || !apiKey) throw new Error(`/dashboard/api made no test key: HTTP ${page.status}`);
  writeJson(test.accountFile, { ...account, apiKey });
  return apiKey;
}

/** Sends a message over the socket, waits for its acknowledgment and reads it back. */
async function talkToSupport(site: SiteClient): Promise<void> {
  const started = await site.postJson("/support/session", { name: NAME, email: "" });
  const { session } = (await started.json()) as { session?: { session_id: string } };
  if (!session) throw new Error(`/support/session: HTTP ${started.status}`);
  const path = `/support/sessions/${session.session_id}`;
  const body = `Smoke test, please ignore: ${new Date().toISOString()}`;
  const seq = await sendBySocket(site, `${path}/socket`, body);
  const response = await site.fetch(`${path}/messages?since=${seq - 1}`);
  if (!(await response.text()).includes(body)) throw new Error("the acknowledged message can't be read back");
}

function sendBySocket(site: SiteClient, path: string, body: string): Promise<number> {
  const clientId = randomUUID();
  const socket = site.openSocket(path);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const timer = setTimeout(() => reject(new Error("the message wasn't acknowledged")), ACK_WAIT_MS);
  socket.onopen = () => socket.send(JSON.stringify({ type: "send", clientId, body }));
  socket.onerror = () => reject(new Error("the socket was refused or broke off"));
  socket.onmessage = ({ data }) => {
    if (typeof data !== "string" || !data.startsWith("{")) return;
    const frame = JSON.parse(data) as { type: string; clientId?: string; seq?: number; message?: string };
    if (frame.type === "error") reject(new Error(`the message was refused: ${frame.message}`));
    if (frame.type === "ack" && frame.clientId === clientId && frame.seq !== undefined) resolve(frame.seq);
  };
  return promise.finally(() => {
    clearTimeout(timer);
    socket.close();
  });
}

/**
 * Waits until an email that this run caused has left the queue, as the account's own export tells. A sign-up and a sign-in
 * from a new device send one; after several within the hour, only a forgotten password does.
 */
async function waitForEmail(site: SiteClient, email: string, since: number): Promise<string> {
  const until = Date.now() + EMAIL_WAIT_MS;
  let hasAsked = false;
  for (;;) {
    const response = await site.fetch("/dashboard/account/export");
    if (!response.ok) throw new Error(`/dashboard/account/export: HTTP ${response.status}`);
    const { emails } = (await response.json()) as { emails: { recent: SentEmail[] } };
    const [newest] = emails.recent.filter(({ createdAt }) => Date.parse(createdAt) >= since - SKEW_MS);
    if (newest?.status === "sent") return `left for ${email}`;
    if (newest && EMAILS_GIVEN_UP.includes(newest.status)) throw new Error(`the email to ${email} is ${newest.status}`);
    if (Date.now() > until) throw new Error(`no email left for ${email} within ${EMAIL_WAIT_MS / 1000} s`);
    if (!newest && !hasAsked) await site.postJson("/auth/v1/recover", { email });
    hasAsked = true;
    await wait(POLL_MS);
  }
}
