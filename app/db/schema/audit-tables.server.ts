import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const AUDIT_SUBJECTS = [
  "order",
  "service",
  "provider",
  "customer",
  "codes",
  "tier",
  "percent_code",
  "conversation",
  "account",
  "reply",
  "settings",
  "email",
] as const;
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number];

/** Staff actions. Append-only, each entry in the same batch as its action; see audit.server.ts. */
export const auditLog = sqliteTable(
  "audit_log",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    // No foreign key: the entry outlives the account.
    actorId: text("actor_id").notNull(),
    actorName: text("actor_name").notNull(),
    /** `order.refund`, `customer.credit`. */
    action: text().notNull(),
    subjectType: text("subject_type", { enum: AUDIT_SUBJECTS }).notNull(),
    subjectId: text("subject_id").notNull(),
    /** Changed fields as [before, after], and the reason given. */
    detail: text({ mode: "json" }).$type<Record<string, unknown>>().notNull().default({}),
    /** Identifies one form submission: a form that arrives twice takes effect once. */
    onceKey: text("once_key").unique(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("audit_log_by_subject").on(table.subjectType, table.subjectId, table.id),
    index("audit_log_by_actor").on(table.actorId, table.id),
    index("audit_log_by_action").on(table.action, table.id),
  ],
);

/**
 * The subjects of an entry about many, so that each one's history has the entry. An entry about one has it in its own row,
 * and none here.
 */
export const auditSubjects = sqliteTable(
  "audit_subjects",
  {
    entryId: integer("entry_id")
      .notNull()
      .references(() => auditLog.id, { onDelete: "cascade" }),
    subjectType: text("subject_type", { enum: AUDIT_SUBJECTS }).notNull(),
    subjectId: text("subject_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.subjectType, table.subjectId, table.entryId] }),
    // The deletion of an old entry looks here for its subjects, whether it has any or not.
    index("audit_subjects_by_entry").on(table.entryId),
  ],
);
