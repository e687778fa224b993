import type { UnreadReplies } from "#app/support/email/unread-reply-email.ts";
import type { Agent } from "#app/support/protocol/console-frames.ts";
import type {
  Ack,
  History,
  ReadSeq,
  Side,
  SupportFile,
  SupportMessage,
  SupportSession,
} from "#app/support/protocol/frames.ts";
import type { Identity } from "#app/support/protocol/identity.ts";
import { ConversationTriage, type TriageHandover } from "./conversation-triage.server.ts";
import { type Authored, RoomMessages } from "./room-messages.server.ts";
import { BOT_NAME, SYSTEM_AUTHOR, WELCOME_CLIENT_ID, welcomeText } from "./welcome-message.ts";

/** Should the mailer be cut off, another one may try after this. */
const MAIL_LEASE_MS = 10 * 60_000;

/** The session as its room keeps it: what the world sees, and how far D1 has followed. */
export type RoomSession = SupportSession & {
  epoch: string;
  user_id: string | null;
  user_read_seq: number;
  agent_read_seq: number;
  created_at: number;
  /** Counts changes of this row; D1 has seen those up to `stored_version`. */
  version: number;
  stored_version: number;
  /** D1 has every message up to this one. */
  stored_seq: number;
};

/** A whole conversation on its way into another room. */
export type Handover = {
  session: RoomSession;
  messages: Authored[];
  triage: TriageHandover;
};

export type StartDetails = {
  sessionId: string;
  userId: string | null;
  name: string;
  email: string | null;
  /** Of the site as the visitor sees it. */
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
`;

/** One conversation in the room's own SQLite. Everything is synchronous, so nothing can come in between. */
export class RoomStore {
  /** How the team handles it. */
  readonly triage: ConversationTriage;
  readonly messages: RoomMessages;
  readonly #sql: SqlStorage;
  #session: RoomSession | null = null;
  #handedTo: string | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.messages = new RoomMessages(sql);
    this.triage = new ConversationTriage(sql, () => this.#touch());
    this.create();
  }

  create(): void {
    this.#sql.exec(SCHEMA);
    this.messages.create();
    this.triage.create();
    this.#reload();
  }

  /** Null until the chat has been started, and after it has gone over to another room. */
  get session(): RoomSession | null {
    return this.#handedTo === null ? this.#session : null;
  }

  /** The session that this conversation has gone over to. */
  get handedTo(): string | null {
    return this.#handedTo;
  }

  get readSeq(): ReadSeq {
    return { user: this.#session?.user_read_seq ?? 0, admin: this.#session?.agent_read_seq ?? 0 };
  }

  /** Starts the conversation, or takes the new name and email (an old email is kept if none is given) and opens it. */
  open(opening: StartDetails, now: number): RoomSession {
    this.#sql.exec(
      `INSERT INTO session (id, epoch, session_id, user_id, user_name, user_email, status, created_at, updated_at)
       VALUES (1, ?, ?, ?, ?, ?, 'open', ?, ?)
       ON CONFLICT (id) DO UPDATE SET user_name = excluded.user_name,
         user_email = coalesce(excluded.user_email, user_email),
         status = CASE WHEN ? THEN status ELSE 'open' END,
         updated_at = excluded.updated_at, version = version + 1`,
      crypto.randomUUID(),
      opening.sessionId,
      opening.userId,
      opening.name,
      opening.email,
      now,
      now,
      this.triage.blocked ? 1 : 0,
    );
    if (opening.origin) this.triage.setOrigin(opening.origin);
    this.addBotMessage(WELCOME_CLIENT_ID, welcomeText(opening.name), now);
    // The welcome alone is nothing for an agent to read.
    if (this.messages.lastSeq === 1) this.#sql.exec("UPDATE session SET agent_read_seq = 1 WHERE agent_read_seq = 0");
    return this.#reload() ?? fail("the session was not stored");
  }

  /** What comes after `since`, or everything when there is no such message. Null: no conversation. */
  history(since: number): History | null {
    const session = this.session;
    if (!session) return null;
    const { lastSeq } = this.messages;
    // A mark beyond the end belongs to a conversation that was erased.
    const from = since > 0 && since <= lastSeq ? since : 0;
    const messages = this.messages.after(from);
    return { epoch: session.epoch, session: publicSession(session), lastSeq, readSeq: this.readSeq, messages };
  }

  /** The first acknowledgement again when this author has used the client id before. */
  append(
    from: Identity,
    said: { clientId: string; body: string; file?: SupportFile },
    now: number,
  ): { message: SupportMessage; repeated: boolean } {
    const session = this.#session ?? fail("no conversation");
    const inserted = this.messages.insert(from.author, {
      client_id: said.clientId,
      sender_type: from.side,
      sender_name: from.side === "user" ? session.user_name : from.name,
      message: said.body,
      created_at: now,
      ...(said.file && { file: said.file }),
    });
    if (inserted) {
      this.triage.said(from, inserted);
      return { message: inserted, repeated: false };
    }
    const first = this.messages.find(from.author, said.clientId);
    return { message: first ?? fail("a repeated message is gone"), repeated: true };
  }

  /** The same twice in a row is said once. */
  addBotMessage(clientId: string, body: string, now: number): SupportMessage | null {
    const message = { client_id: clientId, sender_name: BOT_NAME, message: body, created_at: now };
    return this.messages.insert(SYSTEM_AUTHOR, { ...message, sender_type: "system" });
  }

  /** False when the mark was there already, or beyond the last message. */
  markRead(side: Side, seq: number): boolean {
    const mark = Math.min(seq, this.messages.lastSeq);
    if (!this.#session || mark <= this.readSeq[side]) return false;
    const column = side === "user" ? "user_read_seq" : "agent_read_seq";
    this.#sql.exec(`UPDATE session SET ${column} = ?, version = version + 1`, mark);
    this.#reload();
    return true;
  }

  /** False when it has that status already. `by`: null when a message did it. */
  setStatus(status: SupportSession["status"], by: Agent | null, now: number): boolean {
    if (!this.#session || this.#session.status === status) return false;
    this.#sql.exec("UPDATE session SET status = ?, updated_at = ?", status, now);
    this.triage.statusSet(status, by, now);
    return true;
  }

  /** What to mail a visitor who has left. Null: nothing, or somebody is mailing it already. */
  claimUnreadReplies(now: number): UnreadReplies | null {
    const session = this.session;
    if (!session?.user_email || this.triage.emailedSeq > session.user_read_seq) return null;
    const unread = this.messages.after(session.user_read_seq).filter(({ sender_type }) => sender_type === "admin");
    const last = unread.at(-1);
    if (!last || !this.triage.leaseEmail(now, now + MAIL_LEASE_MS)) return null;
    return { email: session.user_email, name: session.user_name, origin: this.triage.origin, unread, upTo: last.seq };
  }

  /** Everything in here, for the one session that it goes over to. May be asked for again by that one. */
  handOver(to: string): Handover | null {
    if (!this.#session || (this.#handedTo !== null && this.#handedTo !== to)) return null;
    if (this.#handedTo === null) this.#sql.exec("INSERT INTO handed_over VALUES (?)", to);
    this.#reload();
    const triage = this.triage.handOver(this.#session.stored_version);
    return { session: this.#session, messages: this.messages.all(), triage };
  }

  /** Takes in another conversation of the same person, after what is here. Answers what is new. */
  adopt(owner: { sessionId: string; userId: string }, { session, messages, triage }: Handover): SupportMessage[] {
    this.#sql.exec(
      `INSERT INTO session (id, epoch, session_id, user_id, user_name, user_email, status, user_read_seq,
         agent_read_seq, created_at, updated_at)
       VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET version = version + 1, updated_at = max(updated_at, excluded.updated_at),
         status = CASE WHEN 'open' IN (status, excluded.status) THEN 'open' ELSE 'closed' END`,
      crypto.randomUUID(),
      owner.sessionId,
      owner.userId,
      session.user_name,
      session.user_email,
      session.status,
      session.user_read_seq,
      session.agent_read_seq,
      session.created_at,
      session.updated_at,
    );
    this.#reload();
    this.triage.adopt(session.session_id, triage);
    // With the new author, so that a browser which never got its acknowledgement may send it again in here.
    return messages.flatMap(({ author, message }) => {
      const adopted = this.messages.insert(message.sender_type === "user" ? owner.sessionId : author, message);
      return adopted ? [adopted] : [];
    });
  }

  hasUnstored(): boolean {
    const session = this.session;
    return session !== null && (session.stored_seq < this.messages.lastSeq || session.stored_version < session.version);
  }

  /** The next messages that D1 has not got, oldest first. */
  unstored(limit: number): SupportMessage[] {
    return this.messages.after(this.#session?.stored_seq ?? 0, limit);
  }

  markStored(version: number, seq: number): void {
    this.#sql.exec("UPDATE session SET stored_version = ?, stored_seq = max(stored_seq, ?)", version, seq);
    this.triage.forgetStored(version);
    this.#reload();
  }

  /** Counts a change that D1 has to follow; answers the new version. */
  #touch(): number {
    this.#sql.exec("UPDATE session SET version = version + 1");
    return this.#reload()?.version ?? fail("no conversation");
  }

  #reload(): RoomSession | null {
    this.#session = this.#one<RoomSession>("SELECT * FROM session");
    this.#handedTo = this.#one<{ id: string }>("SELECT to_session_id AS id FROM handed_over")?.id ?? null;
    return this.#session;
  }

  #one<T extends object>(query: string, ...bindings: SqlStorageValue[]): T | null {
    return this.#all<T>(query, ...bindings)[0] ?? null;
  }

  #all<T extends object>(query: string, ...bindings: SqlStorageValue[]): T[] {
    return this.#sql.exec(query, ...bindings).toArray() as unknown as T[];
  }
}

export function publicSession(session: RoomSession): SupportSession {
  const { session_id, user_name, user_email, status, updated_at } = session;
  return { session_id, user_name, user_email, status, updated_at };
}

export function ackOf(message: SupportMessage): Ack {
  return { clientId: message.client_id, seq: message.seq, created_at: message.created_at };
}

function fail(reason: string): never {
  throw new Error(reason);
}
