import { randomBytes } from "node:crypto";
import { accessSync, constants, copyFileSync, mkdirSync, watch } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { sandboxServices } from "#tools/demo/demo-catalog.ts";
import { seed } from "#tools/demo/seed.ts";
import { startBreachedPasswords } from "#tools/stand-ins/breached-passwords.ts";
import { startEmailInbox } from "#tools/stand-ins/email-inbox.ts";
import { startGoogleEmulator } from "#tools/stand-ins/google-emulator.ts";
import { startSandboxProvider } from "#tools/stand-ins/sandbox-provider.ts";
import { startStripeStandIn } from "#tools/stand-ins/stripe-stand-in.ts";
import { build, copyBuild } from "./build.ts";
import { oneLine, readArguments, UsageError } from "./command-line.ts";
import { type LocalWorker, startLocalWorker } from "./local-worker.ts";
import { endLeftWorkerds } from "./processes.ts";
import { resolveStateDir } from "./state-files.ts";
import { lockState } from "./state-lock.ts";
import { keepSecrets, keyVersions } from "./state-secrets.ts";

/**
 * `npm start`: the whole product on this machine, with stand-ins for Google and the provider.
 * `npm run dev` is the same with `--watch`: a change is built and the open pages reload.
 */

const DEFAULT_PORT = 8787;
const HOST = process.env.HOST ?? "127.0.0.1";
const REBUILD_AFTER_MS = 150;
/** Message of a test. The reply is its `type`, or how many rows a statement changed, or the error. */
type TestMessage =
  | { type: "evict the desk" }
  | { type: "configure"; bindings: Record<string, string> }
  | { type: "change rows"; database: "DB" | "DB_SUPPORT"; statement: string; values: (string | number)[] };
const root = join(import.meta.dirname, "..", "..");

const USAGE = `npm start                        the whole product at http://localhost:${DEFAULT_PORT}, stand-ins included
npm run dev                      the same, rebuilt and reloaded on change

PORT=8788 STATE_DIR=.local-2 npm start
                                 a second copy, with its own port and state`;

const { values: options } = readArguments({
  usage: USAGE,
  options: { watch: { type: "boolean", default: false } },
});
// The terminal may be a file on a full disk, or be gone: serving does not depend on it.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
try {
  await main();
} catch (error) {
  console.error(oneLine(error));
  process.exit(1);
}

async function main(): Promise<void> {
  const port = readPort();
  const stateDir = resolveStateDir(process.env.STATE_DIR || ".local");
  const url = `http://${HOST === "127.0.0.1" ? "localhost" : HOST}:${port}`;
  makeStateDir(stateDir);
  const lock = lockState(stateDir, { command: "npm start", url }, secondCopy(port));
  if ((await endLeftWorkerds(stateDir)) > 0) console.log("Ended what a killed copy had left running here.");
  await checkPort(port);
  const secrets = keepSecrets(stateDir);
  lock.describe({ keyVersions: keyVersions(secrets.ENCRYPTION_KEYS) });

  await step(
    "Building",
    () => build(root),
    (changed) => (changed ? "" : "nothing changed"),
  );
  const buildDir = join(stateDir, "build");
  try {
    copyBuild(root, buildDir);
    // Another bundle of the product: a test's, which wraps the worker.
    if (process.env.WORKER_BUNDLE) copyFileSync(process.env.WORKER_BUNDLE, join(buildDir, "worker", "app.js"));
  } catch (error) {
    throw stateDirError(stateDir, error);
  }

  const reloads = options.watch ? await startReloads() : null;
  const provider = await startSandboxProvider({
    key: secrets.providerKey,
    file: join(stateDir, "sandbox-orders.jsonl"),
    services: sandboxServices(),
  });
  const emailKey = randomBytes(16).toString("hex");
  const emailInbox = await startEmailInbox({ key: emailKey, file: join(stateDir, "emails.jsonl") });
  const breachedPasswords = await startBreachedPasswords();
  const google = await startGoogleEmulator({
    ...secrets.googleClient,
    redirectUris: [url, `http://127.0.0.1:${port}`].map((origin) => `${origin}/gmail-sync/callback`),
  });
  const ownGoogle = googleSettings();
  const stripe = await stripeBindings(`http://${HOST}:${port}/stripe/webhook`);
  const worker = await step("Starting workerd and migrating the databases", () =>
    startLocalWorker({
      root,
      stateDir,
      buildDir,
      host: HOST,
      port,
      // A test's copy is busy with its jobs less often.
      ...(process.env.CRON_EVERY_MS && { cronEveryMs: Number(process.env.CRON_EVERY_MS) }),
      bindings: {
        ENVIRONMENT: "local",
        PUBLIC_ORIGIN: process.env.PUBLIC_ORIGIN ?? url,
        STAFF_SECOND_FACTOR: process.env.STAFF_SECOND_FACTOR ?? "off",
        // Who works on a copy looks for their own request.
        REQUEST_LOG_SHARE: process.env.REQUEST_LOG_SHARE ?? "1",
        ...(process.env.DATABASE_WAIT_MS && { DATABASE_WAIT_MS: process.env.DATABASE_WAIT_MS }),
        ...(process.env.API_REQUESTS_PER_MINUTE && {
          API_REQUESTS_PER_MINUTE: process.env.API_REQUESTS_PER_MINUTE,
        }),
        SESSION_SECRET: secrets.SESSION_SECRET,
        ENCRYPTION_KEYS: secrets.ENCRYPTION_KEYS,
        BACKUP_KEYS: secrets.BACKUP_KEYS,
        VAPID_KEYS: secrets.VAPID_KEYS,
        ...firebaseSettings(),
        ...(ownGoogle ?? {
          GOOGLE_ISSUER: google.url,
          GOOGLE_API_BASE: google.url,
          GOOGLE_CLIENT_ID: secrets.googleClient.id,
          GOOGLE_CLIENT_SECRET: secrets.googleClient.secret,
        }),
        PWNED_PASSWORDS_URL: breachedPasswords.url,
        EMAIL_API_URL: emailInbox.url,
        EMAIL_API_KEY: emailKey,
        ...alertSettings(),
        ...stripe.bindings,
        ...(reloads && { RELOAD_URL: reloads.url }),
      },
    }),
  );
  const demo = await seed(await worker.database(), {
    stateDir,
    url,
    google: { url: google.url, clientId: secrets.googleClient.id, clientSecret: secrets.googleClient.secret },
    providerUrl: provider.url,
    providerKey: secrets.providerKey,
    encryptionKeys: secrets.ENCRYPTION_KEYS,
    SESSION_SECRET: secrets.SESSION_SECRET,
  });

  let closing = false;
  const close = async () => {
    if (closing) return;
    closing = true;
    await Promise.allSettled([
      worker.close(),
      provider.close(),
      emailInbox.close(),
      breachedPasswords.close(),
      google.close(),
      stripe.close(),
      reloads?.close(),
    ]);
    lock.release();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, close);
  // The process that started this one has ended.
  process.on("disconnect", close);

  console.log(`
  Growline    ${demo.url}
  Customer    ${demo.customer.email}  ${demo.customer.password}
  Admin       ${demo.admin.email}  ${demo.admin.password}   ${demo.url}/admin
  Agent       ${demo.agent.email}  ${demo.agent.password}
  API key     ${demo.customer.apiKey}
  Stand-ins   Google ${demo.google.url}, provider ${demo.provider.url}
  Emails      ${join(stateDir, "emails.jsonl")}
  All logins  ${join(stateDir, "demo.json")}, logs in ${join(stateDir, "logs")}

Ready. Ctrl-C ends it.`);
  process.send?.("ready");
  // A test requests this over the channel that it opened.
  process.on("message", async (message: TestMessage) => {
    process.send?.(await respondToTest(worker, message).catch(oneLine));
  });
  if (reloads) watchSources(buildDir, () => worker.reload().then(reloads.announce));
}

async function respondToTest(worker: LocalWorker, message: TestMessage): Promise<string | number> {
  switch (message.type) {
    case "evict the desk":
      await worker.evictDesk();
      return message.type;
    case "configure":
      await worker.reload(message.bindings);
      return message.type;
    case "change rows": {
      const database = await worker.database(message.database);
      const { meta } = await database
        .prepare(message.statement)
        .bind(...message.values)
        .run();
      return meta.changes;
    }
  }
}

/** Returns who gets alerts: by default nobody's address, so that they land in the inbox of the local copy. */
function alertSettings(): Record<string, string> {
  const {
    ALERT_EMAIL = "ops@growline.example",
    ALERT_WEBHOOK_URL,
    ALERT_WEBHOOK_SECRET,
    DATABASE_LIMIT_GB,
  } = process.env;
  return {
    ALERT_EMAIL,
    ...(ALERT_WEBHOOK_URL && { ALERT_WEBHOOK_URL }),
    ...(ALERT_WEBHOOK_SECRET && { ALERT_WEBHOOK_SECRET }),
    ...(DATABASE_LIMIT_GB && { DATABASE_LIMIT_GB }),
  };
}

/** Returns the settings of a real Google client if the environment names one, or null to use the emulator. */
function googleSettings(): Record<string, string> | null {
  const { GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET } = process.env;
  return GOOGLE_CLIENT_ID && GOOGLE_CLIENT_SECRET ? { GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET } : null;
}

/** Returns the settings of Firebase, or of a stand-in, if the environment names them. Without them, the apps get no notifications. */
function firebaseSettings(): Record<string, string> {
  const { FCM_SERVICE_ACCOUNT, FCM_API_URL } = process.env;
  return { ...(FCM_SERVICE_ACCOUNT && { FCM_SERVICE_ACCOUNT }), ...(FCM_API_URL && { FCM_API_URL }) };
}

async function step<T>(what: string, work: () => Promise<T>, note?: (result: T) => string): Promise<T> {
  const started = Date.now();
  process.stdout.write(`${what} … `);
  try {
    const result = await work();
    const noted = note?.(result);
    process.stdout.write(`${noted || `${((Date.now() - started) / 1000).toFixed(1)} s`}\n`);
    return result;
  } catch (error) {
    process.stdout.write("failed\n");
    throw error;
  }
}

function readPort(): number {
  const port = Number(process.env.PORT || DEFAULT_PORT);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new UsageError(`PORT must be a number from 1 to 65535, not "${process.env.PORT}".`);
}

function secondCopy(port: number): string {
  return `For another copy choose another port and folder: PORT=${port + 1} STATE_DIR=.local-${port + 1} npm start`;
}

function checkPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createTcpServer();
    probe.once("error", (error: NodeJS.ErrnoException) => {
      const taken = `Port ${port} is taken. ${secondCopy(port)}`;
      reject(new Error(error.code === "EADDRINUSE" ? taken : `Port ${port} cannot be used: ${error.message}`));
    });
    probe.listen(port, HOST, () => probe.close(() => resolve()));
  });
}

function makeStateDir(stateDir: string): void {
  try {
    mkdirSync(join(stateDir, "logs"), { recursive: true });
    accessSync(stateDir, constants.W_OK);
  } catch (error) {
    throw stateDirError(stateDir, error);
  }
}

function stateDirError(stateDir: string, error: unknown): Error {
  return new Error(`The state folder ${stateDir} cannot be written: ${(error as Error).message}`);
}

/** Returns the real Stripe's settings if both secrets are in the environment, or starts the stand-in. */
async function stripeBindings(webhookUrl: string) {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = process.env;
  if (STRIPE_SECRET_KEY && STRIPE_WEBHOOK_SECRET) {
    return { bindings: { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET }, close: async () => {} };
  }
  const keys = {
    secretKey: `sk_test_${randomBytes(12).toString("hex")}`,
    webhookSecret: randomBytes(16).toString("hex"),
  };
  const standIn = await startStripeStandIn({ ...keys, webhookUrl });
  const bindings = {
    STRIPE_SECRET_KEY: keys.secretKey,
    STRIPE_WEBHOOK_SECRET: keys.webhookSecret,
    STRIPE_API_URL: standIn.url,
  };
  return { bindings, close: standIn.close };
}

/** Starts a server that tells the open pages of `npm run dev` to reload. */
async function startReloads() {
  const pages = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Access-Control-Allow-Origin": "*" });
    response.write(": listening\n\n");
    pages.add(response);
    request.on("close", () => pages.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    announce() {
      for (const page of pages) page.write("data: reload\n\n");
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function watchSources(buildDir: string, reload: () => Promise<void>): void {
  let timer: NodeJS.Timeout | undefined;
  let building = false;
  const rebuild = async () => {
    if (building) return schedule();
    building = true;
    try {
      if (await step("Building", () => build(root))) {
        copyBuild(root, buildDir);
        await reload();
      }
    } catch (error) {
      console.error(oneLine(error));
    } finally {
      building = false;
    }
  };
  const schedule = () => {
    clearTimeout(timer);
    timer = setTimeout(rebuild, REBUILD_AFTER_MS);
  };
  for (const folder of ["app", "workers", "public"]) watch(join(root, folder), { recursive: true }, schedule);
}
