import { index, integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import type { AuditSubject } from "./audit-vocabulary.ts";
import { exported, internal, json, kept, personalTable, time } from "./column-types.server.ts";

/** Staff actions. Append-only, each entry in the same batch as its action; see audit.server.ts. */
export const auditLog = personalTable(
  "audit_log",
  {
    id: kept.internal(integer()).primaryKey({ autoIncrement: true }),
    // No foreign key: the entry outlives the account.
    actorId: internal(text("actor_id")).notNull(),
    actorName: internal(text("actor_name")).notNull(),
    /** `order.refund`, `customer.credit`. */
    action: kept.exported(text()).notNull(),
    subjectType: kept.exported(text("subject_type").$type<AuditSubject>()).notNull(),
    subjectId: internal(text("subject_id")).notNull(),
    /** Changed fields as [before, after], and the reason given. */
    detail: exported(json<Record<string, unknown>>()).notNull().default({}),
    /** Identifies one form submission: a form that arrives twice takes effect once. */
    onceKey: kept.internal(text("once_key")).unique(),
    createdAt: kept.exported(time("created_at")).notNull(),
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
export const auditSubjects = personalTable(
  "audit_subjects",
  {
    entryId: kept
      .internal(integer("entry_id"))
      .notNull()
      .references(() => auditLog.id, { onDelete: "cascade" }),
    subjectType: kept.internal(text("subject_type").$type<AuditSubject>()).notNull(),
    subjectId: kept.internal(text("subject_id")).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.subjectType, table.subjectId, table.entryId] }),
    // The deletion of an old entry looks here for its subjects, whether it has any or not.
    index("audit_subjects_by_entry").on(table.entryId),
  ],
);
