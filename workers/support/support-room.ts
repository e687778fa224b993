import { DurableObject } from "cloudflare:workers";
import { connectSupport } from "#app/db/db.server.ts";
import { log, logError, runLogged } from "#app/http/log.ts";
import { within } from "#app/http/within.ts";
import type { UnreadReplies } from "#app/support/email/unread-reply-email.ts";
import { withReadMentions } from "#app/support/inbox/mentions.server.ts";
import type { RoomAction } from "#app/support/protocol/agent-actions.server.ts";
import { CLOSE, replyCloseCode } from "#app/support/protocol/close-codes.ts";
import type { Agent, Note, VisitorDetails } from "#app/support/protocol/console-frames.ts";
import {
  type Ack,
  FRAME_MAX_CHARS,
  type History,
  PING,
  PONG,
  parseUp,
  type SupportFile,
  type SupportSession,
  type UpFrame,
} from "#app/support/protocol/frames.ts";
import { type HistoryPart, parseHistoryQuery } from "#app/support/protocol/history-query.ts";
import { decodeIdentity, IDENTITY_HEADER, type Identity } from "#app/support/protocol/identity.ts";
import type { Rating } from "#app/support/protocol/rating.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { readStoredConversation } from "#app/support/room/rebuild/stored-conversation.server.ts";
import { FILE_COST, RateLimits } from "#app/support/room/room-rate-limit.ts";
import { ackOf, type Handover, type MessageInput, RoomStore } from "#app/support/room/room-store.server.ts";
import type { StartDetails } from "#app/support/room/session-row.server.ts";
import { AgentReports } from "./agent-reports.ts";
import { RoomChanges } from "./room-changes.ts";
import { RoomConsole } from "./room-console.ts";
import { RoomFollowUps } from "./room-follow-ups.ts";
import { RoomOutbox } from "./room-outbox.ts";
import { RoomSockets } from "./sockets/room-sockets.ts";
import { SocketSessions } from "./sockets/socket-sessions.ts";

/** Sockets per side. Includes dead ones the runtime has not noticed yet. */
const SOCKETS_MAX = 200;
/** Messages in the `ready` frame. The rest of a long history follows one message at a time. */
const READY_MESSAGES = 200;
/** How long a handover waits at most for what only D1 knows. */
const LOOKUP_WITHIN_MS = 2000;
/** How long a call waits at most for D1 to have what an alarm stores anyway. */
const STORE_WITHIN_MS = 2000;
const BLOCKED_TEXT = "You can't send messages in this conversation.";

export type SendResult = { ok: true; ack: Ack } | { ok: false; reason: "gone" | "rate_limited" | "blocked" };

/** One support conversation: the calls and sockets that reach it. What they change is in `RoomChanges`. */
export class SupportRoom extends DurableObject<Env> {
  readonly #store: RoomStore;
  readonly #sockets: RoomSockets;
  readonly #console: RoomConsole;
  readonly #outbox: RoomOutbox;
  readonly #changes: RoomChanges;
  readonly #sessions: SocketSessions;
  readonly #agents: AgentReports;
  readonly #limits = new RateLimits();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = new RoomStore(ctx.storage.sql);
    this.#sockets = new RoomSockets(ctx);
    this.#sessions = new SocketSessions(ctx, env, this.#sockets);
    this.#agents = new AgentReports(ctx, env, this.#sockets);
    this.#console = new RoomConsole(this.#store, this.#sockets);
    const followUps = new RoomFollowUps(env, this.#store, this.#sockets, this.#console);
    this.#outbox = new RoomOutbox(ctx, env, this.#store, followUps);
    this.#changes = new RoomChanges(this.#store, this.#sockets, this.#console, this.#outbox);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** Accepts a socket. Only upgrades come this way, and the worker has authenticated the caller. */
  override async fetch(request: Request): Promise<Response> {
    const header = request.headers.get(IDENTITY_HEADER);
    const { searchParams } = new URL(request.url);
    const { since, ...part } = parseHistoryQuery(searchParams);
    const history = this.#store.history(since, part);
    if (header === null || !history) return new Response(null, { status: 404 });
    const identity = decodeIdentity(header);
    if (this.ctx.getWebSockets(identity.side).length >= SOCKETS_MAX) return new Response(null, { status: 429 });
    const { socket, response } = this.#sockets.accept(identity);
    this.#sendHistory(socket, history);
    this.#console.sendState(socket);
    this.#console.setLanguage(searchParams.get("language"));
    this.#broadcastPresence(null);
    this.ctx.waitUntil(this.#sessions.admit(socket, () => this.#agents.report(identity)));
    return response;
  }

  /** Creates or reuses the session. Returns null if the conversation was handed over or is being deleted. */
  open(details: StartDetails): SupportSession | null {
    if (this.#store.hasEnded) return null;
    this.#store.start(details, Date.now());
    return this.#changes.publishSession();
  }

  read(since: number, part: Partial<HistoryPart> = {}): History | null {
    return this.#store.history(since, part);
  }

  /** Returns what the room knows of its visitor's browser, or null without a conversation. */
  visitor(): VisitorDetails | null {
    return this.#store.session && this.#store.visitor.details();
  }

  /** Returns the session and the number of its last message without reading a message. */
  summary(): Pick<History, "session" | "lastSeq"> | null {
    const { publicSession: session, messages } = this.#store;
    return session && { session, lastSeq: messages.lastSeq };
  }

  /** Returns the session, after storing the account's address if it has changed. `accountEmail`: null for a visitor. */
  session(accountEmail: string | null = null): SupportSession | null {
    if (accountEmail !== null && this.#store.setEmail(accountEmail)) return this.#changes.publishSession();
    return this.#store.publicSession;
  }

  /** Stores the address that a visitor adds to the conversation. */
  setVisitorEmail(from: Identity, email: string): "ok" | "gone" | "blocked" {
    if (!this.#store.session) return "gone";
    if (this.#changes.refuses(from)) return "blocked";
    if (this.#store.setEmail(email)) this.#changes.publishSession();
    return "ok";
  }

  /** Does the same as a `send` frame, over HTTP. `admitted`: the limit has counted it already. */
  sendMessage(from: Identity, input: MessageInput, admitted: "admitted" | null = null): SendResult {
    if (!this.#store.session) return { ok: false, reason: "gone" };
    if (!admitted && this.#limits.take(from.author) !== "ok") return { ok: false, reason: "rate_limited" };
    if (this.#changes.refuses(from)) return { ok: false, reason: "blocked" };
    this.#sessions.checkDue();
    return { ok: true, ack: this.#changes.append(from, input, null) };
  }

  /** Returns whether this author has sent a message under the client id. */
  hasMessage({ author }: Identity, clientId: string): boolean {
    return this.#store.session !== null && this.#store.messages.find(author, clientId) !== null;
  }

  /** Does the same for an answer by email, whose writer has read what was emailed. Changes nothing if it is repeated. */
  sendByEmail(from: Identity, input: MessageInput, admitted: "admitted" | null = null): SendResult {
    const known = this.#store.session && this.#store.messages.find(from.author, input.clientId);
    if (known) return { ok: true, ack: ackOf(known) };
    const result = this.sendMessage(from, input, admitted);
    if (result.ok) this.#changes.markRead(from, this.#store.triage.emailedSeq);
    return result;
  }

  /** Says whether a file may be sent, before its bytes are read. `ack`: the room has it already. */
  admitFile(from: Identity, clientId: string): { ok: true; ack: Ack | null } | Extract<SendResult, { ok: false }> {
    if (!this.#store.session) return { ok: false, reason: "gone" };
    if (this.#changes.refuses(from)) return { ok: false, reason: "blocked" };
    if (this.#limits.take(from.author, FILE_COST) !== "ok") return { ok: false, reason: "rate_limited" };
    const known = this.#store.messages.find(from.author, clientId);
    return { ok: true, ack: known && ackOf(known) };
  }

  file(id: string): SupportFile | null {
    return this.#store.session && this.#store.messages.file(id);
  }

  rate(rating: Rating): boolean {
    return this.#changes.rate(rating);
  }

  /** Does the same as a `read` frame, over HTTP. */
  markRead(from: Identity, seq: number): void {
    this.#changes.markRead(from, seq);
  }

  setStatus(status: SupportSession["status"], by: Agent | null = null): void {
    this.#changes.setStatus(status, by);
  }

  /**
   * Applies an agent's action. Open connections see it at once; D1, and with it the lists and the audit log, has it when
   * this resolves, unless D1 doesn't answer within 2 s: then an alarm stores it. Returns false if there is no such
   * conversation, or if it has too many tags for the reply.
   */
  async applyAction(by: Agent, action: RoomAction): Promise<boolean> {
    if (!this.#store.session) return false;
    if (action.action === "status") this.setStatus(action.status, by);
    else if (action.action !== "reply") this.#console.apply(by, action);
    else if (!this.#changes.reply(by, action)) return false;
    if (action.action === "block") {
      // Someone who can't write has nothing more to say.
      if (action.blocked) this.#store.setStatus("closed", by, Date.now());
      this.#changes.publishSession();
      this.#console.broadcastVisitor();
    }
    // The alarm stores it if this call is interrupted, or waits no longer.
    this.#outbox.storeSoon();
    await within(STORE_WITHIN_MS, this.#outbox.storeNow());
    this.#changes.watchSnooze();
    return true;
  }

  /** Closes the sockets of these sessions of a user, of all for null. Returns whether the user has others here as an agent. */
  closeSessions(userId: string, sessionIds: string[] | null): boolean {
    this.#sockets.signOutSessions(userId, sessionIds);
    return this.#sockets.hasAgent(userId);
  }

  /** Returns the replies to email to a visitor who left before reading them, or null. */
  claimUnreadReplies(): UnreadReplies | null {
    return this.isVisitorHere() ? null : this.#store.claimUnreadReplies(Date.now());
  }

  isVisitorHere(): boolean {
    return this.#sockets.presence(null).user;
  }

  async markEmailed(upTo: number): Promise<void> {
    this.#store.triage.markEmailed(upTo);
    this.#outbox.storeSoon();
    await within(STORE_WITHIN_MS, this.#outbox.storeNow());
  }

  /**
   * Takes over the conversation that the account's owner had before signing in. Safe to repeat: it resumes after an
   * interruption and adds nothing twice.
   */
  async adopt({ userId, email }: { userId: string; email: string }, anonymousId: string): Promise<void> {
    if (this.#store.hasEnded) throw new Error("the account's conversation is being deleted");
    const from = () => this.env.SUPPORT_ROOM.getByName(anonymousId);
    const sessionId = userSessionId(userId);
    // The types of calls between objects don't know what an audit entry's detail is.
    const handed = (await from().handOver(sessionId)) as Handover | null;
    if (!handed) return;
    const triage = { ...handed.triage, notes: await this.#withReadMentions(anonymousId, handed.triage.notes) };
    const adopted = this.#store.adopt({ sessionId, userId, email }, { ...handed, triage });
    this.#changes.publishSession();
    this.#console.broadcastTriage();
    for (const message of adopted) this.#sockets.broadcast({ type: "message", message }, null);
    // The other room may delete only what is on disk here.
    await this.ctx.storage.sync();
    await from().finishHandover(anonymousId, sessionId);
  }

  /** Marks the mentions that were read before the handover, so that nobody is notified of them again. */
  async #withReadMentions(sessionId: string, notes: Note[]): Promise<Note[]> {
    try {
      const marking = withReadMentions(connectSupport(this.env.DB_SUPPORT), sessionId, notes);
      return (await within(LOOKUP_WITHIN_MS, marking)) ?? notes;
    } catch (error) {
      logError("looking up read mentions failed", error, { session_id: sessionId });
      return notes;
    }
  }

  /** Compares this room with a restored database, and brings whichever has less up to the other. Repeatable. */
  async rebuild(sessionId: string): Promise<void> {
    const stored = await readStoredConversation(connectSupport(this.env.DB_SUPPORT), sessionId);
    if (!stored) return;
    this.#store.rebuild(stored, this.env.PUBLIC_ORIGIN ?? "");
    this.#outbox.storeSoon();
  }

  /** Closes this room for good. Returns null if it is empty or another account has taken it over. */
  handOver(to: string): Handover | null {
    return this.#store.handOver(to);
  }

  /**
   * Deletes the conversation, here and in D1, and its files unless another room has them. Returns false if a database
   * could not be reached: an alarm then retries, and the conversation is gone for its visitor already.
   */
  async deleteConversation(sessionId: string): Promise<boolean> {
    const { handedOverTo } = this.#store;
    if (handedOverTo === null) this.#sockets.closeAll(CLOSE.gone, "deleted");
    else this.#sockets.closeAll(CLOSE.moved, handedOverTo);
    this.#store.startDeletion(sessionId);
    // The alarm deletes it if this call is interrupted.
    this.#outbox.storeSoon();
    await this.#outbox.storeNow();
    return this.#store.deletedId === null;
  }

  /** Deletes the conversation if it is closed and nothing happened in it since then. Returns whether it is gone. */
  async deleteIfClosedBefore(sessionId: string, before: number): Promise<boolean> {
    const { session, messages } = this.#store;
    if (session?.status !== "closed" || this.#store.triage.isBlocked) return false;
    const [last] = messages.before(messages.lastSeq + 1, 1);
    if (Math.max(session.updated_at, last?.created_at ?? 0) >= before) return false;
    return this.deleteConversation(sessionId);
  }

  /** Deletes the conversation after the session `movedTo` has taken it over. An alarm does if it takes longer than 2 s. */
  async finishHandover(sessionId: string, movedTo: string): Promise<void> {
    // A second handover at the same time has deleted it, and the visitor may have started another one since.
    if (this.#store.handedOverTo !== movedTo) return;
    await within(STORE_WITHIN_MS, this.deleteConversation(sessionId));
  }

  override async webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    const allowed = this.#limits.take(this.#sockets.identityOf(socket).author);
    const checked = this.#sessions.check(socket);
    if (checked) await checked;
    if (this.#sockets.isSignedOut(socket)) return;
    if (allowed === "close") socket.close(CLOSE.tooMany, "too many frames");
    else if (typeof frame !== "string") socket.close(CLOSE.binary, "text frames only");
    else if (frame.length > FRAME_MAX_CHARS) socket.close(CLOSE.tooLarge, "frame too large");
    else if (this.#store.session) this.#receive(socket, parseUp(frame), allowed === "ok");
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    socket.close(replyCloseCode(code), reason);
    this.#leave(socket);
  }

  override webSocketError(socket: WebSocket, error: unknown): void {
    log("warn", "support socket failed", { error: String(error) });
    this.#leave(socket);
  }

  override async alarm(): Promise<void> {
    const stored = this.#outbox.onAlarm();
    this.#changes.watchSnooze();
    if (this.#sockets.noteQuiet()) this.#broadcastPresence(null);
    else this.#watchPresence();
    await stored;
  }

  #receive(socket: WebSocket, frame: UpFrame | null, allowed: boolean): void {
    if (!allowed) {
      const clientId = frame?.type === "send" ? { clientId: frame.clientId } : {};
      this.#sockets.send(socket, { type: "error", code: "rate_limited", message: "Too many messages.", ...clientId });
      return;
    }
    if (!frame) {
      this.#sockets.send(socket, { type: "error", code: "bad_frame", message: "Unknown frame." });
      return;
    }
    const from = this.#sockets.identityOf(socket);
    switch (frame.type) {
      case "send":
        if (this.#changes.refuses(from)) {
          const { clientId } = frame;
          this.#sockets.send(socket, { type: "error", code: "blocked", message: BLOCKED_TEXT, clientId });
        } else this.#changes.append(from, frame, socket);
        return;
      case "read":
        this.#changes.markRead(from, frame.seq);
        return;
      case "typing":
        this.#changes.broadcastTyping(from, socket);
        return;
      case "page":
        this.#console.setVisitedPage(socket, frame);
        return;
      default:
        frame satisfies never;
    }
  }

  #sendHistory(socket: WebSocket, history: History): void {
    const rest = history.messages.splice(READY_MESSAGES);
    this.#sockets.send(socket, { type: "ready", ...history });
    for (const message of rest) this.#sockets.send(socket, { type: "message", message });
  }

  #leave(socket: WebSocket): void {
    this.#broadcastPresence(socket);
    const report = () => this.#agents.report(this.#sockets.identityOf(socket));
    this.ctx.waitUntil(runLogged("reporting that an agent left failed", {}, report));
  }

  #broadcastPresence(leaving: WebSocket | null): void {
    this.#sockets.broadcastPresence(leaving);
    this.#console.broadcastPresence(leaving);
    this.#watchPresence();
  }

  /** A dead connection sends nothing, so that only a timer notices it. */
  #watchPresence(): void {
    const at = this.#sockets.nextPresenceCheck();
    if (at !== null) this.#outbox.wakeAt(at);
  }
}
