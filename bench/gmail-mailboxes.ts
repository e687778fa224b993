import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { isNotNull, ne, sql } from "drizzle-orm";
import { connect, type Db } from "#app/db/db.server.ts";
import { gmailSyncStatus } from "#app/db/schema.server.ts";
import { CALLBACK_PATH, completeConnection, startConnection } from "#app/gmail/connect/gmail-connection.server.ts";
import { readTokenRow, unsealToken } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { accountOwner, type MailboxOwner } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { startGoogleEmulator } from "#tools/stand-ins/google-emulator.ts";
import { DEMO_MAILBOX } from "#tools/stand-ins/google-mailboxes.ts";
import { ENCRYPTION_KEYS, startBenchWorker } from "./bench-worker.ts";
import { reportFigures } from "./figures.ts";

/**
 * `npm run bench -- mailboxes`: makes many mailboxes due at once, for their first sync and then for one without news, beside
 * some for which Gmail never responds. Fails if syncs without news start too slowly for 10,000 mailboxes in 15 minutes.
 *
 * `--mailboxes 500 --hanging 3 --latency 100`
 */

const { values: options } = parseArgs({
  options: {
    mailboxes: { type: "string", default: "500" },
    hanging: { type: "string", default: "3" },
    latency: { type: "string", default: "100" },
  },
});
const [MAILBOXES, HANGING, LATENCY_MS] = [options.mailboxes, options.hanging, options.latency].map(Number) as [
  number,
  number,
  number,
];
/** 10,000 mailboxes in 15 minutes. */
const GOAL_PER_SECOND = 11.1;
const POLL_MS = 250;
const ORIGIN = "http://127.0.0.1";
const BROWSER = "bench";

const client = { id: "bench", secret: "bench", redirectUris: [ORIGIN + CALLBACK_PATH] };
const google = await startGoogleEmulator(client);
/** Access tokens of mailboxes for which Gmail does not respond. */
const hangingTokens = new Set<string>();
let requests = 0;
const gmail = await startGmailProxy();
const settings = {
  ENVIRONMENT: "local",
  ENCRYPTION_KEYS,
  SESSION_SECRET: "bench",
  GOOGLE_ISSUER: google.url,
  GOOGLE_API_BASE: `http://127.0.0.1:${(gmail.address() as AddressInfo).port}`,
  GOOGLE_CLIENT_ID: client.id,
  GOOGLE_CLIENT_SECRET: client.secret,
};
const worker = await startBenchWorker({ bindings: settings });
try {
  const db = connect(await worker.database());
  const owners = Array.from({ length: MAILBOXES }, () => accountOwner(crypto.randomUUID()));
  for (const [n, owner] of owners.entries()) {
    await connectMailbox(db, owner);
    if (n >= HANGING) continue;
    const row = await readTokenRow(db, owner);
    hangingTokens.add(await unsealToken(settings, owner, "access", row?.accessToken ?? ""));
  }
  const first = await measure(db);
  const again = await measure(db);
  // Latencies limit the rates, so they have no baseline on this machine.
  reportFigures([
    { name: `first syncs, ${HANGING} of ${MAILBOXES} mailboxes hanging`, value: first.perSecond, unit: "/s" },
    { name: "syncs without news", value: again.perSecond, unit: "/s", goal: { atLeast: GOAL_PER_SECOND } },
    { name: "requests of a first sync", value: first.requestsEach, unit: "" },
    { name: "requests of a sync without news", value: again.requestsEach, unit: "" },
  ]);
} finally {
  await worker.close();
  gmail.close();
  gmail.closeAllConnections();
  await google.close();
}
process.exit();

/** Makes all mailboxes due and waits until those that Gmail responds for are synced. */
async function measure(db: Db) {
  const expected = MAILBOXES - HANGING;
  await db.update(gmailSyncStatus).set({ lastSyncAt: sql`iif(last_sync_at is null, null, 1)` });
  const before = requests;
  const started = Date.now();
  await db.update(gmailSyncStatus).set({ autoSync: true, leaseUntil: 0, nextSyncAt: started });
  const isSynced = sql`${isNotNull(gmailSyncStatus.lastSyncAt)} and ${ne(gmailSyncStatus.lastSyncAt, 1)}`;
  while ((await db.$count(gmailSyncStatus, isSynced)) < expected) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const perSecond = (expected / (Date.now() - started)) * 1000;
  return { perSecond, requestsEach: (requests - before) / expected };
}

/** Connects a mailbox through the emulator's pages. */
async function connectMailbox(db: Db, owner: MailboxOwner): Promise<void> {
  const connection = { owner, browser: BROWSER, origin: ORIGIN };
  const started = await startConnection(db, settings, { ...connection, mode: "popup" });
  if (!started.ok) throw new Error(started.fault);
  const form = new URLSearchParams(new URL(started.authUrl).searchParams);
  form.set("email", DEMO_MAILBOX);
  form.set("decision", "allow");
  form.set("granted", form.get("scope") ?? "");
  const consent = `${google.url}/o/oauth2/v2/auth/consent`;
  const response = await fetch(consent, { method: "POST", redirect: "manual", body: form });
  const params = new URL(response.headers.get("Location") ?? "").searchParams;
  const fault = await completeConnection(db, settings, { ...connection, params });
  if (fault !== null) throw new Error(fault);
}

/** Passes requests on to the emulator after a delay, and those of some mailboxes never. */
async function startGmailProxy() {
  const server = createServer(async (request, response) => {
    requests++;
    const authorization = request.headers.authorization ?? "";
    if (hangingTokens.has(authorization.replace("Bearer ", ""))) return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    await new Promise((resolve) => setTimeout(resolve, LATENCY_MS));
    const upstream = await fetch(google.url + (request.url ?? ""), {
      method: request.method ?? "GET",
      headers: { authorization, "content-type": request.headers["content-type"] ?? "" },
      ...(chunks.length > 0 && { body: new Uint8Array(Buffer.concat(chunks)) }),
    });
    response.writeHead(upstream.status, { "Content-Type": upstream.headers.get("content-type") ?? "" });
    response.end(new Uint8Array(await upstream.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
