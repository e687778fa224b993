import type { Agent } from "#app/support/protocol/console-frames.ts";
import type { Rating } from "#app/support/protocol/rating.ts";
import { selectRows } from "./sql-rows.server.ts";

/** A visitor's question, from its first message until the conversation is closed. Times in ms. */
export type Case = {
  no: number;
  started_at: number;
  first_reply_at: number | null;
  agent_id: string | null;
  agent_name: string | null;
  closed_at: number | null;
  rating: Rating | null;
  rated_at: number | null;
};

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS cases (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at INTEGER NOT NULL,
    first_reply_at INTEGER,
    agent_id TEXT,
    agent_name TEXT,
    closed_at INTEGER,
    rating TEXT CHECK (rating IN ('good', 'bad')),
    rated_at INTEGER,
    version INTEGER NOT NULL
  ) STRICT;
  -- A returning visitor's closed cases are not read to find the open one.
  CREATE INDEX IF NOT EXISTS open_cases ON cases (closed_at) WHERE closed_at IS NULL;
`;
const UNANSWERED = "closed_at IS NULL AND first_reply_at IS NULL";
const CASE_COLUMNS = "no, started_at, first_reply_at, agent_id, agent_name, closed_at, rating, rated_at";

/** The cases of one conversation, in the room's own SQLite. `version`: the session's, with the change being made. */
export class RoomCases {
  readonly #sql: SqlStorage;
  readonly #touch: () => number;
  /** Every message reads it, so it is cached until the next write. */
  #cached: { open: Case | null; unansweredSince: number | null } | null = null;

  constructor(sql: SqlStorage, touch: () => number) {
    this.#sql = sql;
    this.#touch = touch;
  }

  create(): void {
    this.#write(SCHEMA);
  }

  /** Opens a case at a visitor's message unless one is open. */
  recordQuestion(at: number): void {
    if (this.#open()) return;
    this.#write("INSERT INTO cases (started_at, version) VALUES (?, ?)", at, this.#touch());
  }

  /** Stores the first reply to what is unanswered: after a handover that may be two cases. Later ones change nothing. */
  recordReply(agent: Agent, at: number): void {
    if (this.unansweredSince() === null) return;
    this.#write(
      `UPDATE cases SET first_reply_at = ?, agent_id = ?, agent_name = ?, version = ? WHERE ${UNANSWERED}`,
      at,
      agent.id,
      agent.name,
      this.#touch(),
    );
  }

  /** Returns when the oldest question without a reply was asked, in ms, or null if there is none. */
  unansweredSince(): number | null {
    return this.#read().unansweredSince;
  }

  /** Returns the number of the open case, or null. */
  openNo(): number | null {
    return this.#open()?.no ?? null;
  }

  close(at: number, version: number): void {
    this.#write("UPDATE cases SET closed_at = ?, version = ? WHERE closed_at IS NULL", at, version);
  }

  /** Rates the last case. */
  recordRating(rating: Rating, at: number): void {
    this.#write(
      "UPDATE cases SET rating = ?, rated_at = ?, version = ? WHERE no = (SELECT max(no) FROM cases)",
      rating,
      at,
      this.#touch(),
    );
  }

  changedSince(version: number): Case[] {
    return this.#all(`SELECT ${CASE_COLUMNS} FROM cases WHERE version > ? ORDER BY no`, version);
  }

  adopt(cases: Case[], version: number): void {
    for (const one of cases) {
      this.#write(
        `INSERT INTO cases (started_at, first_reply_at, agent_id, agent_name, closed_at, rating, rated_at, version)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        one.started_at,
        one.first_reply_at,
        one.agent_id,
        one.agent_name,
        one.closed_at,
        one.rating,
        one.rated_at,
        version,
      );
    }
  }

  #open(): Case | null {
    return this.#read().open;
  }

  #read() {
    this.#cached ??= {
      open: this.#all(`SELECT ${CASE_COLUMNS} FROM cases WHERE closed_at IS NULL ORDER BY no DESC LIMIT 1`)[0] ?? null,
      unansweredSince:
        selectRows<{ at: number | null }>(this.#sql, `SELECT min(started_at) AS at FROM cases WHERE ${UNANSWERED}`)[0]
          ?.at ?? null,
    };
    return this.#cached;
  }

  #write(query: string, ...bindings: SqlStorageValue[]): void {
    this.#cached = null;
    this.#sql.exec(query, ...bindings);
  }

  #all(query: string, ...bindings: SqlStorageValue[]): Case[] {
    return selectRows<Case>(this.#sql, query, ...bindings);
  }
}
