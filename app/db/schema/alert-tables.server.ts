import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { providers } from "./catalog-tables.server.ts";
import { day, impersonalTable, json, money, oneOf, secret, shown, time } from "./column-types.server.ts";

export const JOB_SCHEDULES = ["minute", "night"] as const;
export type JobSchedule = (typeof JOB_SCHEDULES)[number];

/** The last run of each scheduled job that was recorded: not every run of a minute is. See job-runs.server.ts. */
export const jobRuns = impersonalTable(
  "job_runs",
  {
    job: shown(text()).primaryKey(),
    schedule: text({ enum: JOB_SCHEDULES }).notNull(),
    /** Null: it has not run yet. */
    startedAt: time("started_at"),
    /** Null: it never ended. Before `startedAt`: it runs, or was cut off. */
    finishedAt: time("finished_at"),
    succeededAt: time("succeeded_at"),
    /** Since when each recorded run failed. Null: the last one succeeded. */
    failingSince: time("failing_since"),
    /** When the last ten runs that failed ended, oldest first. */
    failedAt: json<number[]>("failed_at").notNull().default([]),
    /** First line of the last failure. */
    error: shown(text()),
    /** When the job was first known. */
    createdAt: time("created_at").notNull(),
  },
  () => [check("job_run_schedule_known", oneOf("schedule", JOB_SCHEDULES))],
);

export const ALERT_CONDITIONS = [
  "held_orders",
  "provider_unavailable",
  "provider_balance",
  "provider_costs",
  "catalog_waiting",
  "catalog_unread",
  "job_failed",
  "job_late",
  "ledger_fault",
  "email_failing",
  "database_size",
  "backup_missing",
] as const;
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

/** Events that need a person: one row each, from its beginning until it has been over for a while. */
export const alerts = impersonalTable(
  "alerts",
  {
    id: shown(text()).primaryKey(),
    condition: text({ enum: ALERT_CONDITIONS }).notNull(),
    /** The provider, job or database. Empty if there is only one of it. */
    subject: shown(text()).notNull(),
    /** The figures of its texts, as last seen. */
    facts: json<Record<string, string | number | null>>().notNull(),
    openedAt: time("opened_at").notNull(),
    factsAt: time("facts_at").notNull(),
    /** Since when the condition is over, while the alert waits to see whether it stays over. */
    clearSince: time("clear_since"),
    closedAt: time("closed_at"),
  },
  (table) => [
    uniqueIndex("alerts_open").on(table.condition, table.subject).where(sql`"closed_at" is null`),
    index("alerts_closed").on(table.closedAt).where(sql`"closed_at" is not null`),
    check("alert_condition_known", oneOf("condition", ALERT_CONDITIONS)),
  ],
);

/** Alerts on their way to ALERT_WEBHOOK_URL. */
export const alertDeliveries = impersonalTable(
  "alert_deliveries",
  {
    /** Also the `webhook-id`, by which a receiver recognizes a repetition. */
    id: shown(text()).primaryKey(),
    alertId: shown(text("alert_id"))
      .notNull()
      .references(() => alerts.id, { onDelete: "cascade" }),
    body: shown(text()).notNull(),
    attempts: integer().notNull().default(0),
    /** Time of the next attempt. Null once delivered or given up. */
    nextAttemptAt: time("next_attempt_at"),
    lastStatus: integer("last_status"),
    lastError: shown(text("last_error")),
    deliveredAt: time("delivered_at"),
    createdAt: time("created_at").notNull(),
  },
  (table) => [
    index("alert_deliveries_due").on(table.nextAttemptAt).where(sql`"next_attempt_at" is not null`),
    index("alert_deliveries_by_alert").on(table.alertId, table.createdAt),
  ],
);

/** How large the databases were each night, a row for both: when they are full can be told from how they grew. */
export const databaseSizes = impersonalTable("database_sizes", {
  day: day().primaryKey(),
  /** In bytes. Null: it could not be read. */
  mainBytes: integer("main_bytes"),
  supportBytes: integer("support_bytes"),
});

/** Our funds at each provider, as it last reported them. */
export const providerBalances = impersonalTable("provider_balances", {
  providerId: integer("provider_id")
    .primaryKey()
    .references(() => providers.id),
  /** A digest of the URL and key that the rest is about. */
  account: secret(text()).notNull().default(""),
  /** When it was last asked, whether it responded or not. */
  askedAt: time("asked_at").notNull(),
  /** In the provider's currency. Null: never read. */
  balance: money(),
  /** The provider's spelling. */
  currency: shown(text()).notNull().default(""),
  readAt: time("read_at"),
  /** The first reading of this account. */
  firstReadAt: time("first_read_at"),
});

/** Falls and rises of each provider's balance between readings, and the cost of our orders there, per UTC day. */
export const providerUseDays = impersonalTable(
  "provider_use_days",
  {
    providerId: integer("provider_id")
      .notNull()
      .references(() => providers.id),
    day: day().notNull(),
    /** By how much the balance fell. In the provider's currency. */
    spent: money().notNull().default(0),
    /** By how much it rose: top-ups and refunds. What was spent between the same two readings hides in it. */
    risen: money().notNull().default(0),
    /** By how much the costs of our orders there grew. */
    cost: money().notNull().default(0),
    /** Calls that we made there, and those among them that failed. */
    calls: integer().notNull().default(0),
    errors: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.providerId, table.day] }),
    check("provider_use_errors_within_calls", sql`"errors" between 0 and "calls"`),
  ],
);
