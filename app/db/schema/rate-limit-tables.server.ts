import { index, integer, text } from "drizzle-orm/sqlite-core";
import { impersonalTable, secret, time } from "./column-types.server.ts";

/** Exact counters in fixed windows; see rate-limit.server.ts. */
export const rateLimits = impersonalTable(
  "rate_limits",
  {
    /** The action, and a digest of the caller. */
    key: secret(text()).primaryKey(),
    count: integer().notNull(),
    resetsAt: time("resets_at").notNull(),
  },
  (table) => [index("rate_limits_by_end").on(table.resetsAt)],
);
