import type { UnreadReplies } from "#app/support/email/unread-reply-email.ts";
import type { Agent, VisitedPage, VisitorDetails } from "#app/support/protocol/console-frames.ts";
import type {
  Ack,
  History,
  ReadSeq,
  Side,
  SupportFile,
  SupportMessage,
  SupportSession,
} from "#app/support/protocol/frames.ts";
import { HISTORY_MAX_MESSAGES, type HistoryPart } from "#app/support/protocol/history-query.ts";
import type { Identity } from "#app/support/protocol/identity.ts";
import { MINUTE_MS } from "#app/time.ts";
import { ConversationTriage, type TriageHandover } from "./conversation-triage.server.ts";
import { type StoredConversation, writeStoredConversation } from "./rebuild/stored-conversation.server.ts";
import { type Authored, RoomMessages } from "./room-messages.server.ts";
import { publicSession, type RoomSession, SessionRow, type StartDetails } from "./session-row.server.ts";
import { RoomVisitor } from "./visitor/room-visitor.server.ts";
import { BOT_NAME, SYSTEM_AUTHOR, WELCOME_CLIENT_ID, welcomeText } from "./welcome-message.ts";

/** How long one mailer run holds a conversation before another may try. */
const EMAIL_LEASE_MS = 10 * MINUTE_MS;
/** So many messages without a reply are looked through again. Fewer would write a row for each message. */
const SEARCHED_AGAIN_MAX = 50;

export type MessageInput = { clientId: string; body: string; file?: SupportFile };

/** A whole conversation on its way into another room. */
export type Handover = { session: RoomSession; messages: Authored[]; triage: TriageHandover; visitor: VisitorDetails };

/** One conversation in the room's own SQLite. All of it is synchronous, so no other event can run in between. */
export class RoomStore {
  readonly triage: ConversationTriage;
  readonly messages: RoomMessages;
  readonly visitor: RoomVisitor;
  readonly #session: SessionRow;
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#session = new SessionRow(sql);
    this.messages = new RoomMessages(sql);
    this.triage = new ConversationTriage(sql, () => this.#session.touch());
    this.visitor = new RoomVisitor(sql);
    this.create();
  }

  create(): void {
    this.#session.create();
    this.messages.create();
    this.triage.create();
    this.visitor.create();
  }

  /** Holds the conversation. It is null before the chat starts and after the conversation ends. */
  get session(): RoomSession | null {
    return this.hasEnded ? null : this.#session.row;
  }

  /** Whether the conversation was handed over to another room or is being deleted. */
  get hasEnded(): boolean {
    return this.handedOverTo !== null || this.deletedId !== null;
  }

  /** The session that has taken over this conversation. */
  get handedOverTo(): string | null {
    return this.#session.handedOverTo;
  }

  /** The session id of a conversation that must be deleted, from D1 first. */
  get deletedId(): string | null {
    return this.#session.deletedId;
  }

  get readSeq(): ReadSeq {
    return this.#session.readSeq;
  }

  /** Starts the conversation, or updates the name and email of one that exists and opens it unless it is blocked. */
  start(details: StartDetails, now: number): void {
    this.#session.start(details, { keepsStatus: this.triage.isBlocked, now });
    if (details.origin) this.triage.setOrigin(details.origin);
    this.addBotMessage(WELCOME_CLIENT_ID, welcomeText(details.name), now);
    if (this.messages.lastSeq === 1) this.#session.markWelcomeRead();
  }

  /** The session as its visitor and the team see it. */
  get publicSession(): SupportSession | null {
    return this.session && publicSession(this.session, this.triage.isBlocked);
  }

  /**
   * Returns the messages after `since`, from the start if there is no such message, or the part of them. `last` leaves out
   * what does not fit a page. Null without a conversation.
   */
  history(since: number, { last = null, before = null }: Partial<HistoryPart> = {}): History | null {
    const session = this.session;
    if (!session) return null;
    const { lastSeq } = this.messages;
    // A seq beyond the end belongs to a conversation that was deleted.
    const from = since > 0 && since <= lastSeq ? since : 0;
    // A browser that missed more than a page was away for long: it goes on with the newest.
    const isFar = from === 0 || lastSeq - from > HISTORY_MAX_MESSAGES;
    const isPage = before !== null || (isFar && last !== null);
    const most = Math.ceil(Math.min(last ?? HISTORY_MAX_MESSAGES, HISTORY_MAX_MESSAGES));
    return {
      epoch: session.epoch,
      session: publicSession(session, this.triage.isBlocked),
      lastSeq,
      readSeq: this.readSeq,
      messages: isPage ? this.messages.before(before ?? lastSeq + 1, most) : this.messages.after(from),
    };
  }

  /** Stores a message. Returns the stored one, marked as repeated, if this author has used the client id before. */
  append(from: Identity, input: MessageInput, now: number): { message: SupportMessage; repeated: boolean } {
    const session = this.#session.row ?? fail("no conversation");
    const inserted = this.messages.insert(from.author, {
      client_id: input.clientId,
      sender_type: from.side,
      sender_name: from.side === "user" ? session.user_name : from.name,
      message: input.body,
      created_at: now,
      ...(input.file && { file: input.file }),
    });
    if (inserted) {
      this.triage.recordMessage(from, inserted);
      return { message: inserted, repeated: false };
    }
    const first = this.messages.find(from.author, input.clientId);
    return { message: first ?? fail("a repeated message is missing"), repeated: true };
  }

  /** Returns null if the bot has used the client id before. */
  addBotMessage(clientId: string, body: string, now: number): SupportMessage | null {
    const message = { client_id: clientId, sender_name: BOT_NAME, message: body, created_at: now };
    return this.messages.insert(SYSTEM_AUTHOR, { ...message, sender_type: "system" });
  }

  /** Returns false if `side` had read that far already. A seq beyond the last message counts as the last. */
  markRead(side: Side, seq: number): boolean {
    const readTo = Math.min(seq, this.messages.lastSeq);
    if (!this.#session.row || readTo <= this.readSeq[side]) return false;
    this.#session.markRead(side, readTo);
    return true;
  }

  /** Returns false if it has that status already. `by`: null if a message reopened it. */
  setStatus(status: SupportSession["status"], by: Agent | null, now: number): boolean {
    const session = this.#session.row;
    if (!session || session.status === status) return false;
    this.#session.setStatus(status, now);
    this.triage.recordStatus(status, by, now);
    if (status === "closed") this.visitor.forgetPages();
    return true;
  }

  /** Keeps a page that the visitor opened, while the conversation is open. Returns false if nothing changes. */
  addPage(page: VisitedPage, now: number): boolean {
    return this.session?.status === "open" && this.visitor.addPage(page, now);
  }

  /** Puts a conversation whose snooze has ended on top of its list, once. Returns whether it did. */
  wakeIfDue(now: number): boolean {
    const { session } = this;
    const { snoozedUntil } = this.triage.state;
    if (session?.status !== "open" || snoozedUntil === 0 || snoozedUntil > now) return false;
    if (session.updated_at >= snoozedUntil) return false;
    this.#session.moveUp(now);
    return true;
  }

  /** Returns false if the conversation has that address already, or there is none. */
  setEmail(email: string): boolean {
    if (!this.session || this.session.user_email === email) return false;
    this.#session.setEmail(email);
    return true;
  }

  /** Returns the replies to email to the visitor and leases them, or null if there are none or they are leased. */
  claimUnreadReplies(now: number): UnreadReplies | null {
    const session = this.session;
    if (!session?.user_email || this.triage.emailedSeq > session.user_read_seq) return null;
    const unread = this.messages.after(session.user_read_seq).filter(({ sender_type }) => sender_type === "admin");
    const last = unread.at(-1);
    if (!last || !this.triage.leaseEmail(now, now + EMAIL_LEASE_MS)) return null;
    const { user_email: email, user_name: name, user_read_seq: after } = session;
    return { email, name, origin: this.triage.origin, unread, after, upTo: last.seq };
  }

  /**
   * Closes this room for good and returns its conversation for the session `to`, which may ask again until it starts
   * the deletion. Null: there is none, or it went to another session.
   */
  handOver(to: string): Handover | null {
    const isElsewhere = this.handedOverTo !== null && this.handedOverTo !== to;
    if (!this.#session.row || isElsewhere || this.deletedId !== null) return null;
    if (this.handedOverTo === null) this.#session.handOverTo(to);
    const [triage, visitor] = [this.triage.handOver(), this.visitor.details()];
    return { session: this.#session.row, messages: this.messages.all(), triage, visitor };
  }

  /** Adds another conversation of the same person after what is here and returns the messages that are new. */
  adopt(
    owner: { sessionId: string; userId: string; email: string },
    { session, messages, triage, visitor }: Handover,
  ): SupportMessage[] {
    this.#session.adopt(owner, session);
    if (this.triage.adopt(session.session_id, triage)) this.visitor.adopt(visitor);
    // With the new author, so that a browser that never got its ack may send the message again to this room.
    const adopted = messages.flatMap(({ author, message }) => {
      const inserted = this.messages.insert(message.sender_type === "user" ? owner.sessionId : author, message);
      return inserted ? [inserted] : [];
    });
    // Old replies with new numbers. Their owner is here, because the conversation moves when they sign in.
    this.triage.markPushed(this.messages.lastSeq);
    return adopted;
  }

  /** Ends the conversation. Its rows stay until D1 has deleted its own, so that an interrupted deletion can resume. */
  startDeletion(sessionId: string): void {
    this.#session.startDeletion(sessionId);
  }

  /**
   * Compares the room with what a restored database has. A room that has as much stores all of its own there again. Another
   * one is lost or new: it gets the stored conversation, followed by what was written here since.
   */
  rebuild(stored: StoredConversation, origin: string): void {
    if (this.hasEnded) return;
    if (this.session && this.messages.lastSeq >= stored.session.lastSeq) {
      this.#session.markUnstored();
      return;
    }
    const later = this.messages.all().filter(({ message }) => message.client_id !== WELCOME_CLIENT_ID);
    const welcome = { author: SYSTEM_AUTHOR, clientId: WELCOME_CLIENT_ID };
    writeStoredConversation(this.#sql, stored, { welcome, origin });
    this.create();
    for (const { author, message } of later) {
      const inserted = this.messages.insert(author, message);
      const { sender_name: name } = message;
      if (inserted?.sender_type === "user") this.triage.recordMessage({ side: "user", author, name }, inserted);
    }
  }

  hasUnstored(): boolean {
    const session = this.session;
    return session !== null && (session.stored_seq < this.messages.lastSeq || session.stored_version < session.version);
  }

  /** Returns up to `limit` messages that D1 does not have, oldest first. */
  unstoredMessages(limit: number): SupportMessage[] {
    return this.messages.after(this.#session.row?.stored_seq ?? 0, limit);
  }

  markStored(version: number, seq: number): void {
    this.#session.markStored(version, seq);
  }

  /**
   * Returns the replies that the visitor has neither read nor been notified of, oldest first. Notes how far it has looked
   * in vain, so that looking doesn't take longer the more the visitor writes.
   */
  repliesToPush(): SupportMessage[] {
    if (!this.session) return [];
    const { lastSeq } = this.messages;
    const after = Math.max(this.triage.pushedSeq, this.readSeq.user);
    if (after >= lastSeq) return [];
    const replies = this.messages.repliesAfter(after);
    if (replies.length === 0 && lastSeq - after >= SEARCHED_AGAIN_MAX) this.triage.markPushed(lastSeq);
    return replies;
  }

  /** Returns the visitor's last message if it was not checked for an away message and no agent has replied, or null. */
  messageToCheck(): SupportMessage | null {
    const last = this.session && this.messages.lastFromPerson(this.#session.awayCheckedSeq);
    return last?.sender_type === "user" ? last : null;
  }

  markAwayChecked(seq: number): void {
    this.#session.markAwayChecked(seq);
  }

  /** Returns whether a question has neither its time for a reply nor its agent. */
  hasQuestionToSettle(): boolean {
    return this.session !== null && (this.triage.questionToSettle() ?? this.triage.caseForTurn()) !== null;
  }

  /** Returns whether the outbox has work: something to store, to check or to delete. */
  hasWork(): boolean {
    if (this.deletedId !== null) return true;
    if (!this.session) return false;
    if (this.hasQuestionToSettle()) return true;
    if (this.hasUnstored() || this.messageToCheck() !== null || this.triage.audit.pending().length > 0) return true;
    return this.repliesToPush().length > 0;
  }
}

export function ackOf(message: SupportMessage): Ack {
  return { clientId: message.client_id, seq: message.seq, created_at: message.created_at };
}

function fail(reason: string): never {
  throw new Error(reason);
}
