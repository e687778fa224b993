import { integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { impersonalTable, json, time } from "./column-types.server.ts";

/** Parts of the product that requests are counted by. */
export const AREAS = [
  /** Pages and files that are the same for everybody. */
  "pages",
  "accounts",
  "dashboard",
  "api",
  "chat",
  "console",
  "gmail",
  "uploads",
  /** Events that Stripe and the email API send. */
  "events",
  /** /healthz and /readyz. */
  "probes",
  /** Paths that no route matches. */
  "unknown",
] as const;
export type Area = (typeof AREAS)[number];

/**
 * Requests by hour and area. Each isolate adds what it counted, at most once a minute. At most 24 rows a day and area;
 * deleted after 30 days. See app/monitoring/requests.
 */
export const requestHours = impersonalTable(
  "request_hours",
  {
    /** Hours since 1970. */
    hour: integer().notNull(),
    area: text({ enum: AREAS }).notNull(),
    requests: integer().notNull(),
    /** Responses of 500 and above. */
    errors: integer().notNull(),
    /** Responses of 429. */
    refused: integer().notNull(),
    /** Sum of all durations. */
    ms: integer().notNull(),
    /** Statements sent to either database. */
    queries: integer().notNull(),
    rowsRead: integer("rows_read").notNull(),
    rowsWritten: integer("rows_written").notNull(),
    /** Requests per bucket of `DURATION_BOUNDS`. */
    durations: json<number[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.hour, table.area] })],
);

/** Components on the public status page. */
export const COMPONENTS = ["api", "ordering", "chat", "providers"] as const;
export type Component = (typeof COMPONENTS)[number];

/** Parts that the product can't work without, asked by /readyz. */
export const CHECKS = ["database", "support_database", "files", "dispatchers", "mail"] as const;
export type CheckName = (typeof CHECKS)[number];

/** Whatever has a history of states. */
export const WATCHED = [...COMPONENTS, ...CHECKS] as const;
export type Watched = (typeof WATCHED)[number];

export const COMPONENT_STATES = ["operational", "degraded", "down"] as const;
export type ComponentState = (typeof COMPONENT_STATES)[number];

/**
 * When the state of a component or the result of a check changed, found by the checks of each minute. The first row of one
 * says since when it has been checked. Deleted after 90 days, except the row that says what held then.
 */
export const statusChanges = impersonalTable(
  "status_changes",
  {
    component: text({ enum: WATCHED }).notNull(),
    startedAt: time("started_at").notNull(),
    state: text({ enum: COMPONENT_STATES }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.component, table.startedAt] })],
);
