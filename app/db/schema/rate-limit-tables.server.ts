import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Exact counters in fixed windows; see rate-limit.server.ts. */
export const rateLimits = sqliteTable(
  "rate_limits",
  {
    /** The action, and a digest of the caller. */
    key: text().primaryKey(),
    count: integer().notNull(),
    resetsAt: integer("resets_at").notNull(),
  },
  (table) => [index("rate_limits_by_end").on(table.resetsAt)],
);
