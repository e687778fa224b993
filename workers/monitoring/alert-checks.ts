import { BACKUP_LATE_MS, type LastBackups } from "#app/backup/run/backup-runs.server.ts";
import { JOB_SCHEDULES } from "#app/db/schema.server.ts";
import { redact } from "#app/http/redact.ts";
import type { Check } from "#app/monitoring/alerts/alert-changes.ts";
import type { AlertReading } from "#app/monitoring/alerts/alert-reading.ts";
import { type DatabaseName, FULL_RATIO } from "#app/monitoring/health/database-size.server.ts";
import type { JobRun } from "#app/monitoring/jobs/job-runs.server.ts";
import { lateSince, unsteadyFailures } from "#app/monitoring/jobs/job-runs.server.ts";
import { isOurCurrency } from "#app/orders/providers/order-cost.ts";
import {
  dailyUse,
  daysLeft,
  LOW_FUNDS_DAYS,
  type ProviderFunds,
} from "#app/orders/providers/provider-balance.server.ts";
import { needsProbe } from "#app/orders/providers/provider-link.server.ts";
import { tookMore } from "#app/orders/providers/reconciled-day.ts";
import { DAY_MS, MINUTE_MS } from "#app/time.ts";

/** A run of a minute that fails is repeated in a minute, so only a job that keeps failing needs a person. */
export const FAILING_MINUTES_MS = 3 * MINUTE_MS;
/** Three nights, and the time that the last one's jobs take. */
const UNREAD_MS = 74 * 60 * MINUTE_MS;
/** A few addresses are always wrong. */
export const FAILED_EMAILS = 10;

/** The figures that the checks judge. `providers`, `jobs` and `backups` are null, and `sizes` lacks a database, if they could not be read. */
export type SystemFigures = {
  held: { orders: number; since: number | null };
  waitingChanges: number;
  providers: ProviderFunds[] | null;
  jobs: JobRun[] | null;
  ledger: { faults: number; since: number | null };
  stuckEmails: { count: number; since: number | null; error: string | null };
  failedEmails: { count: number; error: string | null };
  sizes: Partial<Record<DatabaseName, number>>;
  databaseLimit: number;
  /** `"recent"`: the newest backup is complete, and of last night. */
  backups: "recent" | (LastBackups & { hasKeys: boolean }) | null;
};

/** Decides which conditions hold. */
export function checksOf(figures: SystemFigures, now: number): Check[] {
  const { held, ledger, jobs, providers } = figures;
  return [
    {
      condition: "held_orders",
      readings:
        held.orders > 0
          ? [{ condition: "held_orders", subject: "", facts: { orders: held.orders, since: held.since ?? now } }]
          : [],
    },
    ...(providers ? providerChecks(providers, now) : []),
    {
      condition: "catalog_waiting",
      readings:
        figures.waitingChanges > 0
          ? [{ condition: "catalog_waiting", subject: "", facts: { changes: figures.waitingChanges } }]
          : [],
    },
    {
      condition: "ledger_fault",
      readings:
        ledger.faults > 0
          ? [{ condition: "ledger_fault", subject: "", facts: { faults: ledger.faults, since: ledger.since ?? now } }]
          : [],
    },
    { condition: "email_failing", readings: failingEmails(figures) },
    ...(jobs ? jobChecks(jobs, now) : []),
    ...fullDatabases(figures),
    ...missingBackup(figures, now),
  ];
}

function providerChecks(all: ProviderFunds[], now: number): Check[] {
  const providers = all.filter(({ enabled }) => enabled);
  return [
    { condition: "provider_unavailable", readings: providers.flatMap((provider) => unavailable(provider) ?? []) },
    { condition: "provider_balance", readings: providers.flatMap((provider) => lowFunds(provider, now) ?? []) },
    { condition: "catalog_unread", readings: providers.flatMap((provider) => unreadCatalog(provider, now) ?? []) },
    { condition: "provider_costs", readings: providers.flatMap((provider) => unexplainedCosts(provider) ?? []) },
  ];
}

function unavailable(provider: ProviderFunds): AlertReading | null {
  const { id, name, pausedFor } = provider;
  const cause = needsProbe(provider) ? "no_response" : pausedFor === "key" ? "key" : null;
  return cause && { condition: "provider_unavailable", subject: String(id), facts: { name, cause } };
}

function lowFunds(provider: ProviderFunds, now: number): AlertReading | null {
  const { id, name, balance, currency, pausedFor } = provider;
  const daily = dailyUse(provider, now);
  const days = daysLeft(provider, now);
  const isLow = days !== null && days < LOW_FUNDS_DAYS;
  const isRefused = pausedFor === "funds";
  if (!isLow && !isRefused) return null;
  const facts = { name, balance: balance ?? 0, daily, currency: currency ?? "", refused: Number(isRefused) };
  return { condition: "provider_balance", subject: String(id), facts };
}

/** Judges the last day that is over: its figures stay, so the alert lasts until the next day is judged. */
function unexplainedCosts({ id, name, currency, firstReadAt, use }: ProviderFunds): AlertReading | null {
  const { day, judged, withDayBefore } = use;
  const firstDay = firstReadAt === null ? null : Math.floor(firstReadAt / DAY_MS);
  const isComparable = isOurCurrency(currency ?? "");
  if (!tookMore(judged, withDayBefore, { day, firstDay, isComparable })) return null;
  const facts = { name, day, took: judged.fell - judged.rose, cost: judged.cost };
  return { condition: "provider_costs", subject: String(id), facts };
}

function unreadCatalog(provider: ProviderFunds, now: number): AlertReading | null {
  const { id, name, catalogReadAt, createdAt, isReadAtNight } = provider;
  const since = catalogReadAt ?? createdAt;
  if (!isReadAtNight || now - since <= UNREAD_MS) return null;
  return {
    condition: "catalog_unread",
    subject: String(id),
    facts: { name, since, read: Number(catalogReadAt !== null) },
  };
}

function jobChecks(jobs: JobRun[], now: number): Check[] {
  return [
    { condition: "job_failed", readings: jobs.flatMap((job) => failed(job, now) ?? []) },
    { condition: "job_late", readings: late(jobs, now) },
  ];
}

function failed(run: JobRun, now: number): AlertReading | null {
  const { job, schedule, failingSince } = run;
  const error = run.error ?? "";
  const patience = schedule === "minute" ? FAILING_MINUTES_MS : 0;
  if (failingSince !== null && now - failingSince >= patience) {
    return { condition: "job_failed", subject: job, facts: { since: failingSince, failures: null, error } };
  }
  const failures = unsteadyFailures(run, now);
  const [since] = failures ?? [];
  if (!failures || since === undefined) return null;
  return { condition: "job_failed", subject: job, facts: { since, failures: failures.length, error } };
}

/** One reading per schedule: if a trigger stops, all of its jobs are late. */
function late(jobs: JobRun[], now: number): AlertReading[] {
  return JOB_SCHEDULES.flatMap((schedule) => {
    const overdue = jobs
      .filter((job) => job.schedule === schedule)
      .flatMap((job) => ({ job: job.job, since: lateSince(job, now) }))
      .filter((job): job is { job: string; since: number } => job.since !== null)
      .sort((one, other) => one.since - other.since);
    const [first] = overdue;
    if (!first) return [];
    const facts = { jobs: overdue.length, first: first.job, since: first.since };
    return [{ condition: "job_late", subject: schedule, facts }];
  });
}

function failingEmails({ stuckEmails: stuck, failedEmails: failures }: SystemFigures): AlertReading[] {
  if (stuck.count === 0 && failures.count < FAILED_EMAILS) return [];
  // The email API quotes the recipient, and the webhook may be another company's.
  const error = redact(stuck.error ?? failures.error ?? "");
  const facts = { waiting: stuck.count, since: stuck.since, failed: failures.count, error };
  return [{ condition: "email_failing", subject: "", facts }];
}

/** No check if a database could not be read: its alert stays as it is. */
function fullDatabases({ sizes, databaseLimit: limit }: SystemFigures): Check[] {
  const { DB, DB_SUPPORT } = sizes;
  if (DB === undefined || DB_SUPPORT === undefined) return [];
  const readings = [["DB", DB] as const, ["DB_SUPPORT", DB_SUPPORT] as const].flatMap(([subject, bytes]) =>
    bytes >= FULL_RATIO * limit ? [{ condition: "database_size" as const, subject, facts: { bytes, limit } }] : [],
  );
  return [{ condition: "database_size", readings }];
}

/**
 * A backup that was given up, is late, or was never made. Before the first one, the time counts since the jobs of each minute
 * began: the night's own may never have run.
 */
function missingBackup({ backups, jobs }: SystemFigures, now: number): Check[] {
  const condition = "backup_missing";
  if (backups === null) return [];
  if (backups === "recent") return [{ condition, readings: [] }];
  const { complete, open, failed, hasKeys } = backups;
  const began = jobs?.filter(({ schedule }) => schedule === "minute").map(({ createdAt }) => createdAt) ?? [];
  const since = complete?.cutAt ?? Math.min(now, ...began);
  if (!failed && now - since <= BACKUP_LATE_MS) return [{ condition, readings: [] }];
  const error = hasKeys ? (open?.error ?? failed?.error ?? "") : "BACKUP_KEYS is not set";
  const facts = { since, made: Number(complete !== null), failed: Number(failed !== null), error };
  return [{ condition, readings: [{ condition, subject: "", facts }] }];
}
