import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, unique } from "drizzle-orm/sqlite-core";
import { caselessText, flag, oneOf } from "./column-types.server.ts";

export const supportSessions = sqliteTable(
  "support_sessions",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sessionId: text("session_id").notNull().unique(),
    userId: text("user_id"),
    userName: text("user_name").notNull(),
    userEmail: text("user_email"),
    status: text({ enum: ["open", "closed"] })
      .notNull()
      .default("open"),
    lastSeq: integer("last_seq").notNull().default(0),
    agentReadSeq: integer("agent_read_seq").notNull().default(0),
    lastMessage: text("last_message").notNull().default(""),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** Who of the team has it; null: nobody yet. */
    assigneeId: text("assignee_id"),
    assigneeName: text("assignee_name"),
    /** Its visitor's messages are refused. */
    blocked: flag("blocked").notNull().default(false),
    tags: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    userReadSeq: integer("user_read_seq").notNull().default(0),
    /**
     * The team's last message, and when it was said; 0 before there is one. Later than that when the visitor was still
     * there as it was to be mailed: its place in the queue of those mails.
     */
    answerSeq: integer("answer_seq").notNull().default(0),
    answerAt: integer("answer_at").notNull().default(0),
    /** Up to which answer the visitor was mailed. */
    mailedSeq: integer("mailed_seq").notNull().default(0),
  },
  (table) => [
    index("support_sessions_by_status").on(table.status, table.updatedAt),
    index("support_sessions_by_user").on(table.userId),
    index("support_sessions_by_assignee").on(table.assigneeId, table.status, table.updatedAt),
    // Answers that their visitor has not read and was not mailed about: those of a few minutes.
    index("support_sessions_to_mail")
      .on(table.answerAt)
      .where(sql`"user_email" is not null and "answer_seq" > "user_read_seq" and "mailed_seq" <= "user_read_seq"`),
    check("support_status_known", oneOf("status", ["open", "closed"])),
  ],
);

export const SENDER_TYPES = ["user", "admin", "system"] as const;

export const supportMessages = sqliteTable(
  "support_messages",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sessionId: text("session_id")
      .notNull()
      .references(() => supportSessions.sessionId, { onDelete: "cascade" }),
    seq: integer().notNull(),
    senderType: text("sender_type", { enum: SENDER_TYPES }).notNull(),
    senderName: text("sender_name").notNull(),
    message: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    unique("support_messages_once_per_seq").on(table.sessionId, table.seq),
    check("support_sender_known", oneOf("sender_type", SENDER_TYPES)),
    check("support_seq_positive", sql`"seq" >= 1`),
  ],
);

/** How many conversations there are, by status and assignee ('' for nobody). Kept by triggers on support_sessions. */
export const supportCounts = sqliteTable(
  "support_counts",
  {
    status: text({ enum: ["open", "closed"] }).notNull(),
    assigneeId: text("assignee_id").notNull(),
    conversations: integer().notNull().default(0),
    /** Those with something that nobody of the team has read. */
    unread: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.status, table.assigneeId] })],
);

/** What the team writes to itself. Never read for a visitor. */
export const supportNotes = sqliteTable(
  "support_notes",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sessionId: text("session_id")
      .notNull()
      .references(() => supportSessions.sessionId, { onDelete: "cascade" }),
    /** The room's own number of it. */
    no: integer().notNull(),
    authorId: text("author_id").notNull(),
    authorName: text("author_name").notNull(),
    body: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [unique("support_notes_once").on(table.sessionId, table.no)],
);

/** One question from its first message until the conversation is closed; what reports count. */
export const supportCases = sqliteTable(
  "support_cases",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sessionId: text("session_id")
      .notNull()
      .references(() => supportSessions.sessionId, { onDelete: "cascade" }),
    /** The room's own number of it. */
    no: integer().notNull(),
    startedAt: integer("started_at").notNull(),
    answeredAt: integer("answered_at"),
    agentId: text("agent_id"),
    /** Who answered first. */
    agentName: text("agent_name"),
    closedAt: integer("closed_at"),
    rating: text({ enum: ["good", "bad"] }),
    ratedAt: integer("rated_at"),
  },
  (table) => [
    unique("support_cases_once").on(table.sessionId, table.no),
    index("support_cases_by_start").on(table.startedAt),
    check("support_rating_known", sql`"rating" is null or "rating" in ('good', 'bad')`),
  ],
);

/** Answers that are written once and used often. */
export const supportReplies = sqliteTable("support_replies", {
  id: integer().primaryKey({ autoIncrement: true }),
  /** What is typed after the slash. */
  shortcut: caselessText().notNull().unique(),
  body: text().notNull(),
  updatedBy: text("updated_by").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/** One row. */
export const supportSettings = sqliteTable(
  "support_settings",
  {
    id: integer().primaryKey(),
    value: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  () => [check("support_settings_is_one_row", sql`"id" = 1`)],
);
