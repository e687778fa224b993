import { type Agent, type Note, TAGS_MAX, type Triage } from "#app/support/protocol/console-frames.ts";
import type { SupportMessage, SupportSession } from "#app/support/protocol/frames.ts";
import type { Identity } from "#app/support/protocol/identity.ts";
import type { Rating } from "#app/support/protocol/rating.ts";
import { type AuditEntry, RoomAudit } from "./room-audit.server.ts";
import { type Case, RoomCases } from "./room-cases.server.ts";
import { type NoteInput, RoomNotes } from "./room-notes.server.ts";
import { selectRows } from "./sql-rows.server.ts";

/** Rows that D1 does not have yet. */
export type UnstoredTriage = { notes: Note[]; cases: Case[] };
/** Everything about triage that goes to the support database with the session and its messages. */
export type TriageToStore = UnstoredTriage & { triage: Triage; emailedSeq: number; respondBy: number };
export type TriageHandover = UnstoredTriage & { auditEntries: AuditEntry[]; triage: Triage; origin: string };

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS triage (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    assignee_id TEXT,
    assignee_name TEXT,
    tags TEXT NOT NULL DEFAULT '[]',
    blocked INTEGER NOT NULL DEFAULT 0,
    emailed_seq INTEGER NOT NULL DEFAULT 0,
    email_leased_until INTEGER NOT NULL DEFAULT 0,
    origin TEXT NOT NULL DEFAULT '',
    snoozed_until INTEGER NOT NULL DEFAULT 0,
    pushed_seq INTEGER NOT NULL DEFAULT 0,
    -- The question that respond_by was computed for, and the case whose turn was looked for.
    respond_since INTEGER NOT NULL DEFAULT 0,
    respond_by INTEGER NOT NULL DEFAULT 0,
    turn_case INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT OR IGNORE INTO triage (id) VALUES (1);
  CREATE TABLE IF NOT EXISTS adopted (session_id TEXT PRIMARY KEY) STRICT;
  CREATE TABLE IF NOT EXISTS saved_replies_used (
    author_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    PRIMARY KEY (author_id, client_id)
  ) STRICT, WITHOUT ROWID;
`;

type TriageRow = {
  assignee_id: string | null;
  assignee_name: string | null;
  tags: string;
  blocked: number;
  emailed_seq: number;
  email_leased_until: number;
  origin: string;
  snoozed_until: number;
  pushed_seq: number;
  respond_since: number;
  respond_by: number;
  turn_case: number;
};

/**
 * The team's side of one conversation, in the room's own SQLite: assignee, tags, block, notes, cases, and the entries
 * that the audit log does not have yet. `touch` counts a change of the session and returns its version: the support
 * database takes what is newer than the version it has.
 */
export class ConversationTriage {
  readonly audit: RoomAudit;
  readonly #sql: SqlStorage;
  readonly #touch: () => number;
  readonly #notes: RoomNotes;
  readonly #cases: RoomCases;
  #cachedRow: TriageRow | null = null;

  constructor(sql: SqlStorage, touch: () => number) {
    this.#sql = sql;
    this.#touch = touch;
    this.#notes = new RoomNotes(sql);
    this.#cases = new RoomCases(sql, touch);
    this.audit = new RoomAudit(sql);
  }

  create(): void {
    this.#write(SCHEMA);
    this.#notes.create();
    this.#cases.create();
    this.audit.create();
  }

  get state(): Triage {
    const { assignee_id: id, assignee_name: name, tags, blocked, snoozed_until: snoozedUntil } = this.#row();
    const assignee = id === null ? null : { id, name: name ?? "" };
    return { assignee, tags: JSON.parse(tags), blocked: blocked === 1, snoozedUntil };
  }

  get isBlocked(): boolean {
    return this.#row().blocked === 1;
  }

  /** By when the unanswered question is to be answered, in ms. 0: there is none, or no target. */
  get respondBy(): number {
    const { respond_since: since, respond_by: at } = this.#row();
    return since === this.#cases.unansweredSince() ? at : 0;
  }

  /** Returns when a question was asked that `setRespondBy` has not settled yet, in ms, or null. */
  questionToSettle(): number | null {
    const since = this.#cases.unansweredSince();
    return since === this.#row().respond_since ? null : since;
  }

  /** `at`: null if there is no target. */
  setRespondBy(since: number, at: number | null): void {
    if (at !== null) this.#touch();
    this.#write("UPDATE triage SET respond_since = ?, respond_by = ?", since, at ?? 0);
  }

  /** Returns the open case if nobody has replied to it, and `takeTurn` has not settled who has it, else null. */
  caseForTurn(): number | null {
    const no = this.#cases.openNo();
    const { blocked, turn_case: settled } = this.#row();
    const waits = no !== null && blocked === 0 && settled < no;
    return waits && this.#cases.unansweredSince() !== null ? no : null;
  }

  /**
   * Settles who has the case, unless somebody else than `from` was assigned meanwhile. `to`: null for nobody. Returns
   * whether that changes the assignee.
   */
  takeTurn(no: number, { from, to }: { from: Agent | null; to: Agent | null }): boolean {
    if (this.caseForTurn() !== no) return false;
    this.#write("UPDATE triage SET turn_case = ?", no);
    const by = to ?? from;
    return by !== null && this.state.assignee?.id === from?.id && this.assign(to, by, { by: to ? "turn" : "leaving" });
  }

  /** Replies up to this message were emailed. */
  get emailedSeq(): number {
    return this.#row().emailed_seq;
  }

  /** Notifications about replies up to this message, if there are any, are queued. */
  get pushedSeq(): number {
    return this.#row().pushed_seq;
  }

  markPushed(seq: number): void {
    this.#write("UPDATE triage SET pushed_seq = max(pushed_seq, ?)", seq);
  }

  /** Origin of the page where the visitor started the conversation, for links in emails. */
  get origin(): string {
    return this.#row().origin;
  }

  setOrigin(origin: string): void {
    if (origin !== this.origin) this.#write("UPDATE triage SET origin = ?", origin);
  }

  /** Opens a case for a visitor's message, which ends a snooze. Counts an agent's as the reply, and assigns an unassigned conversation. */
  recordMessage(from: Identity, message: SupportMessage): void {
    if (from.side === "user") {
      this.#cases.recordQuestion(message.created_at);
      this.#wake();
      return;
    }
    const agent = { id: from.author, name: from.name };
    this.#cases.recordReply(agent, message.created_at);
    // A reply takes the mark off a conversation that woke by itself.
    if (this.#row().snoozed_until <= message.created_at) this.#wake();
    if (this.#row().assignee_id === null) this.assign(agent, agent, { by: "answering" });
  }

  /** Returns false if nothing changes. */
  assign(assignee: Agent | null, by: Agent, more: Record<string, unknown> = {}): boolean {
    const before = this.state.assignee;
    if (before?.id === assignee?.id) return false;
    this.#touch();
    this.#write("UPDATE triage SET assignee_id = ?, assignee_name = ?", assignee?.id ?? null, assignee?.name ?? null);
    const change = [before?.name ?? null, assignee?.name ?? null];
    this.audit.add(by, "conversation.assign", { assignee: change, ...more });
    return true;
  }

  /** Adds or removes a tag; case does not distinguish tags. Returns false if nothing changes or the limit is reached. */
  setTag(tag: string, isOn: boolean, by: Agent): boolean {
    const before = this.state.tags;
    const others = before.filter((one) => one.toLowerCase() !== tag.toLowerCase());
    const after = isOn ? [...others, tag].sort() : others;
    if (after.join() === before.join() || (isOn && after.length > TAGS_MAX)) return false;
    this.#touch();
    this.#write("UPDATE triage SET tags = ?", JSON.stringify(after));
    this.audit.add(by, "conversation.tags", { tags: [before.join(", "), after.join(", ")] });
    return true;
  }

  hasRoomForTags(added: string[]): boolean {
    return new Set([...this.state.tags, ...added].map((tag) => tag.toLowerCase())).size <= TAGS_MAX;
  }

  /** Records that this author uses a saved reply. Returns false if the client id was used before. */
  claimReply(by: Agent, clientId: string): boolean {
    const claim = "INSERT INTO saved_replies_used VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING client_id";
    return selectRows(this.#sql, claim, by.id, clientId).length > 0;
  }

  /** Hides the conversation from the open lists until then, or shows it again: a time that has passed. */
  snooze(until: number, by: Agent, now: number): boolean {
    const snoozedUntil = until > now ? until : 0;
    const before = this.state.snoozedUntil;
    if (before === snoozedUntil) return false;
    this.#touch();
    this.#write("UPDATE triage SET snoozed_until = ?", snoozedUntil);
    this.audit.add(by, snoozedUntil > 0 ? "conversation.snooze" : "conversation.wake", {
      until: [before, snoozedUntil],
    });
    return true;
  }

  setBlocked(blocked: boolean, by: Agent): boolean {
    if (this.isBlocked === blocked) return false;
    this.#touch();
    this.#write("UPDATE triage SET blocked = ?", blocked ? 1 : 0);
    this.audit.add(by, blocked ? "conversation.block" : "conversation.unblock", {});
    return true;
  }

  /** `by`: null if a new message reopened the conversation. */
  recordStatus(status: SupportSession["status"], by: Agent | null, now: number): void {
    const version = this.#touch();
    if (status === "closed") {
      this.#cases.close(now, version);
      this.#wake();
    }
    if (by) this.audit.add(by, status === "closed" ? "conversation.close" : "conversation.reopen", {});
  }

  recordRating(rating: Rating, now: number): void {
    this.#cases.recordRating(rating, now);
  }

  /** Returns null if this author has used the client id before. */
  addNote(by: Agent, input: NoteInput, now: number): Note | null {
    const version = this.#touch();
    const note = this.#notes.add(by, input, version, now);
    if (note) this.audit.add(by, "conversation.note", { note: note.no });
    return note;
  }

  notes(): Note[] {
    return this.#notes.all();
  }

  /** Returns false if another run holds the lease. It expires by itself in case the mailer is interrupted. */
  leaseEmail(now: number, untilMs: number): boolean {
    if (this.#row().email_leased_until > now) return false;
    this.#write("UPDATE triage SET email_leased_until = ?", untilMs);
    return true;
  }

  markEmailed(seq: number): void {
    this.#write("UPDATE triage SET emailed_seq = max(emailed_seq, ?), email_leased_until = 0", seq);
    this.#touch();
  }

  toStore(storedVersion: number): TriageToStore {
    const { state: triage, emailedSeq, respondBy } = this;
    return { triage, emailedSeq, respondBy, ...this.#unstored(storedVersion) };
  }

  handOver(): TriageHandover {
    return { ...this.#unstored(0), auditEntries: this.audit.pending(), triage: this.state, origin: this.origin };
  }

  /**
   * Merges the triage of the conversation `from` into this one. Returns false if it was merged before. If `from` has an open
   * question, a snooze lasts no longer than it would have there.
   */
  adopt(from: string, handed: TriageHandover): boolean {
    const inserted = selectRows(
      this.#sql,
      "INSERT INTO adopted VALUES (?) ON CONFLICT DO NOTHING RETURNING session_id",
      from,
    );
    if (inserted.length === 0) return false;
    const version = this.#touch();
    const own = this.state;
    const { assignee, tags, blocked } = handed.triage;
    const kept = own.assignee ?? assignee;
    const hasQuestion = handed.cases.some(({ closed_at }) => closed_at === null);
    if (this.origin === "") this.setOrigin(handed.origin);
    this.#write(
      "UPDATE triage SET assignee_id = ?, assignee_name = ?, tags = ?, blocked = ?, snoozed_until = ?",
      kept?.id ?? null,
      kept?.name ?? null,
      JSON.stringify([...new Set([...own.tags, ...tags])].sort()),
      own.blocked || blocked ? 1 : 0,
      hasQuestion ? Math.min(own.snoozedUntil, handed.triage.snoozedUntil) : own.snoozedUntil,
    );
    this.#notes.adopt(from, handed.notes, version);
    this.#cases.adopt(handed.cases, version);
    for (const { actor, action, detail, key } of handed.auditEntries) this.audit.add(actor, action, detail, key);
    return true;
  }

  #wake(): void {
    if (this.state.snoozedUntil === 0) return;
    this.#touch();
    this.#write("UPDATE triage SET snoozed_until = 0");
  }

  #unstored(storedVersion: number): UnstoredTriage {
    return {
      notes: this.#notes.changedSince(storedVersion),
      cases: this.#cases.changedSince(storedVersion),
    };
  }

  #row(): TriageRow {
    this.#cachedRow ??= selectRows<TriageRow>(this.#sql, "SELECT * FROM triage")[0] ?? null;
    if (!this.#cachedRow) throw new Error("the room has no triage row");
    return this.#cachedRow;
  }

  // Every message reads the row, so it is cached until the next write.
  #write(query: string, ...bindings: SqlStorageValue[]): void {
    this.#cachedRow = null;
    this.#sql.exec(query, ...bindings);
  }
}
