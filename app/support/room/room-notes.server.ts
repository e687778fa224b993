import type { Agent, Note } from "#app/support/protocol/console-frames.ts";
import { selectRows } from "./sql-rows.server.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS notes (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    author_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    author_name TEXT NOT NULL,
    body TEXT NOT NULL,
    mentions TEXT NOT NULL DEFAULT '[]',
    created_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    UNIQUE (author_id, client_id)
  ) STRICT;
`;
const COLUMNS = "no, author_id, author_name, body, mentions, created_at";

/** Mentioned agents are stored as JSON. */
type NoteRow = Omit<Note, "mentions"> & { mentions: string };
export type NoteInput = { clientId: string; body: string; mentions?: Agent[] };

/** The team's notes on one conversation, in the room's own SQLite. `version`: the session's, with the change being made. */
export class RoomNotes {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  create(): void {
    this.#sql.exec(SCHEMA);
  }

  /** Returns null if this author has used the client id before. */
  add(by: Agent, input: NoteInput, version: number, now: number): Note | null {
    const [row] = selectRows<NoteRow>(
      this.#sql,
      `INSERT INTO notes (author_id, client_id, author_name, body, mentions, created_at, version)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (author_id, client_id) DO NOTHING RETURNING ${COLUMNS}`,
      by.id,
      input.clientId,
      by.name,
      input.body,
      JSON.stringify(input.mentions ?? []),
      now,
      version,
    );
    return row ? toNote(row) : null;
  }

  all(): Note[] {
    return this.changedSince(0);
  }

  changedSince(version: number): Note[] {
    const query = `SELECT ${COLUMNS} FROM notes WHERE version > ? ORDER BY no`;
    return selectRows<NoteRow>(this.#sql, query, version).map(toNote);
  }

  /** Adds the notes of the conversation `from`, whose numbers become part of their client ids. */
  adopt(from: string, notes: Note[], version: number): void {
    for (const note of notes) {
      this.#sql.exec(
        `INSERT INTO notes (author_id, client_id, author_name, body, mentions, created_at, version)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        note.author_id,
        `${from}:${note.no}`,
        note.author_name,
        note.body,
        JSON.stringify(note.mentions),
        note.created_at,
        version,
      );
    }
  }
}

function toNote(row: NoteRow): Note {
  return { ...row, mentions: JSON.parse(row.mentions) };
}
