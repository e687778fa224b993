import type { Db } from "#app/db/db.server.ts";
import { GmailClient } from "#app/gmail/api/gmail-client.server.ts";
import { foldHistory } from "#app/gmail/api/gmail-history.server.ts";
import type { QuotaUse } from "#app/gmail/api/gmail-quota.ts";
import { MAX_TRIES, waitMs } from "#app/gmail/api/gmail-retry.ts";
import { GmailBroken, TryLater } from "#app/gmail/api/gmail-transport.server.ts";
import {
  dropTokens,
  freshAccessToken,
  ReconnectNeeded,
  readTokenRow,
  type Sleep,
  type TokenEnv,
} from "#app/gmail/tokens/gmail-tokens.server.ts";
import { GoogleAway } from "#app/gmail/tokens/google-oauth.server.ts";
import type { MailboxOwner } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { log, logError } from "#app/http/log.ts";
import { DAY_MS, HOUR_MS } from "#app/time.ts";
import {
  claimLease,
  dropUnlisted,
  failSync,
  finishSync,
  type Lease,
  LeaseLost,
  leaseKeeper,
  type MailboxSize,
  pauseSync,
  type SyncRow,
  stopUntilConnected,
  writePlan,
  writeProgress,
} from "./mailbox-sync-state.server.ts";
import { postponeIfSuspended, unschedule } from "./sync-schedule.server.ts";

/** `read` and `removed`: in this run. `total`: the messages that are stored now, finished or not. */
export type SyncResult =
  | { ok: true; read: number; removed: number; total: number; requests: number; finished: boolean }
  | { ok: false; reason: "not_connected" | "busy" | "reconnect" | "later" | "broken"; text: string };

/** "full" reads the newest messages again. The others read the changes since the last sync, if Gmail still has them. */
export type SyncType = "initial" | "incremental" | "full";

export type SyncTools = { sleep: Sleep; random: () => number; now: () => number; patienceMs: number; use: QuotaUse };

export const MAX_MESSAGES = 100;
const BATCH = 25;
const SMALLEST_BATCH = 5;
/** Runs are a minute apart. The 6,000 units that a mailbox may use in it also pay for lists, and for messages read again. */
const READ_PER_RUN = 250;
const NEXT_RUN_MS = 60_000;
/** Limits how many messages from history are read. */
const MAX_PENDING = 2000;
/** Runs after which messages that keep failing are skipped. */
const RUNS_FOR_A_STUCK_MESSAGE = 5;
const PATIENCE_MS = 20_000;
/** A mailbox that has to wait longer is synced again later, instead of occupying its place. */
const AUTO_PATIENCE_MS = 2000;
const FIRST_RETRY_MS = 30_000;
const LONGEST_RETRY_MS = HOUR_MS;
/** Gmail's longest limit is per day. */
const LONGEST_ASKED_MS = DAY_MS;

export const SYNC_TEXTS = {
  not_connected: "No Gmail account connected",
  busy: "A sync of this mailbox is already running.",
  reconnect: "Google asks you to connect your Gmail account again.",
  crowded: "Gmail asked us to slow down. The sync will resume automatically.",
  away: "We couldn't reach Gmail. The sync will resume automatically.",
  exhausted: "Gmail's quota is used up for now. The sync will resume automatically later.",
  broken: "Gmail refused our request. Please try again later.",
  ours: "Something went wrong on our side. The sync will resume automatically.",
};

/** Syncs one mailbox. An interrupted sync resumes with the next call. Failures of Gmail are returned, not thrown. */
export async function syncMailbox(
  db: Db,
  env: TokenEnv,
  owner: MailboxOwner,
  sync: { type: SyncType; maxMessages: number },
  overrides: Partial<SyncTools> = {},
): Promise<SyncResult> {
  const tools: SyncTools = { ...REAL_TOOLS, use: { units: 0, pauseMs: null }, ...overrides };
  const connection = await readTokenRow(db, owner);
  if (!connection) return refuse("not_connected");
  if (!connection.accessToken) return refuse("reconnect");
  const claimed = await claimLease(db, owner, tools.now());
  if (!claimed) return refuse("busy");
  const { lease, row } = claimed;
  const keepLease = leaseKeeper(db, lease, tools.now);
  const gmail = new GmailClient({
    ...tools,
    apiBase: env.GOOGLE_API_BASE,
    token: async (refused) => {
      await keepLease();
      return freshAccessToken(db, env, owner, { refused, sleep: tools.sleep, now: tools.now });
    },
  });
  try {
    const plan = await planSync(db, gmail, lease, row, sync, tools);
    const left = await readPending(db, gmail, lease, { ...plan, failures: row.failures }, tools);
    const counts = { read: plan.pending.length - left, removed: plan.removed, requests: gmail.requests };
    // Again, now that the dates of all listed messages are known: one that left may be older than those that were stored.
    if (plan.listed) await dropUnlisted(db, lease, plan.listed);
    if (left > 0) {
      return { ok: true, ...counts, total: await pauseSync(db, lease, tools.now() + NEXT_RUN_MS), finished: false };
    }
    return { ok: true, ...counts, total: await finishSync(db, lease, tools.now(), tools.random), finished: true };
  } catch (error) {
    return await recordFailure(db, lease, { ...row, connectedAt: connection.createdAt }, error, tools);
  } finally {
    log("info", "gmail sync", { requests: gmail.requests });
  }
}

/** Syncs a mailbox that is due, by itself or because a sync was interrupted. Returns what it used of Gmail's quota. */
export async function syncDueMailbox(
  db: Db,
  env: TokenEnv,
  owner: MailboxOwner,
  overrides: Partial<SyncTools> = {},
): Promise<QuotaUse> {
  const use: QuotaUse = { units: 0, pauseMs: null };
  const tools = { patienceMs: AUTO_PATIENCE_MS, use, ...overrides };
  if (await postponeIfSuspended(db, owner, (overrides.now ?? Date.now)())) return use;
  const result = await syncMailbox(db, env, owner, { type: "incremental", maxMessages: MAX_MESSAGES }, tools);
  if (!result.ok && (result.reason === "not_connected" || result.reason === "reconnect")) await unschedule(db, owner);
  return use;
}

type Plan = { pending: string[]; done: number; removed: number; listed?: { ids: string[]; whole: boolean } };

/** Plans what to read: the rest of the last run, the changes since, or the newest messages. */
async function planSync(
  db: Db,
  gmail: GmailClient,
  lease: Lease,
  row: SyncRow,
  sync: { type: SyncType; maxMessages: number },
  { now }: SyncTools,
): Promise<Plan> {
  if (row.pending.length > 0 && sync.type !== "full") {
    return { pending: row.pending, done: Math.min(row.progress, row.progressTotal), removed: 0 };
  }
  // Up to where the size of the mailbox is counted. Later than the history id if the last sync failed at its very end.
  const since = row.pendingHistoryId ?? row.historyId;
  if (row.lastSyncAt !== null && since !== null && sync.type !== "full") {
    const pages = await gmail.history(since);
    if (pages !== "too_old") {
      const { added, removed, growth } = foldHistory(pages);
      const pending = added.slice(-MAX_PENDING);
      const historyId = pages.at(-1)?.historyId ?? null;
      await writePlan(db, lease, { pending, removed, historyId, size: { growth } }, now());
      return { pending, done: 0, removed: removed.length };
    }
  }
  // Read the history id before the list, or messages that arrive in between would be missed.
  const { historyId, size } = await readStart(gmail, row);
  const listed = await gmail.list(sync.maxMessages);
  // Before the plan is stored: a sync that resumes it only reads.
  await dropUnlisted(db, lease, listed);
  await writePlan(db, lease, { pending: listed.ids, removed: [], historyId, size }, now());
  return { pending: listed.ids, done: 0, removed: 0, listed };
}

/** Returns the history id from which the next sync goes on. The first sync has the one of the connection, with its size. */
async function readStart(gmail: GmailClient, row: SyncRow): Promise<{ historyId: string; size: MailboxSize }> {
  if (row.lastSyncAt === null && row.historyId) return { historyId: row.historyId, size: { growth: 0 } };
  const { historyId, messagesTotal } = await gmail.profile();
  return { historyId, size: { total: messagesTotal } };
}

/** Reads one batch at a time and retries failed parts on their own. Returns how many are left for the next run. */
async function readPending(
  db: Db,
  gmail: GmailClient,
  lease: Lease,
  plan: Plan & { failures: number },
  tools: SyncTools,
): Promise<number> {
  let fresh = plan.pending.slice(0, READ_PER_RUN);
  const later = plan.pending.slice(READ_PER_RUN);
  let failed: string[] = [];
  let stuck: string[] = [];
  let size = BATCH;
  let tries = 0;
  let { done } = plan;
  while (fresh.length > 0 || failed.length > 0) {
    const retrying = failed.length > 0;
    const ids = (retrying ? failed : fresh).slice(0, size);
    const batch = await gmail.messages(ids);
    const { found, gone } = batch;
    done += found.length + gone.length;
    if (retrying) failed = [...batch.failed, ...failed.slice(size)];
    else {
      failed = batch.failed;
      fresh = fresh.slice(size);
    }
    await writeProgress(
      db,
      lease,
      { found, gone, progress: done, pending: [...stuck, ...failed, ...fresh, ...later] },
      tools.now(),
    );
    if (batch.failed.length === 0 || found.length + gone.length > 0) tries = 0;
    if (batch.failed.length === 0) continue;
    if (batch.crowded) size = Math.max(SMALLEST_BATCH, Math.floor(size / 2));
    tries++;
    const wait = waitMs(tries, batch.afterMs, tools.random);
    if (tries >= MAX_TRIES || wait > tools.patienceMs) {
      if (batch.afterMs !== null || batch.crowded) throw new TryLater("crowded", batch.afterMs);
      stuck = [...stuck, ...failed];
      failed = [];
      tries = 0;
      continue;
    }
    await tools.sleep(wait);
  }
  if (stuck.length > 0 && plan.failures + 1 < RUNS_FOR_A_STUCK_MESSAGE) throw new TryLater("away", null);
  if (stuck.length > 0) log("error", "gmail sync skips messages", { messages: stuck.length });
  return later.length;
}

/** Records why the sync failed and when it is retried. Rethrows an error that isn't Gmail's. */
async function recordFailure(
  db: Db,
  lease: Lease,
  row: SyncRow & { connectedAt: number },
  error: unknown,
  { now }: SyncTools,
): Promise<SyncResult> {
  const backOff = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** row.failures);
  if (error instanceof LeaseLost) return refuse((await readTokenRow(db, lease.owner)) ? "busy" : "not_connected");
  if (error instanceof ReconnectNeeded) {
    await dropTokens(db, lease.owner, row.connectedAt);
    await stopUntilConnected(db, lease, SYNC_TEXTS.reconnect, now());
    return refuse("reconnect");
  }
  if (error instanceof TryLater || error instanceof GoogleAway) {
    const text = SYNC_TEXTS[error instanceof TryLater ? error.why : "away"];
    const afterMs = error instanceof TryLater ? error.afterMs : null;
    await failSync(db, lease, text, now() + Math.max(Math.min(afterMs ?? 0, LONGEST_ASKED_MS), backOff));
    return { ok: false, reason: "later", text };
  }
  logError("gmail sync failed", error);
  if (error instanceof GmailBroken) {
    await failSync(db, lease, SYNC_TEXTS.broken, row.autoSync ? now() + LONGEST_RETRY_MS : null);
    return refuse("broken");
  }
  // On our side, the database for example: it passes, so the sync resumes, also one that somebody requested.
  await failSync(db, lease, SYNC_TEXTS.ours, now() + backOff);
  throw error;
}

function refuse(reason: "not_connected" | "busy" | "reconnect" | "broken"): SyncResult {
  return { ok: false, reason, text: SYNC_TEXTS[reason] };
}

const REAL_TOOLS: Omit<SyncTools, "use"> = {
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
  now: Date.now,
  patienceMs: PATIENCE_MS,
};
