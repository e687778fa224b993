import { type Agent, type Note, TAGS_MAX, type Triage } from "#app/support/protocol/console-frames.ts";
import type { SupportMessage, SupportSession } from "#app/support/protocol/frames.ts";
import type { Identity } from "#app/support/protocol/identity.ts";
import type { Rating } from "#app/support/protocol/rating.ts";
import { type Case, RoomCases } from "./room-cases.server.ts";

/** Done by one of the team, on its way into the audit log. */
export type AuditEntry = { id: number; actor: Agent; action: string; detail: Record<string, unknown> };

/** What D1 gets beside the session and its messages. */
export type Stored = Unstored & { triage: Triage; emailedSeq: number };
export type Unstored = { notes: Note[]; cases: Case[]; auditEntries: AuditEntry[] };
export type TriageHandover = Unstored & { triage: Triage; origin: string };

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS triage (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    assignee_id TEXT,
    assignee_name TEXT,
    tags TEXT NOT NULL DEFAULT '[]',
    blocked INTEGER NOT NULL DEFAULT 0,
    emailed_seq INTEGER NOT NULL DEFAULT 0,
    mail_leased_until INTEGER NOT NULL DEFAULT 0,
    origin TEXT NOT NULL DEFAULT ''
  ) STRICT;
  INSERT OR IGNORE INTO triage (id) VALUES (1);
  CREATE TABLE IF NOT EXISTS notes (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    author_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    author_name TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    UNIQUE (author_id, client_id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS audit_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL,
    version INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS adopted (session_id TEXT PRIMARY KEY) STRICT;
`;
const NOTE_COLUMNS = "no, author_id, author_name, body, created_at";

type TriageRow = {
  assignee_id: string | null;
  assignee_name: string | null;
  tags: string;
  blocked: number;
  emailed_seq: number;
  mail_leased_until: number;
  origin: string;
};

/**
 * How the team handles one conversation, in the room's own SQLite: who has it, its tags, notes, cases, and the acts that
 * the audit log has yet to get. `touch` counts a change of the session and answers its version: D1 takes what is newer
 * than the version it has.
 */
export class ConversationTriage {
  readonly #sql: SqlStorage;
  readonly #touch: () => number;
  readonly #cases: RoomCases;
  #cachedRow: TriageRow | null = null;

  constructor(sql: SqlStorage, touch: () => number) {
    this.#sql = sql;
    this.#touch = touch;
    this.#cases = new RoomCases(sql, touch);
  }

  create(): void {
    this.#write(SCHEMA);
    this.#cases.create();
  }

  get state(): Triage {
    const { assignee_id: id, assignee_name: name, tags, blocked } = this.#row();
    return { assignee: id === null ? null : { id, name: name ?? "" }, tags: JSON.parse(tags), blocked: blocked === 1 };
  }

  get blocked(): boolean {
    return this.#row().blocked === 1;
  }

  get emailedSeq(): number {
    return this.#row().emailed_seq;
  }

  /** Where the visitor started it, for the link of a mail. */
  get origin(): string {
    return this.#row().origin;
  }

  setOrigin(origin: string): void {
    if (origin !== this.origin) this.#write("UPDATE triage SET origin = ?", origin);
  }

  /** A message is there: it opens a case, or answers one, and whoever answers what nobody has takes it. */
  said(from: Identity, message: SupportMessage): void {
    if (from.side === "user") {
      this.#cases.asked(message.created_at);
      return;
    }
    const agent = { id: from.author, name: from.name };
    this.#cases.answered(agent, message.created_at);
    if (this.#row().assignee_id === null) this.assign(agent, agent, { by: "answering" });
  }

  /** False when that is so already. */
  assign(assignee: Agent | null, by: Agent, more: Record<string, unknown> = {}): boolean {
    const before = this.state.assignee;
    if (before?.id === assignee?.id) return false;
    const version = this.#touch();
    this.#write("UPDATE triage SET assignee_id = ?, assignee_name = ?", assignee?.id ?? null, assignee?.name ?? null);
    this.#audit(version, by, "conversation.assign", {
      assignee: [before?.name ?? null, assignee?.name ?? null],
      ...more,
    });
    return true;
  }

  /** One tag however it is written. False when nothing changes, or there are as many as there may be. */
  setTag(tag: string, isOn: boolean, by: Agent): boolean {
    const before = this.state.tags;
    const others = before.filter((one) => one.toLowerCase() !== tag.toLowerCase());
    const after = isOn ? [...others, tag].sort() : others;
    if (after.join() === before.join() || (isOn && after.length > TAGS_MAX)) return false;
    const version = this.#touch();
    this.#write("UPDATE triage SET tags = ?", JSON.stringify(after));
    this.#audit(version, by, "conversation.tags", { tags: [before.join(", "), after.join(", ")] });
    return true;
  }

  setBlocked(blocked: boolean, by: Agent): boolean {
    if (this.blocked === blocked) return false;
    const version = this.#touch();
    this.#write("UPDATE triage SET blocked = ?", blocked ? 1 : 0);
    this.#audit(version, by, blocked ? "conversation.block" : "conversation.unblock", {});
    return true;
  }

  /** `by`: null when a new message did it. */
  statusSet(status: SupportSession["status"], by: Agent | null, now: number): void {
    const version = this.#touch();
    if (status === "closed") this.#cases.close(now, version);
    if (by) this.#audit(version, by, status === "closed" ? "conversation.close" : "conversation.reopen", {});
  }

  rated(rating: Rating, now: number): void {
    this.#cases.rated(rating, now);
  }

  /** Null when this author has used the client id before. */
  addNote(by: Agent, said: { clientId: string; body: string }, now: number): Note | null {
    const version = this.#touch();
    const [note] = this.#all<Note>(
      `INSERT INTO notes (author_id, client_id, author_name, body, created_at, version) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (author_id, client_id) DO NOTHING RETURNING ${NOTE_COLUMNS}`,
      by.id,
      said.clientId,
      by.name,
      said.body,
      now,
      version,
    );
    if (note) this.#audit(version, by, "conversation.note", { note: note.no });
    return note ?? null;
  }

  notes(): Note[] {
    return this.#all<Note>(`SELECT ${NOTE_COLUMNS} FROM notes ORDER BY no`);
  }

  /** False: somebody else is about to mail. The lease ends by itself, should the mailer be cut off. */
  leaseEmail(now: number, untilMs: number): boolean {
    if (this.#row().mail_leased_until > now) return false;
    this.#write("UPDATE triage SET mail_leased_until = ?", untilMs);
    return true;
  }

  mailed(seq: number): void {
    this.#write("UPDATE triage SET emailed_seq = max(emailed_seq, ?), mail_leased_until = 0", seq);
    this.#touch();
  }

  snapshot(): { triage: Triage; emailedSeq: number } {
    return { triage: this.state, emailedSeq: this.emailedSeq };
  }

  unstored(storedVersion: number): Unstored {
    return {
      notes: this.#all<Note>(`SELECT ${NOTE_COLUMNS} FROM notes WHERE version > ? ORDER BY no`, storedVersion),
      cases: this.#cases.changedSince(storedVersion),
      auditEntries: this.#all<{ id: number; actor_id: string; actor_name: string; action: string; detail: string }>(
        "SELECT id, actor_id, actor_name, action, detail FROM audit_entries WHERE version > ? ORDER BY id",
        storedVersion,
      ).map(({ id, actor_id, actor_name, action, detail }) => ({
        id,
        actor: { id: actor_id, name: actor_name },
        action,
        detail: JSON.parse(detail) as Record<string, unknown>,
      })),
    };
  }

  /** The log has those entries; nobody reads them here. */
  forgetStored(version: number): void {
    this.#write("DELETE FROM audit_entries WHERE version <= ?", version);
  }

  handOver(storedVersion: number): TriageHandover {
    const { auditEntries } = this.unstored(storedVersion);
    return { ...this.unstored(0), auditEntries, triage: this.state, origin: this.origin };
  }

  /** What is here already is not taken twice. */
  adopt(from: string, handed: TriageHandover): void {
    const first = this.#all("INSERT INTO adopted VALUES (?) ON CONFLICT DO NOTHING RETURNING session_id", from);
    if (first.length === 0) return;
    const version = this.#touch();
    const own = this.state;
    const { assignee, tags, blocked } = handed.triage;
    const kept = own.assignee ?? assignee;
    if (this.origin === "") this.setOrigin(handed.origin);
    this.#write(
      "UPDATE triage SET assignee_id = ?, assignee_name = ?, tags = ?, blocked = ?",
      kept?.id ?? null,
      kept?.name ?? null,
      JSON.stringify([...new Set([...own.tags, ...tags])].sort()),
      own.blocked || blocked ? 1 : 0,
    );
    for (const note of handed.notes) {
      this.#write(
        "INSERT INTO notes (author_id, client_id, author_name, body, created_at, version) VALUES (?, ?, ?, ?, ?, ?)",
        note.author_id,
        `${from}:${note.no}`,
        note.author_name,
        note.body,
        note.created_at,
        version,
      );
    }
    this.#cases.adopt(handed.cases, version);
    for (const { actor, action, detail } of handed.auditEntries) this.#audit(version, actor, action, detail);
  }

  #audit(version: number, by: Agent, action: string, detail: Record<string, unknown>): void {
    this.#write(
      "INSERT INTO audit_entries (actor_id, actor_name, action, detail, version) VALUES (?, ?, ?, ?, ?)",
      by.id,
      by.name,
      action,
      JSON.stringify(detail),
      version,
    );
  }

  #row(): TriageRow {
    this.#cachedRow ??= this.#all<TriageRow>("SELECT * FROM triage")[0] ?? null;
    if (!this.#cachedRow) throw new Error("the room has no triage");
    return this.#cachedRow;
  }

  // Each message asks for the row, so it is remembered until something is written.
  #write(query: string, ...bindings: SqlStorageValue[]): void {
    this.#cachedRow = null;
    this.#sql.exec(query, ...bindings);
  }

  #all<T extends object>(query: string, ...bindings: SqlStorageValue[]): T[] {
    return this.#sql.exec(query, ...bindings).toArray() as unknown as T[];
  }
}
