import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { connect } from "#app/db/db.server.ts";
import { CLEAR_AFTER_MS } from "#app/monitoring/alerts/alert-changes.ts";
import { lastJudgedDay } from "#app/orders/providers/reconciled-day.ts";
import { checkLedgerNightly } from "#app/orders/wallet/nightly-ledger-check.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { type LocalCopy, startLocalCopy } from "#tests/product/local-copy.ts";
import { startWebhookReceiver } from "#tests/stand-ins/webhook-receiver.ts";
import { readArguments } from "#tools/run/command-line.ts";
import { openDatabase } from "#tools/run/database.ts";

/**
 * `npm run drill:alerts`: causes each alert's condition in a private copy of the product, and ends it. Prints the emails
 * and webhooks that arrive. Exits with 1 if one is missing or doubled. Takes about four minutes.
 *
 * Conditions are caused from outside where that is possible: by orders with a fault of the sandbox provider, by an email
 * to a faulty address, by settings. Time is passed by moving stored times back.
 */
readArguments({ usage: "npm run drill:alerts: causes every alert in a copy, and counts what arrives", options: {} });

const INBOX = "ops@drill.example";
const WAIT_MS = 90_000;
const POLL_MS = 250;
/** Longer than an overlapping run, which would send a second message. */
const SETTLE_MS = 4000;
const BUSY_MS = 10_000;

type Message = { headline: string; condition: string; kind: "opened" | "closed" };
type Drill = { condition: string; cause: () => Promise<unknown>; end: () => Promise<unknown> };

const execute = promisify(execFile);
const secret = `whsec_${randomBytes(24).toString("base64")}`;
const receiver = await startWebhookReceiver();
const env: NodeJS.ProcessEnv = {
  ALERT_EMAIL: INBOX,
  ALERT_WEBHOOK_URL: `${receiver.url}/alerts`,
  ALERT_WEBHOOK_SECRET: secret,
  DATABASE_LIMIT_GB: "0.0005",
};
const copy: LocalCopy = await startLocalCopy(env);
const faults: string[] = [];
/** The webhooks whose signature was checked, in their order. */
const verified: Message[] = [];
const JUDGED_DAY = lastJudgedDay(Date.now());
/** A job that fails without its table. On a busy machine others may fail beside it, because this process locks the file. */
const FAILING_JOB = "job = 'queue catalog webhooks' and failing_since is not null";

const DRILLS: Drill[] = [
  {
    condition: "database_size",
    cause: async () => {},
    end: async () => {
      env.DATABASE_LIMIT_GB = "10";
      await copy.stop();
      await copy.start();
    },
  },
  {
    condition: "held_orders",
    cause: () => order("drop"),
    end: () => resolveHeld(),
  },
  {
    condition: "provider_unavailable",
    cause: async () => {
      for (let failure = 0; failure < 5; failure++) await order("500");
    },
    end: async () => {
      await resolveHeld();
      // Its dispatcher asks whether the provider responds again.
      await order("still");
    },
  },
  {
    condition: "provider_balance",
    cause: async () => {
      // The restart gave the sandbox another URL, where we have no reading yet.
      await balanceDue();
      await order("drain");
      await balanceDue();
    },
    end: async () => {
      await order("fill");
      await balanceDue();
    },
  },
  {
    condition: "provider_costs",
    cause: () =>
      statement(
        `update provider_balances set first_read_at = 1;
         insert into provider_use_days (provider_id, day, spent)
           select min(id), ${JUDGED_DAY}, 5000000 from providers where true
           on conflict do update set spent = cost + 5000000`,
      ),
    end: () => statement(`update provider_use_days set spent = cost where day = ${JUDGED_DAY}`),
  },
  {
    condition: "catalog_waiting",
    cause: () =>
      statement(
        `insert into quarantine (provider_id, service_id, reason, paused, found_at)
         select provider_id, id, 'rise', 0, 1 from services where provider_id is not null limit 1`,
      ),
    end: () => statement("update quarantine set decision = 'keep', decided_at = 1"),
  },
  {
    condition: "catalog_unread",
    cause: () =>
      statement(
        `insert or ignore into price_rules (provider_id, category, margin) select min(id), '', 5000 from providers;
         update providers set catalog_read_at = 1 where id = (select min(id) from providers)`,
      ),
    end: () => statement(`update providers set catalog_read_at = ${Date.now()}`),
  },
  {
    condition: "job_failed",
    cause: async () => {
      await statement("alter table webhook_endpoints rename to webhook_endpoints_away");
      await until("a failed job", async () => (await rows(`select 1 from job_runs where ${FAILING_JOB}`)) > 0);
      await statement(`update job_runs set failing_since = failing_since - ${5 * MINUTE_MS} where ${FAILING_JOB}`);
    },
    end: async () => {
      await statement("alter table webhook_endpoints_away rename to webhook_endpoints");
      await until("a run", async () => (await rows("select 1 from job_runs where failing_since is not null")) === 0);
      await statement("update job_runs set failed_at = '[]'");
    },
  },
  {
    condition: "job_late",
    cause: () => {
      const back = 60 * MINUTE_MS;
      return statement(`update job_runs set started_at = started_at - ${back}, finished_at = finished_at - ${back}`);
    },
    // The jobs run.
    end: async () => {},
  },
  {
    condition: "ledger_fault",
    cause: async () => {
      await statement("update wallets set balance = balance + 5");
      await night();
    },
    end: async () => {
      await statement("update wallets set balance = balance - 5");
      await night();
    },
  },
  {
    condition: "email_failing",
    cause: async () => {
      await signUp(`locked.${randomBytes(4).toString("hex")}@test.example`);
      await statement(`update emails set created_at = created_at - ${16 * MINUTE_MS} where status = 'queued'`);
    },
    end: () => statement("update emails set expires_at = 1, next_attempt_at = 1 where status = 'queued'"),
  },
  {
    condition: "backup_missing",
    cause: () => statement(`update job_runs set created_at = created_at - ${27 * 60 * MINUTE_MS}`),
    end: () => execute(process.execPath, ["tools/data/backup.ts", "--state-dir", copy.stateDir]),
  },
];

try {
  for (const drill of DRILLS) await drillOne(drill);
} finally {
  await copy.remove();
  await receiver.close();
}
for (const fault of faults) console.error(`  ${fault}`);
console.log(faults.length === 0 ? "\nEach message arrived once." : `\n${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);

async function drillOne({ condition, cause, end }: Drill): Promise<void> {
  await cause();
  await arrives(condition, "opened");
  await end();
  await until(`the end of ${condition}`, async () => {
    const over = await rows(`select 1 from alerts where condition = '${condition}' and clear_since is not null`);
    return over > 0 && over === (await rows(`select 1 from alerts where condition = '${condition}'`));
  });
  await statement(
    `update alerts set clear_since = clear_since - ${CLEAR_AFTER_MS} where condition = '${condition}' and closed_at is null`,
  );
  await arrives(condition, "closed");
}

/** Waits for the messages about every alert of a condition, and for a second one of each that must not come. */
async function arrives(condition: string, kind: Message["kind"]): Promise<void> {
  const from = Date.now();
  const both = async () => [await emails(), await webhooks()] as const;
  const ofKind = (messages: Message[]) => messages.filter((one) => one.condition === condition && one.kind === kind);
  await until(`${condition} ${kind}`, async () => {
    const [mails, posts] = await both();
    return (
      ofKind(posts).length > 0 &&
      ofKind(posts).every(({ headline }) => mails.some((mail) => mail.headline === headline))
    );
  });
  const ms = Date.now() - from;
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const [mails, posts] = await both();
  for (const headline of new Set(ofKind(posts).map((post) => post.headline))) {
    const counts = [mails, ofKind(posts)].map((messages) => messages.filter((one) => one.headline === headline).length);
    console.log(
      `${condition.padEnd(21)} ${kind} after ${(ms / 1000).toFixed(1).padStart(4)} s  ${counts.join("+")}  ${headline}`,
    );
    if (counts.some((count) => count !== 1)) faults.push(`${headline}: ${counts[0]} emails, ${counts[1]} webhooks`);
  }
}

async function emails(): Promise<Pick<Message, "headline">[]> {
  const text = await readFile(join(copy.stateDir, "emails.jsonl"), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { to: string[]; subject: string })
    .filter(({ to }) => to.includes(INBOX))
    .map(({ subject }) => ({ headline: subject.replace("[Growline] ", "") }));
}

/** Returns the webhooks so far. Throws if a signature is wrong. Checks each once: one older than five minutes is refused. */
async function webhooks(): Promise<Message[]> {
  const response = await fetch(`${receiver.url}/alerts`);
  const received = (await response.json()) as { headers: Record<string, string>; body: string }[];
  for (const { headers, body } of received.slice(verified.length)) {
    const { type, data } = new Webhook(secret).verify(body, headers) as {
      type: string;
      data: { condition: string; title: string };
    };
    const kind = type === "alert.closed" ? "closed" : "opened";
    const headline = kind === "closed" ? `Resolved: ${data.title}` : data.title;
    verified.push({ kind, condition: data.condition, headline });
  }
  return verified;
}

async function order(fault: string): Promise<void> {
  const link = `https://instagram.com/p/${randomBytes(4).toString("hex")}?sandbox=${fault}`;
  const body = new URLSearchParams({
    key: copy.demo.customer.apiKey,
    action: "add",
    service: "1",
    link,
    quantity: "1000",
  });
  const response = await fetch(`${copy.url}/api/v2`, { method: "POST", body });
  const { order: id } = (await response.json()) as { order?: number };
  if (id === undefined) throw new Error(`no order with ${fault}`);
  await until(
    `order ${id} sent`,
    async () => (await rows(`select 1 from orders where id = ${id} and fulfillment in ('queued', 'submitting')`)) === 0,
  );
}

/** Cancels and refunds each held order in the console. */
async function resolveHeld(): Promise<void> {
  const { email, password } = copy.demo.admin;
  const post = (path: string, form: Record<string, string>, cookie = "") =>
    fetch(copy.url + path, {
      method: "POST",
      body: new URLSearchParams(form),
      headers: { Origin: copy.url, Cookie: cookie },
      redirect: "manual",
    });
  const signedIn = await post("/auth/login", { email, password });
  const cookie = signedIn.headers.getSetCookie().map((one) => one.split(";")[0]);
  const held = "select id, updated_at as seen from orders where fulfillment = 'held'";
  for (const { id, seen } of await read<{ id: number; seen: number }>(held)) {
    const form = { intent: "resolve", outcome: "refused", seen: String(seen), reason: "Not in the provider's panel" };
    const response = await post(`/admin/orders/${id}`, form, cookie.join("; "));
    if (response.status !== 302) throw new Error(`order ${id} not resolved: HTTP ${response.status}`);
  }
}

/** Fifteen minutes pass at the provider, and the balance is read. */
async function balanceDue(): Promise<void> {
  await statement(`update provider_balances set asked_at = asked_at - ${15 * MINUTE_MS}`);
  await until(
    "a balance",
    async () => (await rows(`select 1 from provider_balances where asked_at < ${Date.now() - MINUTE_MS}`)) === 0,
  );
}

async function signUp(email: string): Promise<void> {
  const body = new URLSearchParams({ email, password: randomBytes(12).toString("hex"), full_name: "Drill" });
  await fetch(`${copy.url}/auth/signup`, { method: "POST", body, headers: { Origin: copy.url }, redirect: "manual" });
  await until("a queued email", async () => (await rows("select 1 from emails where status = 'queued'")) > 0);
}

/**
 * Runs the nightly check on the copy's database: the local copy has no nightly trigger. The copy is stopped meanwhile, as
 * its jobs can keep the database locked on a busy machine.
 */
async function night(): Promise<void> {
  await copy.stop();
  const { binding, close } = await openDatabase({ remote: false, stateDir: copy.stateDir });
  try {
    await checkLedgerNightly(connect(binding));
  } finally {
    await close();
    await copy.start();
  }
}

/** Passes time, or damages what no request can. Waits for the copy's own writes. */
async function statement(sql: string): Promise<void> {
  const database = new DatabaseSync(await databaseFile(), { timeout: BUSY_MS });
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

async function rows(sql: string): Promise<number> {
  return (await read(sql)).length;
}

async function read<Row>(sql: string): Promise<Row[]> {
  const database = new DatabaseSync(await databaseFile(), { readOnly: true, timeout: BUSY_MS });
  try {
    return database.prepare(sql).all() as Row[];
  } finally {
    database.close();
  }
}

/** Returns the file of the main database, which is the one that has orders. */
async function databaseFile(): Promise<string> {
  for (const name of globSync("**/*.sqlite", { cwd: join(copy.stateDir, "v3", "d1") })) {
    const file = join(copy.stateDir, "v3", "d1", name);
    const database = new DatabaseSync(file, { readOnly: true });
    const found = database.prepare("select 1 from sqlite_master where name = 'orders'").get();
    database.close();
    if (found) return file;
  }
  throw new Error("the copy has no database");
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + WAIT_MS;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`waited ${WAIT_MS / 1000} s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
