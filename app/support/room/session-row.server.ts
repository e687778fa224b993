import type { ReadSeq, Side, SupportSession } from "#app/support/protocol/frames.ts";
import { selectRows } from "./sql-rows.server.ts";

/** A session as its room keeps it: the public fields, and how much of the conversation D1 has. */
export type RoomSession = SupportSession & {
  epoch: string;
  user_id: string | null;
  user_read_seq: number;
  agent_read_seq: number;
  created_at: number;
  /** Counts changes of this row; D1 has those up to `stored_version`. */
  version: number;
  stored_version: number;
  /** D1 has every message up to this one. */
  stored_seq: number;
};

export type StartDetails = {
  sessionId: string;
  userId: string | null;
  name: string;
  email: string | null;
  /** Origin of the site as the visitor sees it. */
  origin?: string;
};

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS session (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch TEXT NOT NULL,
    session_id TEXT NOT NULL,
    user_id TEXT,
    user_name TEXT NOT NULL,
    user_email TEXT,
    status TEXT NOT NULL CHECK (status IN ('open', 'closed')),
    user_read_seq INTEGER NOT NULL DEFAULT 0,
    agent_read_seq INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    stored_version INTEGER NOT NULL DEFAULT 0,
    stored_seq INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS handed_over (to_session_id TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS deletion (session_id TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS away_check (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL) STRICT;
  INSERT OR IGNORE INTO away_check VALUES (1, coalesce((SELECT stored_seq FROM session), 0));
`;

/** The one session row of a room, in its own SQLite, and how the conversation ended, if it did. */
export class SessionRow {
  readonly #sql: SqlStorage;
  #row: RoomSession | null = null;
  #handedOverTo: string | null = null;
  #deletedId: string | null = null;
  #awayCheckedSeq = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  create(): void {
    this.#sql.exec(SCHEMA);
    this.#reload();
  }

  /** Null until the chat is started. */
  get row(): RoomSession | null {
    return this.#row;
  }

  get handedOverTo(): string | null {
    return this.#handedOverTo;
  }

  get deletedId(): string | null {
    return this.#deletedId;
  }

  /** No message up to this one needs a check for an away message. */
  get awayCheckedSeq(): number {
    return this.#awayCheckedSeq;
  }

  get readSeq(): ReadSeq {
    return { user: this.#row?.user_read_seq ?? 0, admin: this.#row?.agent_read_seq ?? 0 };
  }

  /** Inserts the session, or updates its name and email (an old email is kept if none is given) and opens it. */
  start(details: StartDetails, { keepsStatus, now }: { keepsStatus: boolean; now: number }): void {
    this.#write(
      `INSERT INTO session (id, epoch, session_id, user_id, user_name, user_email, status, created_at, updated_at)
       VALUES (1, ?, ?, ?, ?, ?, 'open', ?, ?)
       ON CONFLICT (id) DO UPDATE SET user_name = excluded.user_name,
         user_email = coalesce(excluded.user_email, user_email),
         status = CASE WHEN ? THEN status ELSE 'open' END,
         updated_at = excluded.updated_at, version = version + 1`,
      crypto.randomUUID(),
      details.sessionId,
      details.userId,
      details.name,
      details.email,
      now,
      now,
      keepsStatus ? 1 : 0,
    );
  }

  /** Inserts the session of another room under a new owner, or merges it into this one. */
  adopt(owner: { sessionId: string; userId: string; email: string }, session: RoomSession): void {
    this.#write(
      `INSERT INTO session (id, epoch, session_id, user_id, user_name, user_email, status, user_read_seq,
         agent_read_seq, created_at, updated_at)
       VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET version = version + 1, updated_at = max(updated_at, excluded.updated_at),
         user_email = excluded.user_email,
         status = CASE WHEN 'open' IN (status, excluded.status) THEN 'open' ELSE 'closed' END`,
      crypto.randomUUID(),
      owner.sessionId,
      owner.userId,
      session.user_name,
      owner.email,
      session.status,
      session.user_read_seq,
      session.agent_read_seq,
      session.created_at,
      session.updated_at,
    );
  }

  /** Marks the welcome message as read by the team if nothing was: it alone is no reason to look. */
  markWelcomeRead(): void {
    this.#write("UPDATE session SET agent_read_seq = 1 WHERE agent_read_seq = 0");
  }

  markRead(side: Side, seq: number): void {
    const column = side === "user" ? "user_read_seq" : "agent_read_seq";
    this.#write(`UPDATE session SET ${column} = ?, version = version + 1`, seq);
  }

  setEmail(email: string): void {
    this.#write("UPDATE session SET user_email = ?, version = version + 1", email);
  }

  /** Does not count a new version: the caller touches the row. */
  setStatus(status: SupportSession["status"], now: number): void {
    this.#write("UPDATE session SET status = ?, updated_at = ?", status, now);
  }

  /** Moves the conversation to the top of its list. */
  moveUp(now: number): void {
    this.#write("UPDATE session SET updated_at = ?, version = version + 1", now);
  }

  handOverTo(sessionId: string): void {
    this.#write("INSERT INTO handed_over VALUES (?)", sessionId);
  }

  startDeletion(sessionId: string): void {
    this.#write("INSERT INTO deletion SELECT ? WHERE NOT EXISTS (SELECT 1 FROM deletion)", sessionId);
  }

  markAwayChecked(seq: number): void {
    this.#write("UPDATE away_check SET seq = max(seq, ?)", seq);
  }

  markStored(version: number, seq: number): void {
    this.#write("UPDATE session SET stored_version = ?, stored_seq = max(stored_seq, ?)", version, seq);
  }

  /** Has everything stored in D1 again. */
  markUnstored(): void {
    this.#write("UPDATE session SET stored_version = 0, stored_seq = 0, version = version + 1");
  }

  /** Counts a change that D1 has to follow and returns the new version. */
  touch(): number {
    this.#write("UPDATE session SET version = version + 1");
    if (!this.#row) throw new Error("no conversation");
    return this.#row.version;
  }

  #write(query: string, ...bindings: SqlStorageValue[]): void {
    this.#sql.exec(query, ...bindings);
    this.#reload();
  }

  #reload(): void {
    this.#row = selectRows<RoomSession>(this.#sql, "SELECT * FROM session")[0] ?? null;
    const [target] = selectRows<{ id: string }>(this.#sql, "SELECT to_session_id AS id FROM handed_over");
    this.#handedOverTo = target?.id ?? null;
    const [deletion] = selectRows<{ session_id: string }>(this.#sql, "SELECT session_id FROM deletion");
    this.#deletedId = deletion?.session_id ?? null;
    this.#awayCheckedSeq = selectRows<{ seq: number }>(this.#sql, "SELECT seq FROM away_check")[0]?.seq ?? 0;
  }
}

export function publicSession(session: RoomSession, isBlocked: boolean): SupportSession {
  const { session_id, user_name, user_email, status, updated_at } = session;
  return { session_id, user_name, user_email, status, updated_at, ...(isBlocked && { blocked: true }) };
}
