import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, text, unique } from "drizzle-orm/sqlite-core";
import {
  exported,
  flag,
  impersonalTable,
  internal,
  json,
  kept,
  oneOf,
  personalTable,
  shown,
  time,
} from "./column-types.server.ts";

/** The tables of DB_SUPPORT, a database of their own: nothing here refers to a table of the main one. */

export const supportSessions = personalTable(
  "support_sessions",
  {
    // No AUTOINCREMENT: an upsert would write its counter each time.
    id: internal(integer()).primaryKey(),
    sessionId: internal(text("session_id")).notNull().unique(),
    userId: internal(text("user_id")),
    userName: exported(text("user_name")).notNull(),
    userEmail: exported(text("user_email")),
    status: exported(text({ enum: ["open", "closed"] }))
      .notNull()
      .default("open"),
    lastSeq: internal(integer("last_seq")).notNull().default(0),
    agentReadSeq: internal(integer("agent_read_seq")).notNull().default(0),
    lastMessage: internal(text("last_message")).notNull().default(""),
    createdAt: internal(time("created_at")).notNull(),
    updatedAt: internal(time("updated_at")).notNull(),
    /** The agent it is assigned to. Null: unassigned. */
    assigneeId: internal(text("assignee_id")),
    assigneeName: internal(text("assignee_name")),
    /** Messages from the visitor are refused. */
    blocked: internal(flag("blocked")).notNull().default(false),
    tags: internal(json<string[]>()).notNull().default([]),
    userReadSeq: internal(integer("user_read_seq")).notNull().default(0),
    /**
     * The team's last message, 0 before there is one, and its place in the queue of emails about unread replies: when
     * it was sent, or later if the visitor was still online when the email was due.
     */
    replySeq: internal(integer("reply_seq")).notNull().default(0),
    replyAt: internal(time("reply_at")).notNull().default(0),
    /** The last reply the visitor was emailed about. */
    emailedSeq: internal(integer("emailed_seq")).notNull().default(0),
    /** Hidden from the lists of open conversations until then. 0: not snoozed. */
    snoozedUntil: internal(time("snoozed_until")).notNull().default(0),
    /** By when the visitor's question is to be answered. 0: it is answered, or there is no target. */
    respondBy: internal(time("respond_by")).notNull().default(0),
  },
  (table) => [
    // Without open ones: a message always belongs to an open conversation, and would cost another written row.
    index("support_sessions_closed").on(table.updatedAt).where(sql`"status" = 'closed'`),
    index("support_sessions_by_user").on(table.userId),
    index("support_sessions_by_assignee").on(table.assigneeId, table.status, table.updatedAt),
    // Snoozed ones only, so that no other conversation's row costs a second one.
    index("support_sessions_snoozed").on(table.snoozedUntil).where(sql`"status" = 'open' and "snoozed_until" > 0`),
    // Unanswered ones only: answering takes the entry out again.
    index("support_sessions_to_answer").on(table.respondBy).where(sql`"status" = 'open' and "respond_by" > 0`),
    // Replies the visitor has neither read nor been emailed about: the last few minutes'.
    index("support_sessions_to_mail")
      .on(table.replyAt)
      .where(sql`"user_email" is not null and "reply_seq" > "user_read_seq" and "emailed_seq" <= "user_read_seq"`),
    check("support_status_known", oneOf("status", ["open", "closed"])),
  ],
);

export const SENDER_TYPES = ["user", "admin", "system"] as const;

export const supportMessages = personalTable(
  "support_messages",
  {
    // No AUTOINCREMENT: it costs a written row per message.
    id: internal(integer()).primaryKey(),
    sessionId: internal(text("session_id"))
      .notNull()
      .references(() => supportSessions.sessionId, { onDelete: "cascade" }),
    seq: internal(integer()).notNull(),
    senderType: exported(text("sender_type", { enum: SENDER_TYPES })).notNull(),
    senderName: exported(text("sender_name")).notNull(),
    message: exported(text()).notNull(),
    /** JSON: id, type and size of the file that it is. The room has the same, and is rebuilt from here after a restore. */
    file: internal(text()),
    createdAt: exported(time("created_at")).notNull(),
  },
  (table) => [
    unique("support_messages_once_per_seq").on(table.sessionId, table.seq),
    check("support_sender_known", oneOf("sender_type", SENDER_TYPES)),
    check("support_seq_positive", sql`"seq" >= 1`),
  ],
);

/** Conversations per status and assignee ('' for unassigned), counted by triggers on support_sessions. */
export const supportCounts = personalTable(
  "support_counts",
  {
    status: kept.internal(text({ enum: ["open", "closed"] })).notNull(),
    assigneeId: kept.internal(text("assignee_id")).notNull(),
    conversations: kept.internal(integer()).notNull().default(0),
    /** Conversations with a message no agent has read. */
    unread: kept.internal(integer()).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.status, table.assigneeId] })],
);

/** Internal notes. Never shown to a visitor. */
export const supportNotes = personalTable(
  "support_notes",
  {
    id: internal(integer()).primaryKey({ autoIncrement: true }),
    sessionId: internal(text("session_id"))
      .notNull()
      .references(() => supportSessions.sessionId, { onDelete: "cascade" }),
    /** The id within the conversation's room. */
    no: internal(integer()).notNull(),
    authorId: internal(text("author_id")).notNull(),
    authorName: internal(text("author_name")).notNull(),
    body: internal(text()).notNull(),
    createdAt: internal(time("created_at")).notNull(),
  },
  (table) => [unique("support_notes_once").on(table.sessionId, table.no)],
);

/** Agents whom a note mentions, until its conversation is deleted. The author is never among them. */
export const supportMentions = personalTable(
  "support_mentions",
  {
    sessionId: internal(text("session_id"))
      .notNull()
      .references(() => supportSessions.sessionId, { onDelete: "cascade" }),
    /** The note's id within the conversation's room. */
    noteNo: internal(integer("note_no")).notNull(),
    agentId: internal(text("agent_id")).notNull(),
    createdAt: internal(time("created_at")).notNull(),
    /** When the agent opened the conversation. */
    readAt: internal(time("read_at")),
    /** When the agent was emailed, because it was unread. */
    emailedAt: internal(time("emailed_at")),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.noteNo, table.agentId] }),
    index("support_mentions_by_agent").on(table.agentId, table.createdAt),
    index("support_mentions_unread").on(table.agentId, table.createdAt).where(sql`"read_at" is null`),
    index("support_mentions_to_mail").on(table.createdAt).where(sql`"read_at" is null and "emailed_at" is null`),
  ],
);

/** One question, from its first message until the conversation is closed. Reports count these. */
export const supportCases = personalTable(
  "support_cases",
  {
    id: internal(integer()).primaryKey({ autoIncrement: true }),
    sessionId: internal(text("session_id"))
      .notNull()
      .references(() => supportSessions.sessionId, { onDelete: "cascade" }),
    /** The id within the conversation's room. */
    no: internal(integer()).notNull(),
    startedAt: internal(time("started_at")).notNull(),
    firstReplyAt: internal(time("first_reply_at")),
    agentId: internal(text("agent_id")),
    /** The agent who replied first. */
    agentName: internal(text("agent_name")),
    closedAt: internal(time("closed_at")),
    rating: exported(text({ enum: ["good", "bad"] })),
    ratedAt: exported(time("rated_at")),
  },
  (table) => [
    unique("support_cases_once").on(table.sessionId, table.no),
    index("support_cases_by_start").on(table.startedAt),
    check("support_rating_known", sql`"rating" is null or "rating" in ('good', 'bad')`),
  ],
);

/** Rows that changed while a backup reads the tables, as in the main database. */
export const supportBackupChanges = impersonalTable("backup_changes", {
  seq: integer().primaryKey({ autoIncrement: true }),
  tableName: shown(text("table_name")).notNull(),
  rowId: integer("row_id").notNull(),
});
