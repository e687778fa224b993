import type { SupportFile, SupportMessage } from "#app/support/protocol/frames.ts";
import { selectRows } from "./sql-rows.server.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS messages (
    seq INTEGER PRIMARY KEY,
    author TEXT NOT NULL,
    client_id TEXT NOT NULL,
    sender_type TEXT NOT NULL CHECK (sender_type IN ('user', 'admin', 'system')),
    sender_name TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (author, client_id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS files (
    seq INTEGER PRIMARY KEY REFERENCES messages (seq),
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    size INTEGER NOT NULL
  ) STRICT;
`;

// The text of a file's message is the file's name.
const MESSAGES = `SELECT messages.*, files.id AS file_id, files.type AS file_type, files.size AS file_size
  FROM messages LEFT JOIN files USING (seq)`;

/** A message with its author; client ids are unique per author. */
export type Authored = { author: string; message: SupportMessage };

type MessageRow = Omit<SupportMessage, "file"> & { author: string } & (
    | { file_id: string; file_type: string; file_size: number }
    | { file_id: null }
  );

/** The messages of one conversation and the metadata of their files, in the room's own SQLite. */
export class RoomMessages {
  readonly #sql: SqlStorage;
  #lastSeq = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  create(): void {
    this.#sql.exec(SCHEMA);
    this.#lastSeq = this.#all<{ seq: number | null }>("SELECT max(seq) AS seq FROM messages")[0]?.seq ?? 0;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Returns null if this author has used the client id before. */
  insert(author: string, message: Omit<SupportMessage, "seq">): SupportMessage | null {
    const [inserted] = this.#all<{ seq: number }>(
      `INSERT INTO messages (author, client_id, sender_type, sender_name, message, created_at)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (author, client_id) DO NOTHING RETURNING seq`,
      author,
      message.client_id,
      message.sender_type,
      message.sender_name,
      message.message,
      message.created_at,
    );
    if (!inserted) return null;
    this.#lastSeq = inserted.seq;
    const { file } = message;
    if (file) {
      this.#sql.exec("INSERT INTO files VALUES (?, ?, ?, ?)", inserted.seq, file.id, file.type, file.size);
    }
    return { ...message, seq: inserted.seq };
  }

  find(author: string, clientId: string): SupportMessage | null {
    return this.#read("WHERE author = ? AND client_id = ?", author, clientId)[0]?.message ?? null;
  }

  all(): Authored[] {
    return this.#read("ORDER BY seq");
  }

  /** Returns the messages after `seq`, oldest first. `limit`: -1 for all. */
  after(seq: number, limit = -1): SupportMessage[] {
    return this.#read("WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit).map(({ message }) => message);
  }

  /** Returns up to `limit` messages before `seq`, oldest first. */
  before(seq: number, limit: number): SupportMessage[] {
    return this.#read("WHERE seq < ? ORDER BY seq DESC LIMIT ?", seq, limit)
      .map(({ message }) => message)
      .reverse();
  }

  /** Returns the team's messages after `seq`, oldest first. */
  repliesAfter(seq: number): SupportMessage[] {
    const rest = "WHERE seq > ? AND sender_type = 'admin' ORDER BY seq";
    return this.#read(rest, seq).map(({ message }) => message);
  }

  /** Returns the last message of a visitor or an agent, if it comes after `seq`. */
  lastFromPerson(seq: number): SupportMessage | null {
    const rest = "WHERE seq > ? AND sender_type <> 'system' ORDER BY seq DESC LIMIT 1";
    return this.#read(rest, seq)[0]?.message ?? null;
  }

  file(id: string): SupportFile | null {
    return this.#read("WHERE files.id = ?", id)[0]?.message.file ?? null;
  }

  fileIds(): string[] {
    return this.#all<{ id: string }>("SELECT id FROM files").map(({ id }) => id);
  }

  #read(rest: string, ...bindings: SqlStorageValue[]): Authored[] {
    return this.#all<MessageRow>(`${MESSAGES} ${rest}`, ...bindings).map((row) => {
      const { seq, author, client_id, sender_type, sender_name, message, created_at } = row;
      const plain = { seq, client_id, sender_type, sender_name, message, created_at };
      if (row.file_id === null) return { author, message: plain };
      const file = { id: row.file_id, name: message, type: row.file_type, size: row.file_size };
      return { author, message: { ...plain, file } };
    });
  }

  #all<T extends object>(query: string, ...bindings: SqlStorageValue[]): T[] {
    return selectRows<T>(this.#sql, query, ...bindings);
  }
}
